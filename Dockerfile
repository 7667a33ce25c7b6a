# nestbed for the CPU executor, on Debian: no GPU is needed. One stage builds the package, the other installs it.
#
#     docker build -t nestbed .
#     docker run --rm -it nestbed                     # a shell with nestbed on the PATH
#     docker run --rm -v "$PWD:/work" nestbed nestbed races my.cu
#
# For a GPU, with the NVIDIA Container Toolkit. nvcc compiles the CUDA code while the image is built, which takes an hour on two cores:
#
#     cuda=nvidia/cuda:13.0.1-devel-ubuntu24.04
#     docker build -t nestbed-cuda --build-arg BUILDER=$cuda --build-arg BASE=$cuda --build-arg PACKAGE=package-cuda .
#     docker run --rm --gpus all nestbed-cuda nestbed run /usr/share/nestbed/experiments/book.cfg
ARG BUILDER=debian:12
ARG BASE=debian:13
FROM ${BUILDER} AS builder
ARG PACKAGE=package
COPY . /nestbed
WORKDIR /nestbed
RUN mv "$(experiments/build.sh "$PACKAGE")"/nestbed*.deb /nestbed.deb
FROM ${BASE}
COPY --from=builder /nestbed.deb /tmp/nestbed.deb
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends /tmp/nestbed.deb && rm -rf /var/lib/apt/lists/* /tmp/nestbed.deb
WORKDIR /work
CMD ["bash"]
