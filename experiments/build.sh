#!/usr/bin/env bash
# Installs the Debian packages that are missing, configures and builds nestbed.
#
#     experiments/build.sh [PRESET [TARGET]]   a configure preset of CMakePresets.json; without one, release if this
#                                              machine has a CUDA toolkit and a GPU, otherwise cpu-only
#     experiments/build.sh --cuda [TARGET]     release, for a GPU elsewhere; an error without a CUDA toolkit
#     experiments/build.sh --check             lists what a build or the ordinary tests need and this machine lacks; installs and builds nothing
#     experiments/build.sh package             also nestbed_VERSION_amd64.deb and nestbed-VERSION-x86_64.tar.gz in the build folder, for this
#                                              system and later ones; package-cuda: the same with GPU code
#     experiments/build.sh PRESET run WORD...  only what `nestbed run WORD...` needs: the program, and modules of workloads
#
# The target nestbed is the program with all that its commands need, but for traces on a GPU: their kernels are in the target
# traced. Without a target, the tests are built too.
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

# The packages of Debian, and what each gives: a command, a header, or a library, which may also be in a folder of the user.
# clang-format and clang-tidy are needed only by CI.
parts=(cmake:command:cmake ninja-build:command:ninja g++:command:g++ git:command:git libdw-dev:header:elfutils/libdw.h
       libboost-dev:header:boost/version.hpp libboost-context-dev:library:boost_context
       libboost-program-options-dev:library:boost_program_options libcsv-dev:header:csv.h libeigen3-dev:header:eigen3/Eigen/Core
       libfmt-dev:header:fmt/format.h libgtest-dev:header:gtest/gtest.h libgmock-dev:header:gmock/gmock.h libmd-dev:header:sha2.h
       libpng-dev:header:png.h nlohmann-json3-dev:header:nlohmann/json.hpp zlib1g-dev:header:zlib.h)

compiler=${CXX:-g++}
# is_there KIND NAME: whether the compiler and the shell find it.
is_there() {
    case $1 in
    command) command -v "$2" >/dev/null ;;
    header) "$compiler" -E -x c++ - <<<"#include <$2>" >/dev/null 2>&1 ;;
    library) "$compiler" -shared -nostdlib -o /dev/null "-l$2" 2>/dev/null ;;
    module) /usr/bin/python3 -c "import importlib.util; exit(not importlib.util.find_spec('$2'))" 2>/dev/null ;;
    esac
}

# Prints what is missing, and exits with 1 if something is.
check_parts() {
    local part package kind name version missing=()
    for part in "${parts[@]}" "${test_packages[@]/%/:module:}"; do
        IFS=: read -r package kind name <<<"$part"
        [[ $kind != module ]] || name=${package#python3-}
        is_there "$kind" "$name" || missing+=("$package|${kind/module/Python module} $name")
    done
    if command -v "$compiler" >/dev/null; then
        version=$("$compiler" -dumpversion | cut -d . -f 1)
        ((version >= 12)) || missing+=("g++-12|g++ 12 or later (here: $version; CXX=g++-12 chooses another)")
        [[ -e $("$compiler" -print-file-name=plugin)/include/gcc-plugin.h ]] || missing+=("gcc-$version-plugin-dev|header gcc-plugin.h")
    else # of the g++ that this release gives
        case $(. /etc/os-release && printf '%s' "$ID-$VERSION_ID") in
        debian-12) missing+=("gcc-12-plugin-dev|header gcc-plugin.h") ;;
        ubuntu-24.04) missing+=("gcc-13-plugin-dev|header gcc-plugin.h") ;;
        debian-13) missing+=("gcc-14-plugin-dev|header gcc-plugin.h") ;;
        esac
    fi
    if command -v cmake >/dev/null; then
        version=$(cmake --version | sed -n '1s/[^0-9]*//p')
        printf '3.25\n%s\n' "$version" | sort --check=silent --version-sort || missing+=("cmake|CMake 3.25 or later (here: $version)")
    fi
    [[ -n $(find_nvcc) ]] || say "build.sh: without a CUDA toolkit (12.4 or later) the build is for the executor only"
    ((${#missing[@]})) || {
        say "build.sh: nothing is missing"
        exit 0
    }
    printf '%s\n' "${missing[@]}" | sed 's/^\([^|]*\)|\(.*\)/missing: \2  (package \1)/' >&2
    say "as root: apt-get install --no-install-recommends $(printf '%s\n' "${missing[@]}" | sed 's/|.*//' | sort -u | xargs)"
    exit 1
}

[[ ${1:-} != --check ]] || check_parts

preset=${1:-}
presets=$(sed -n 's/.*{ "name": "\([^"]*\)", "configurePreset".*/\1/p' "$root/CMakePresets.json" | xargs)
[[ " --cuda $presets " == *" ${preset:---cuda} "* ]] || {
    say "build.sh: there is no preset $preset; allowed: ${presets// /, }, or --cuda"
    exit 2
}
if [[ ${2:-} == run ]]; then
    for word in "${@:3}"; do
        [[ $word != *.cfg && $word != *.cfg:* ]] || check_path "${word/%.cfg:*/.cfg}"
    done
fi
options=()
nvcc=$(find_nvcc)
[[ -z $nvcc ]] || export CUDACXX=$nvcc
# The GPU of this machine. The CUDA code is made for it, unless the preset says for which GPUs.
capability=$(find_capability)
if [[ $preset == --cuda ]]; then
    [[ -n $nvcc ]] || refuse_cuda
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
[[ -z $capability || $preset == all-gpus || $preset == package* ]] || options+=("-DCMAKE_CUDA_ARCHITECTURES=$capability")

install_packages "${parts[@]%%:*}"
# The race detector of users' programs is a plugin of the compiler, whose headers are a package of its version.
install_packages "gcc-$(g++ -dumpversion | cut -d . -f 1)-plugin-dev"

# For packages: the g++ that users' programs get, the man page, what libdw needs to be linked statically, and what finds dependencies.
if [[ $preset == package* ]]; then
    install_packages g++-12 gcc-12-plugin-dev help2man libbz2-dev libzstd-dev dpkg-dev file
    export CXX=${CXX:-g++-12}
fi

# Warnings are errors only on Debian 12, where nestbed is developed. A newer compiler may have new warnings.
grep -qs '^VERSION_ID="12"' /etc/os-release || options+=(-DNESTBED_WERROR=OFF)

# The user's paths are relative to the current folder, CMake's presets to the repository.
in_root() { (cd "$root" && "$@"); }
in_root cmake --preset "$preset" "${options[@]}" >&2
build() { in_root cmake --build --preset "$preset" "$@" >&2; }
case ${2:-} in
'') build ;;
nestbed) build --target nestbed_commands ;;
run)
    # The modules of the strategies in an experiment's file are built beside the program, which then says what else is needed.
    names=$(for word in "${@:3}"; do [[ ! -f $word ]] || sed -n 's/^strategy *= *//p' "$word"; done | tr -sc 'a-z0-9_' '|')
    readarray -t rooms < <(grep -slE "\.name = \"(${names%|})\"" "$root"/{nested,baseline}/*/*.cu | sed 's|/[^/]*$||; s|.*/||' | sort -u)
    build --target nestbed "${rooms[@]/#/workload_}"
    modules=$("$root/build/$preset/nestbed" modules "${@:3}")
    read -r -a modules <<<"$modules"
    ((! ${#modules[@]})) || build --target "${modules[@]}"
    ;;
*) build --target "$2" ;;
esac
[[ $preset != package* || -n ${2:-} ]] || in_root cpack --preset "$preset" >&2
printf '%s\n' "$root/build/$preset"
