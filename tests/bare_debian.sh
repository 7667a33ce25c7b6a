#!/usr/bin/env bash
# Tries the first command of the README on a bare Debian: a folder made by debootstrap that has nothing but the base system. It copies
# the repository there, runs experiments/run.sh, and prints how long that took.
#
#     tests/bare_debian.sh                    Debian 13 (trixie)
#     tests/bare_debian.sh bookworm           Debian 12
#     tests/bare_debian.sh trixie --tests     also tests/run.sh
#     MIRROR=http://host/debian tests/bare_debian.sh       another mirror than that of debootstrap
#
# It needs root, debootstrap, and 3 GB under TMPDIR (/tmp). The folder is removed at the end.
set -euo pipefail
root=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=experiments/packages.sh
source "$root/experiments/packages.sh"
answer_help "" "$@"
suite=${1:-trixie}
if [[ ! $suite =~ ^[a-z]+$ ]] || (($# > 2)) || [[ -n ${2:-} && $2 != --tests ]]; then
    say "bare_debian.sh: $*: it is no release of Debian; allowed: bookworm, trixie or a later one, then --tests"
    exit 2
fi
((EUID == 0)) || {
    say "bare_debian.sh: debootstrap needs root; allowed: as root"
    exit 1
}
install_packages debootstrap
there=$(mktemp -d)
chmod 755 "$there" # apt reads it as a user of its own
# Only what this script has mounted; never the folder of a mounted /proc.
clean() {
    ! mountpoint -q "$there/proc" || umount "$there/proc"
    ! mountpoint -q "$there/dev" || umount "$there/dev"
    rm -rf --one-file-system "$there"
}
trap clean EXIT

debootstrap --variant=minbase "$suite" "$there" ${MIRROR:+"$MIRROR"} >&2
cp /etc/resolv.conf "$there/etc/resolv.conf"
[[ ! -d /etc/apt/apt.conf.d ]] || cp -r /etc/apt/apt.conf.d/. "$there/etc/apt/apt.conf.d/" # how this machine reaches its mirror
mkdir "$there/nestbed"
git -C "$root" ls-files -z | (cd "$root" && xargs -0 cp --parents -t "$there/nestbed")
mount --bind /dev "$there/dev"
mount -t proc proc "$there/proc"

# timed COMMAND: runs it in the chroot and prints the seconds that it took.
timed() {
    local start=$SECONDS
    chroot "$there" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root bash -c "cd /nestbed && $1"
    printf '%s on a bare Debian %s: %s s\n' "$1" "$suite" "$((SECONDS - start))"
}
timed experiments/run.sh
[[ ${2:-} != --tests ]] || timed tests/run.sh
