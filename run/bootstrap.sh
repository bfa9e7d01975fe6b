#!/bin/sh
# From a bare machine to .venv, then over to `python -m sextant_run`. Needs sh, coreutils and findutils; what else is
# missing it installs where it may (root, apt, no prompt) and otherwise names with the exact command.
#
#   sh run/bootstrap.sh up|setup|test|... [ARGUMENTS]    runs `python -m sextant_run` with them afterwards
#   sh run/bootstrap.sh bench [ARGUMENTS]                runs `python bench` with them
#   sh run/bootstrap.sh python                           stops when .venv is ready
#
# Quick when nothing changed: .venv/.sextant-stamp holds a hash of everything that .venv is made from.
set -eu

cd "$(dirname "$0")/.."
command=${1:-up}
case $command in
    up) steps=9 ;;
    setup) steps=5 ;;
    *) steps=0 ;; # nothing to show unless something must be done
esac
data=${SEXTANT_DATA_DIR:-.data}
log=$data/log/bootstrap.log
# Images of containers set it to stay small. Here some ten processes, and hundreds in the tests, would each compile four
# hundred modules of ours whenever they start.
unset PYTHONDONTWRITEBYTECODE
libraries="DPDK, jansson, libpcap, Hyperscan, nDPI and intel-ipsec-mb"
pinned_uv=$(sed -n 's/^ *"uv==\([0-9.]*\)".*/\1/p' run/pyproject.toml)

say() { # say NUMBER WHAT RESULT
    [ "$steps" -eq 0 ] || printf '[%s/%s] %-24s %s\n' "$1" "$steps" "$2" "$3"
}

fail() { # fail CAUSE NEXT-STEP
    printf '\n%s\n' "$1" >&2
    [ -z "${2:-}" ] || printf 'Next: %s\n' "$2" >&2
    exit 1
}

make_log_folder() {
    mkdir -p "$data/log"
    chmod 700 "$data"
}

logged() { # logged WHAT COMMAND...: output to the log; its last lines if it fails
    what=$1
    shift
    make_log_folder
    if ! "$@" >"$log" 2>&1; then
        tail -n 25 "$log" >&2
        fail "$what failed. The whole output: $log" "fix the cause, then run 'make $command' again; what is done is kept"
    fi
}

usable_python() { # PostgreSQL's wheels end at 3.14
    "$1" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' >/dev/null 2>&1
}

find_python() { # a distribution's first: one that was compiled by hand may take a third more CPU time (decision 118)
    for candidate in ${SEXTANT_PYTHON:-/usr/bin/python3 python3 python3.14 python3.13 python3.12 python3.11}; do
        if usable_python "$candidate"; then
            command -v "$candidate"
            return
        fi
    done
}

missing_packages() { # Debian's names of what is not there and nothing works without
    [ -n "$(find_python)" ] || printf 'python3 python3-venv '
    command -v gcc >/dev/null || printf 'gcc libc6-dev '
    command -v setpriv >/dev/null && command -v unshare >/dev/null && command -v flock >/dev/null || printf 'util-linux '
    if [ "$command" = test ] || [ "$command" = bench ]; then
        missing_of_dataplane
        missing_of_srv6
        # Chromium without windows: the whole browser takes more than twice the CPU time for the same pages.
        [ -n "${SEXTANT_CHROMIUM:-}" ] || command -v chromium-headless-shell >/dev/null || printf 'chromium-headless-shell '
        fc-list 2>/dev/null | grep -q Liberation || printf 'fonts-liberation fontconfig '
        PATH="$PATH:/sbin" ldconfig -p 2>/dev/null | grep -q libfuse3 || printf 'fuse3 ' # tests mount a double of resctrl
    fi
}

missing_of_dataplane() { # the same for the data plane, without which the fleet is one of simulated hosts
    command -v meson >/dev/null || printf 'meson '
    command -v ninja >/dev/null || printf 'ninja-build '
    if ! command -v pkg-config >/dev/null; then
        printf 'pkg-config libdpdk-dev libjansson-dev libpcap-dev libhyperscan-dev libndpi-dev '
    else
        pkg-config --exists libdpdk || printf 'libdpdk-dev '
        pkg-config --exists jansson || printf 'libjansson-dev '
        pkg-config --exists libpcap || printf 'libpcap-dev '
        pkg-config --exists libhs || printf 'libhyperscan-dev '
        pkg-config --exists libndpi || printf 'libndpi-dev '
    fi
    # It has no .pc file: ask the compiler. '-E' needs nothing but the header.
    echo '#include <intel-ipsec-mb.h>' | gcc -E - >/dev/null 2>&1 || printf 'libipsec-mb-dev '
}

missing_of_srv6() { # programs for the kernel, and tests that load them into namespaces
    command -v clang >/dev/null || command -v clang-14 >/dev/null || printf 'clang '
    pkg-config --exists libbpf 2>/dev/null || printf 'libbpf-dev '
    PATH="$PATH:/usr/sbin:/sbin"
    command -v bpftool >/dev/null || printf 'bpftool '
    command -v tc >/dev/null || printf 'iproute2 '
    command -v ethtool >/dev/null || printf 'ethtool '
}

missing_of_lab() { # the same for `make up`, where hosts of measured packets are started
    [ "$(id -u)" -eq 0 ] && [ "${SEXTANT_DATAPLANE:-1}" != 0 ] && [ "${SEXTANT_LAB_HOSTS:-}" != 0 ] || return 0
    missing_of_srv6
}

can_do_without_dataplane() {
    [ "$command" != test ] && [ "$command" != bench ]
}

apt_install() {
    DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends -o DPkg::Lock::Timeout=120 "$@"
}

install_prerequisites() {
    missing=$(missing_packages)
    lacking=''
    [ "${SEXTANT_DATAPLANE:-1}" = 0 ] || ! can_do_without_dataplane || lacking="$(missing_of_dataplane)$(missing_of_lab)"
    if [ -z "$missing$lacking" ] && find_rust; then
        say 1 Prerequisites "there"
        return
    fi
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
        if [ -z "$missing" ] && find_rust; then
            say 1 Prerequisites "there, those of the data plane excepted"
            return
        fi
        missing="$missing$lacking"
        name_prerequisites
    fi
    if [ -z "$missing" ] && find_rust; then
        install_for_dataplane
        return
    fi
    logged "apt-get update" apt-get -q update
    if ! find_rust; then
        rust=$(rust_packages)
        missing="$missing${rust:-curl ca-certificates }" # the latter to ask rustup
    fi
    printf 'Installing %s\n' "$missing"
    # shellcheck disable=SC2086 # a list of words
    logged "apt-get" apt_install $missing
    missing=$(missing_packages)
    [ -z "$missing" ] || fail "apt-get installed all, yet these are missing or too old: $missing" \
        "install Python 3.11 to 3.14 with venv, gcc, meson, ninja and the development files of $libraries by hand"
    if ! find_rust; then
        printf 'Installing Rust with rustup\n'
        logged "rustup" run_rustup
        find_rust || fail "$(rust_is_missing)" "$rustup (https://rustup.rs), then 'make $command' again"
    fi
    install_for_dataplane
}

install_for_dataplane() { # where that fails the data plane is left out, which its own step says with the cause
    if [ -n "$lacking" ]; then
        printf 'Installing %s\n' "$lacking"
        mkdir -p "$data/log"
        chmod 700 "$data"
        # shellcheck disable=SC2086 # a list of words
        { apt-get -q update && apt_install $lacking; } >"$log" 2>&1 || printf 'It could not be installed: %s\n' "$log"
    fi
    say 1 Prerequisites "$(($(date +%s) - began)) s"
}

name_prerequisites() { # to somebody who may not install them
    cause='' next=''
    if ! find_rust; then
        cause="$(rust_is_missing)
"
        next="$rustup (https://rustup.rs; needs no root), then "
    fi
    if [ -n "$missing" ]; then
        cause="${cause}These are missing (by Debian's names): $missing
Sextant needs Python 3.11 to 3.14 with venv, gcc, meson, ninja, pkg-config, the development files of $libraries,
and util-linux."
        install="apt-get update && apt-get install -y --no-install-recommends $missing"
        next="${next}sudo sh -c '$install', then "
    fi
    fail "$cause" "${next}'make $command' again"
}

rust_sources() { # of the native cores of the placement engine and the twin
    find engine twin -path '*/target' -prune -o -type f \( -path '*/src/*.rs' -o -name 'Cargo.*' \) -print |
        LC_ALL=C sort
}

inputs() { # what .venv is made from; its scripts hold absolute paths, so a clone that moved needs another one
    hash=$({
        cat uv.lock pyproject.toml ./*/pyproject.toml
        rust_sources | xargs sha256sum
        "$1" -c 'import sys; print(sys.version)'
    } | sha256sum)
    printf '%s %s\n' "${hash%% *}" "$(pwd)"
}

moved() {
    [ -f .venv/.sextant-stamp ] && [ "$(cut -d ' ' -f 2- .venv/.sextant-stamp)" != "$(pwd)" ]
}

natives_there() {
    [ -f engine/src/sextant_engine/_core.abi3.so ] && [ -f twin/src/sextant_twin/_core.abi3.so ]
}

synced() { # synced OPTION...
    env -u VIRTUAL_ENV UV_PYTHON_DOWNLOADS=never .venv/bin/uv sync --frozen --all-packages --compile-bytecode "$@"
}

# JAX, with which School trains networks (the lab's extra `learn`). Nothing else wants it, so all else goes on where it
# cannot be had; that is tried once for these packages, and again with SEXTANT_LEARN=1.
install_learn() {
    [ "${SEXTANT_LEARN:-1}" != 0 ] || return 0
    packages=$(cut -d ' ' -f 1 .venv/.sextant-stamp)
    known=$(cat .venv/.sextant-learn 2>/dev/null || :)
    [ "$known" != "there $packages" ] || return 0
    [ "$known" != "failed $packages" ] || [ -n "${SEXTANT_LEARN:-}" ] || return 0
    make_log_folder
    if synced --extra learn >"$data/log/bootstrap-learn.log" 2>&1; then
        echo "there $packages" >.venv/.sextant-learn
    else
        echo "failed $packages" >.venv/.sextant-learn
        printf '      No networks are trained here: JAX could not be installed: %s\n      Next: make %s SEXTANT_LEARN=1\n' \
            "$data/log/bootstrap-learn.log" "$command"
    fi
}

sync_python() {
    python=.venv/bin/python
    if [ -x $python ] && natives_there && [ "$(cat .venv/.sextant-stamp 2>/dev/null)" = "$(inputs $python)" ]; then
        install_learn
        say 2 "Python packages" "unchanged"
        return
    fi
    if moved || ! usable_python $python; then # none yet, or its interpreter has gone
        rm -rf .venv
        logged "python -m venv" "$(find_python)" -m venv --prompt sextant .venv
    fi
    if [ "$(.venv/bin/uv --version 2>/dev/null | cut -d ' ' -f 2)" != "$pinned_uv" ]; then
        $python -m pip --version >/dev/null 2>&1 || logged "python -m ensurepip" $python -m ensurepip
        logged "pip install uv" $python -m pip install --disable-pip-version-check "uv==$pinned_uv"
    fi
    # Engine and twin always anew: uv may hold their wheels ready, but that of an editable package holds no native core.
    rm -f .venv/.sextant-learn
    logged "uv sync" synced --reinstall-package sextant-engine --reinstall-package sextant-twin
    inputs $python >.venv/.sextant-stamp
    install_learn
    say 2 "Python packages" "$(($(date +%s) - began)) s"
}

if [ -n "${SEXTANT_PYTHON:-}" ] && ! usable_python "$SEXTANT_PYTHON"; then
    fail "SEXTANT_PYTHON: $SEXTANT_PYTHON is no Python 3.11 to 3.14 with venv and ensurepip" \
        "name another one, or none: /usr/bin/python3 is taken then, and else the first of the path"
fi
. run/rust.sh
began=$(date +%s)
install_prerequisites
exec 9<run/bootstrap.sh # two at once: the second waits, then finds all done
flock -w 900 9 || fail "another 'make' has been setting up .venv for 15 minutes" "end it, then 'make $command' again"
began=$(date +%s)
sync_python
exec 9>&-
[ "$command" != python ] || exit 0
if [ "$command" = bench ]; then
    shift
    exec .venv/bin/python bench "$@"
fi
exec .venv/bin/python -m sextant_run "$@"
