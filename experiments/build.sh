#!/usr/bin/env bash
# Installs the Debian packages that are missing, configures and builds nestbed.
#
#     experiments/build.sh [PRESET [TARGET]]   a configure preset of CMakePresets.json; without one, release if this
#                                              machine has a CUDA toolkit and a GPU, otherwise cpu-only
#     experiments/build.sh --cuda [TARGET]     release, for a GPU elsewhere; an error without a CUDA toolkit
#     experiments/build.sh PRESET run WORD...  only what `nestbed run WORD...` needs: the program, and modules of workloads
#
# The target nestbed is the program with all that its commands need; without a target, the tests are built too.
# It prints only the build folder to standard output; everything else goes to standard error.
set -euo pipefail
root=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

# shellcheck source=experiments/packages.sh
source "$root/experiments/packages.sh"

answer_help "" "$@"
# As in CMakeLists.txt; here before anything is installed.
refused=$'[][\'"$#;:()&|<>{}*?!%^`\\\t\r\n]'
if [[ $root =~ $refused ]]; then
    say "build.sh: the path $root has the character ${BASH_REMATCH[0]}, which the build tools take as their own; allowed in the path of" \
        "the repository: letters, digits, spaces and / . , _ + - = @ ~"
    exit 2
fi

# clang-format and clang-tidy are needed only by CI.
packages=(cmake ninja-build g++ git libdw-dev libboost-dev libboost-context-dev libboost-program-options-dev libcsv-dev libeigen3-dev
          libfmt-dev libgtest-dev libgmock-dev libmd-dev libpng-dev nlohmann-json3-dev)

preset=${1:-}
options=()
nvcc=$(find_nvcc)
[[ -z $nvcc ]] || export CUDACXX=$nvcc
# The GPU of this machine. The CUDA code is made for it, unless the preset says for which GPUs.
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d .) || true
[[ $capability =~ ^[0-9]+$ ]] || capability=''
if [[ $preset == --cuda ]]; then
    [[ -n $nvcc ]] || {
        say "build.sh: --cuda: no nvcc of CUDA 12.4 or later was found; allowed: with one on the PATH, in CUDACXX, CUDA_HOME or /usr/local/cuda"
        exit 2
    }
    preset=release
    options+=(-DNESTBED_CUDA=ON)
elif [[ -z $nvcc ]]; then
    say "build.sh: no CUDA toolkit was found: CPU-only build, with the executor only"
    preset=${preset:-cpu-only}
elif [[ -z $preset && -z $capability ]]; then
    say "build.sh: there is a CUDA toolkit, but nvidia-smi names no GPU: CPU-only build, with the executor only;" \
        "for a GPU elsewhere, --cuda builds build/release"
    preset=cpu-only
fi
preset=${preset:-release}
[[ -z $capability || $preset == cdp1* || $preset == all-gpus ]] || options+=("-DCMAKE_CUDA_ARCHITECTURES=$capability")

install_packages "${packages[@]}"
# The race detector of users' programs is a plugin of the compiler, whose headers are a package of its version.
install_packages "gcc-$(g++ -dumpversion | cut -d . -f 1)-plugin-dev"

# Warnings are errors only on Debian 12, where nestbed is developed. A newer compiler may have new warnings.
grep -qs '^VERSION_ID="12"' /etc/os-release || options+=(-DNESTBED_WERROR=OFF)

cd "$root"
cmake --preset "$preset" "${options[@]}" >&2
build() { cmake --build --preset "$preset" "$@" >&2; }
case ${2:-} in
'') build ;;
nestbed) build --target nestbed_commands ;;
run)
    build --target nestbed
    modules=$("build/$preset/nestbed" modules "${@:3}")
    read -r -a modules <<<"$modules"
    ((! ${#modules[@]})) || build --target "${modules[@]}"
    ;;
*) build --target "$2" ;;
esac
printf '%s\n' "$root/build/$preset"
