# Functions for the scripts in this folder: they install missing Debian packages and find nestbed.

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
            say "${0##*/}: as root, run: apt-get install ${missing[*]}"
            exit 1
        }
        apt=(sudo "${apt[@]}")
    fi
    say "${0##*/}: installing ${missing[*]}"
    "${apt[@]}" update -qq >&2
    "${apt[@]}" install -y -qq --no-install-recommends "${missing[@]}" >&2
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

# find_nestbed: exports NESTBED, the program that the scripts run: the one that NESTBED names, otherwise one that it
# builds now.
find_nestbed() {
    local found
    if [[ -z ${NESTBED:-} ]]; then
        found=$("$(dirname -- "${BASH_SOURCE[0]}")/build.sh" "" nestbed)/nestbed
    elif ! found=$(type -P -- "$NESTBED"); then
        say "${0##*/}: NESTBED=$NESTBED: there is no such program; allowed: the path of a nestbed, or unset it to build one"
        exit 2
    fi
    NESTBED=$(realpath -- "$found")
    export NESTBED
}
