#!/usr/bin/env bash
# Installs a CUDA toolkit from NVIDIA's packages, on Debian 12 as root.
#
#     .ci/install_cuda.sh 12.8
set -euo pipefail
[[ $# == 1 && $1 =~ ^[0-9]+\.[0-9]+$ ]] || {
    echo "install_cuda.sh: $*: allowed: a version such as 12.8" >&2
    exit 2
}
keyring=$(mktemp --suffix .deb)
apt-get update -qq
apt-get install -y -qq --no-install-recommends ca-certificates curl
curl -fsSL --retry 3 -o "$keyring" https://developer.download.nvidia.com/compute/cuda/repos/debian12/x86_64/cuda-keyring_1.1-1_all.deb
dpkg --install "$keyring"
rm "$keyring"
apt-get update -qq
apt-get install -y -qq --no-install-recommends "cuda-toolkit-${1/./-}"
/usr/local/cuda/bin/nvcc --version
