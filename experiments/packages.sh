# Sourced by the scripts here: installs the Debian packages that are missing, finds nestbed.

say() { printf '%s\n' "$*" >&2; }

# install_packages PACKAGE...: by apt-get, with sudo where this is not root; says which are missing where that cannot be done.
install_packages() {
    if ! command -v dpkg-query >/dev/null; then
        say "${0##*/}: this is no Debian system; it needs what these packages hold: $*"
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

# answer_help SCRIPT ARGUMENT...: where --help is among the arguments, shows it and ends, and nothing is installed or built: the help of
# the Python script, or without its packages the comment at the head of the script that sources this.
answer_help() {
    local script=$1 argument
    shift
    for argument in "$@"; do
        [[ $argument == --help || $argument == -h ]] || continue
        /usr/bin/python3 "$script" "$@" 2>/dev/null || sed -n '2,/^set/{/^set/!p}' "$0" | cut -c3-
        exit 0
    done
}

# find_nestbed: exports NESTBED, the nestbed that computes medians and intervals for the scripts: as it is named, or built.
find_nestbed() {
    [[ -n ${NESTBED:-} ]] || NESTBED=$("$(dirname -- "${BASH_SOURCE[0]}")/build.sh" "" nestbed)/nestbed
    export NESTBED
}
