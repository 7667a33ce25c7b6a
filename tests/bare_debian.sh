#!/usr/bin/env bash
# Runs both commands of the README on a bare Debian: in a folder that has nothing but Debian's required packages and apt. First as root;
# then, in a new folder, as a user without sudo, after root has installed what `experiments/build.sh --check` told this user. This user's
# tests/run.sh finds what that of root built, if both are tried; it compiles again what depends on a header that is missing or different.
#
#     tests/bare_debian.sh                    Debian 12 (bookworm), as root and as a user
#     tests/bare_debian.sh trixie             Debian 13
#     tests/bare_debian.sh bookworm root      only as root; or: user
#     tests/bare_debian.sh noble package      the packages of build/package on Ubuntu 24.04, or of bookworm, trixie; 2 minutes
#     MIRROR=http://host/debian tests/bare_debian.sh    another mirror than that of this machine's apt
#
# It tries the files of this repository as they are, also what is not committed. It prints the times, and ends with 1 at the first command
# that fails. It needs root, the right to mount, and 3 GB under TMPDIR (/tmp). Downloaded packages are kept for the next run in
# ~/.cache/nestbed/debian (XDG_CACHE_HOME); nothing else is.
set -euo pipefail
root=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=experiments/packages.sh
source "$root/experiments/packages.sh"
answer_help "" "$@"
suite=${1:-bookworm}
users=("${@:2}")
if [[ ! $suite =~ ^[a-z]+$ || " root user package " != *" ${users[*]:-root} "* ]]; then
    say "bare_debian.sh: $*: allowed: a release of Debian from bookworm on, then root, user or package"
    exit 2
fi
((EUID == 0)) || {
    say "bare_debian.sh: it makes a system in a folder; allowed: as root"
    exit 1
}
((${#users[@]})) || users=(root user)
unshare --mount true 2>/dev/null || {
    say "bare_debian.sh: this process may not mount; allowed: on a machine, or in a container with the option --privileged"
    exit 1
}
install_packages mmdebstrap debian-archive-keyring git util-linux

there=$(mktemp -d)
chmod 755 "$there" # apt reads it as a user of its own
inside=
clean() {
    [[ -z $inside ]] || kill -KILL "$inside" 2>/dev/null || true
    wait
    rm -rf --one-file-system "$there"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# contained COMMAND...: in namespaces of its own. If this script is stopped, its processes and its mounts end with it.
contained() {
    local failed=0
    setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child "$@" &
    inside=$!
    wait "$inside" || failed=$?
    inside=
    return "$failed"
}

# How this machine reaches its packages: its mirror of Debian, apt's settings, and passwords.
mirror=${MIRROR:-$(apt-get indextargets --format '$(ORIGIN),$(LABEL),$(SITE)' 'Created-By: Packages' | sed -n 's/^Debian,Debian,//p' | head -n 1)}
readarray -t settings < <(apt-config dump | grep -E '^Acquire::(https?::|Check-|Retries)' || true)
# Ubuntu's archive, whose keys Debian does not have.
[[ $suite != noble || -n ${MIRROR:-} ]] || mirror="deb [trusted=yes] http://archive.ubuntu.com/ubuntu noble main universe"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/nestbed/debian/$suite
mkdir -p "$cache"
readarray -t proxies < <(env | grep -iE '^(https?|no)_proxy=' || true)

# make_system WHO: a bare Debian in the folder $system, with the repository in its folder /nestbed, which belongs to WHO.
make_system() {
    system=$there/system
    rm -rf --one-file-system "$system"
    contained mmdebstrap --variant=minbase --include=apt --quiet "${settings[@]/#/--aptopt=}" --dpkgopt=force-unsafe-io --skip=download/empty,essential/unlink,cleanup/apt/cache \
        --setup-hook="mkdir -p \"\$1/var/cache/apt/archives\" && cp -r '$cache/.' \"\$1/var/cache/apt/archives/\"" \
        --setup-hook='for file in /etc/apt/auth.conf /etc/apt/auth.conf.d; do [ ! -e "$file" ] || cp -r "$file" "$1/etc/apt/"; done' \
        --customize-hook='chroot "$1" useradd --create-home --uid 1000 --shell /bin/bash student' \
        "$suite" "$system" ${mirror:+"$mirror"} >&2
    if [[ $1 == package ]]; then
        mkdir "$system/nestbed"
        cp "$root"/build/package/nestbed[-_]*.{deb,tar.gz} "$root/tests/packaged.sh" "$system/nestbed"
        chown -R 1000:1000 "$system/nestbed"
        return
    fi
    if [[ -d $there/nestbed ]]; then # that of the run before, with its build
        mv "$there/nestbed" "$system/nestbed"
        mv "$system/nestbed/build" "$there/build"
        git -C "$system/nestbed" clean -fdXq
        chown -R 1000:1000 "$system/nestbed" "$there/build"
        return
    fi
    git clone --quiet --depth 1 "file://$root" "$system/nestbed"
    git -C "$root" diff --name-only -z --diff-filter=D HEAD | (cd "$system/nestbed" && xargs -0r rm -f)
    git -C "$root" diff --name-only -z --diff-filter=d HEAD | (cd "$root" && xargs -0r cp --parents -t "$system/nestbed")
    git -C "$root" ls-files -z --others --exclude-standard | (cd "$root" && xargs -0r cp --parents -t "$system/nestbed")
    [[ $1 == root ]] || chown -R 1000:1000 "$system/nestbed"
}

# keep_packages: for the next run, those that apt could install again.
keep_packages() {
    chroot "$system" apt-get autoclean -qq
    rm -rf "$cache"
    mkdir -p "$cache"
    find "$system/var/cache/apt/archives" -maxdepth 1 -name '*.deb' -exec cp -t "$cache" {} +
}

# tried WHO COMMAND: runs it in the folder of the repository, and says how long it took. The user has no terminal: no /dev/pts.
tried() {
    local failed=0
    rm -f "$system/tmp/took"
    # shellcheck disable=SC2016 # they are of the shells inside
    contained bash -c '
        set -e
        system=$0 as=(--userspec=1000:1000 --groups=1000) home=/home/student
        mount -t proc proc "$system/proc"
        mount -t tmpfs -o mode=1777 tmpfs "$system/dev/shm"
        if [[ $1 == root ]]; then
            mount -t devpts -o newinstance,ptmxmode=666 devpts "$system/dev/pts"
            as=() home=/root
        fi
        exec chroot "${as[@]}" "$system" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME="$home" "${@:3}" \
            bash -c "cd /nestbed; TIMEFORMAT=\"%R %U %S\"; { time { $2; } 2>&4; } 4>&2 2>/tmp/took"
    ' "$system" "$1" "$2" "${proxies[@]}" || failed=$?
    say "$(awk -v what="$2" -v where="$suite, as $1" -v failed="$failed" '{ printf "bare %s: %s: %s after %.0f s (%.0f processor seconds)",
        where, what, failed ? "FAILED with exit code " failed : "passed", $1, $2 + $3 }' "$system/tmp/took")"
    return "$failed"
}

# try_packages: the archive where there is g++ alone, then the package of Debian; nothing of it may stay when it is removed.
try_packages() {
    tried root "apt-get update -qq && apt-get install -y -qq --no-install-recommends g++"
    tried user "tar -xzf nestbed-*.tar.gz -C ~"
    if [[ $suite != bookworm ]]; then # the archive has the plugins of g++ 12
        tried root "apt-get install -y -qq --no-install-recommends gcc-\$(g++ -dumpversion)-plugin-dev"
        tried user "\$HOME/nestbed-*/libexec/nestbed/program/use_compiler g++"
    fi
    tried user "PATH=\$(echo ~/nestbed-*/bin):\$PATH; ./packaged.sh ~/nestbed-*"
    tried user "rm -rf ~/nestbed-* ~/.cache"
    tried root "apt-get install -y -qq --no-install-recommends ./nestbed_*.deb man-db bash-completion"
    tried user "./packaged.sh /usr"
    tried root "cd /usr/libexec/nestbed/program && rm watch_plugin.so && apt-get install -y -qq --reinstall gcc-12-plugin-dev && ls watch_plugin.so"
    tried root "apt-get purge -y -qq nestbed && ! find / -xdev -name '*nestbed*' ! -path '/nestbed*' ! -path '/home/*' ! -path '/tmp/*' | grep ."
    keep_packages
}

for who in "${users[@]}"; do
    make_system "$who"
    if [[ $who == package ]]; then
        try_packages
        say "bare_debian.sh: the packages are installed, used and removed on a bare $suite"
        exit
    fi
    if [[ $who == user ]]; then
        failed=0
        tried user "! experiments/build.sh --check" 2>"$there/said" || failed=$? # it says what is missing, and fails
        cat "$there/said" >&2
        ((!failed)) || exit 1
        tried root "apt-get update -qq"
        tried root "$(sed -n 's/^as root: apt-get install /apt-get install -y -qq /p' "$there/said")"
    fi
    tried "$who" experiments/run.sh
    if [[ -d $there/build ]]; then
        rm -rf "$system/nestbed/build"
        mv "$there/build" "$system/nestbed/build"
    fi
    tried "$who" tests/run.sh
    keep_packages
    mv "$system/nestbed" "$there/nestbed"
done
say "bare_debian.sh: both commands of the README pass on a bare $suite, as ${users[*]/%/,} from nothing"
