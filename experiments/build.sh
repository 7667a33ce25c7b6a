#!/usr/bin/env bash
# Installs the Debian packages that are missing, configures and builds nestbed.
#
#     experiments/build.sh [PRESET [TARGET]]   a configure preset of CMakePresets.json; without one, release if it
#                                              finds a CUDA toolkit, otherwise cpu-only
#
# It prints only the build folder to standard output; everything else goes to standard error.
set -euo pipefail
root=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

# shellcheck source=experiments/packages.sh
source "$root/experiments/packages.sh"

answer_help "" "$@"

# clang-format and clang-tidy are needed only by CI.
packages=(cmake ninja-build g++ git libdw-dev libboost-dev libboost-context-dev libboost-program-options-dev libcsv-dev libeigen3-dev
          libfmt-dev libgtest-dev libgmock-dev libmd-dev libpng-dev nlohmann-json3-dev)

# The nvcc to use: on the PATH, under CUDA_HOME or in its usual place. It must be 12.4 or later (C++20, the current
# device runtime, 64-bit counts in CUB).
find_nvcc() {
    local candidate version
    for candidate in "${CUDACXX:-}" "$(command -v nvcc || true)" "${CUDA_HOME:-}/bin/nvcc" /usr/local/cuda/bin/nvcc; do
        [[ -n $candidate && -x $candidate ]] || continue
        version=$("$candidate" --version | sed -n 's/.*release \([0-9]*\.[0-9]*\).*/\1/p')
        if [[ $version =~ ^([0-9]+)\.([0-9]+)$ ]] && ((100 * BASH_REMATCH[1] + BASH_REMATCH[2] >= 1204)); then
            printf '%s' "$candidate"
            return
        fi
        say "build.sh: $candidate is from CUDA ${version:-?}; nestbed needs 12.4 or later"
    done
}

install_packages "${packages[@]}"
# The race detector of users' programs is a plugin of the compiler, whose headers are a package of its version.
install_packages "gcc-$(g++ -dumpversion | cut -d . -f 1)-plugin-dev"

preset=${1:-}
options=()
# Warnings are errors only on Debian 12, where nestbed is developed. A newer compiler may have new warnings.
grep -qs '^VERSION_ID="12"' /etc/os-release || options+=(-DNESTBED_WERROR=OFF)
nvcc=$(find_nvcc)
if [[ -z $nvcc ]]; then
    say "build.sh: no CUDA toolkit was found: CPU-only build, with the executor only"
    [[ -n $preset ]] || preset=cpu-only
else
    export CUDACXX=$nvcc
    [[ -n $preset ]] || preset=release
    # Makes machine code for the GPU of this machine, unless there is none or the preset names the GPUs.
    if [[ $preset != cdp1* && $preset != all-gpus ]] && capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null); then
        capability=$(head -n 1 <<<"$capability" | tr -d .)
        [[ $capability =~ ^[0-9]+$ ]] && options+=("-DCMAKE_CUDA_ARCHITECTURES=$capability")
    fi
fi

cd "$root"
cmake --preset "$preset" "${options[@]}" >&2
target=${2:-}
# With the folder `program` beside it, that nestbed's commands for users' programs need.
[[ $target != nestbed ]] || target=nestbed_programs
cmake --build --preset "$preset" ${target:+--target "$target"} >&2
printf '%s\n' "$root/build/$preset"
