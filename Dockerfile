# nestbed for the CPU executor, on Debian: no GPU is needed.
#
#     docker build -t nestbed .
#     docker run --rm -it nestbed                     # a shell with nestbed on the PATH
#     docker run --rm nestbed nestbed tree --strategy synced --grid 4 --block 16
#
# For a GPU, with the NVIDIA Container Toolkit. nvcc compiles the CUDA code while the image is built, which takes an hour on two cores:
#
#     docker build -t nestbed-cuda --build-arg BASE=nvidia/cuda:13.0.1-devel-ubuntu24.04 --build-arg BUILD=--cuda .
#     docker run --rm --gpus all nestbed-cuda experiments/run.sh --cuda
ARG BASE=debian:13
FROM ${BASE}
ARG BUILD=cpu-only
COPY . /nestbed
WORKDIR /nestbed
RUN build=$(experiments/build.sh "$BUILD" nestbed) && rm -rf /var/lib/apt/lists/* && ln -s "$build/nestbed" /usr/local/bin/nestbed
CMD ["bash"]
