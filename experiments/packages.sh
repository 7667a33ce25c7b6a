# Functions for the scripts in this folder: they install missing Debian packages and find nvcc and nestbed.

say() { printf '%s\n' "$*" >&2; }

# install_packages PACKAGE...: installs them with apt-get, with sudo if this is not root. If it cannot, it says which
# packages are missing.
install_packages() {
    if ! command -v dpkg-query >/dev/null; then
        say "${0##*/}: this is not a Debian system; it needs the software in these packages: $*"
        return 0
    fi
    local missing=() package
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get)
    if ((EUID != 0)); then
        command -v sudo >/dev/null || {
            say "${0##*/}: as root, run: apt-get install --no-install-recommends ${missing[*]}"
            exit 1
        }
        apt=(sudo "${apt[@]}")
    fi
    say "${0##*/}: installing ${missing[*]}"
    "${apt[@]}" update -qq >&2
    "${apt[@]}" install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# What the ordinary tests need beside the build: modules of Python.
test_packages=(python3-pandas python3-matplotlib python3-scipy)

# install_test_packages [--all]: what the ordinary tests need beside the build, or all tests.
install_test_packages() {
    install_packages "${test_packages[@]}"
    [[ ${1-} == --all ]] || return 0
    install_packages python3-plotly python3-selenium chromium chromium-driver mkdocs cmark-gfm
    ((EUID)) || install_packages slurm-wlm munge # without root, slurmd cannot run
}

# answer_help SCRIPT ARGUMENT...: if --help is among the arguments, prints the help and exits; nothing is installed or
# built. The help is that of the Python script SCRIPT. If its packages are missing, or if SCRIPT is empty, the help is
# the comment at the head of the script that sources this file.
answer_help() {
    local script=$1 argument
    shift
    for argument in "$@"; do
        [[ $argument == --help || $argument == -h ]] || continue
        [[ -n $script ]] && /usr/bin/python3 "$script" "$@" 2>/dev/null || print_head
        exit 0
    done
}

# print_head: prints the comment at the head of the script.
print_head() { sed -n '2,/^set/{/^set/!p}' "$0" | cut -c3-; }

# find_nvcc: prints the path of the nvcc to use: on the PATH, under CUDA_HOME or in its usual place. It must be 12.4 or
# later (C++20, the current device runtime, 64-bit counts in CUB). Prints nothing if there is none.
find_nvcc() {
    local candidate version
    for candidate in "${CUDACXX:-}" "$(command -v nvcc || true)" "${CUDA_HOME:-}/bin/nvcc" /usr/local/cuda/bin/nvcc; do
        [[ -n $candidate && -x $candidate ]] || continue
        version=$("$candidate" --version | sed -n 's/.*release \([0-9]*\.[0-9]*\).*/\1/p')
        if [[ $version =~ ^([0-9]+)\.([0-9]+)$ ]] && ((100 * BASH_REMATCH[1] + BASH_REMATCH[2] >= 1204)); then
            printf '%s' "$candidate"
            return
        fi
        say "${0##*/}: $candidate is from CUDA ${version:-?}; nestbed needs 12.4 or later"
    done
}

# find_capability: prints the compute capability of the GPU of this machine, such as 89. Prints nothing if there is none.
find_capability() {
    local found
    found=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d .) || true
    [[ ! $found =~ ^[0-9]+$ ]] || printf '%s' "$found"
}

# check_nestbed [--cuda|'']: what can be refused before anything is installed or built: a NESTBED that is no program, NESTBED beside
# --cuda, and --cuda without a CUDA toolkit.
check_nestbed() {
    if [[ -n ${NESTBED:-} && -n ${1:-} ]]; then
        say "${0##*/}: --cuda: NESTBED=$NESTBED names a program, and nothing is built; allowed: --cuda, or NESTBED"
    elif [[ -n ${NESTBED:-} ]] && ! type -P -- "$NESTBED" >/dev/null; then
        say "${0##*/}: NESTBED=$NESTBED: there is no such program; allowed: the path of a nestbed, or unset it to build one"
    elif [[ -n ${1:-} && -z $(find_nvcc) ]]; then
        refuse_cuda
    else
        return 0
    fi
    exit 2
}
refuse_cuda() {
    say "${0##*/}: --cuda: no nvcc of CUDA 12.4 or later was found; allowed: with one on the PATH, in CUDACXX, CUDA_HOME or /usr/local/cuda"
    exit 2
}

# check_path [PATH]: refuses the path of a file or folder that does not exist, before anything is installed or built. An option or
# nothing passes.
check_path() {
    [[ -z ${1:-} || $1 == -* || -e $1 || -e $1.gz ]] || {
        say "${0##*/}: $1: there is no such file or folder; allowed: one that exists"
        exit 2
    }
}

# find_nestbed [--cuda|'' [run WORD...]]: exports NESTBED, the program that the scripts run: the one that NESTBED names,
# otherwise one that it builds now, with --cuda also for a GPU elsewhere; with all workloads, or those of this `nestbed run`.
find_nestbed() {
    local found cuda=${1:-}
    check_nestbed "$cuda"
    shift $(($# > 0))
    (($#)) || set -- nestbed_measuring
    if [[ -z ${NESTBED:-} ]]; then
        found=$("$(dirname -- "${BASH_SOURCE[0]}")/build.sh" "$cuda" "$@")/nestbed
    else
        found=$(type -P -- "$NESTBED")
    fi
    NESTBED=$(realpath -- "$found")
    export NESTBED
}
