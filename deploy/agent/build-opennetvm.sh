#!/bin/sh
# Builds OpenNetVM v21.10, manager and NFs, against the DPDK that pkg-config finds; OpenNetVM's own makefiles want
# rte.vars.mk, which DPDK has no more since 20.11. See --help.
set -eu

TARGET=x86_64-native-linuxapp-gcc
MADE_FOR=22.11
FEWEST=21.11

usage() {
    cat <<TEXT
usage: sh build-opennetvm.sh [--jobs N] [--flow-table on|off] CHECKOUT [OUTPUT]

Builds the manager and the example NFs of an OpenNetVM v21.10 CHECKOUT against libdpdk, DPDK $MADE_FOR (Debian 12:
apt install gcc pkg-config libdpdk-dev). No file of CHECKOUT is changed: sources are copied, what DPDK has renamed is
put right in the copy, and the binaries go where OpenNetVM's makefiles would put them,

    onvm/onvm_mgr/$TARGET/onvm_mgr
    examples/NAME/build/app/NAME

below OUTPUT, or below CHECKOUT without it. That folder is the \`home\` of opennetvm.toml.

  --jobs N             compilers at once (default: one a CPU)
  --flow-table on|off  look packets up in OpenNetVM's SDN flow table first (default: on, as its makefiles do)
  --help               this text

What is changed in the copy:
  udata64 of a packet        a dynamic field of 8 bytes at the end of the packet's header, registered by the manager
  s_addr, d_addr             src_addr, dst_addr of Ethernet headers
  ETH_*, DEV_*, PKT_* names  their RTE_ names
  max_rx_pkt_len, JUMBO      mtu
  split_hdr_size             gone
  offloads of a port         those that it has of the wanted ones: DPDK $MADE_FOR refuses a port the others, and the virtual
                             ones (net_null, net_pcap, ...) have next to none
Left out: ndpi_stats and NFD, which want libraries of their own, and pcap files in speed_tester.
TEXT
}

fail() {
    printf 'build-opennetvm.sh: %s\n' "$*" >&2
    exit 1
}

renames() {
    cat <<'EDITS'
s/\b(DEV_[RT]X_OFFLOAD_[A-Z0-9_]+)\b/RTE_ETH_\1/g
s/RTE_ETH_DEV_/RTE_ETH_/g
s/\bETH_(MQ_[RT]X_[A-Z]+|RSS_[A-Z0-9_]+|LINK_[A-Z_]+)\b/RTE_ETH_\1/g
s/\bPKT_TX_(IPV4|IP_CKSUM|TCP_CKSUM|UDP_CKSUM)\b/RTE_MBUF_F_TX_\1/g
s/(->|\.)s_addr\b/\1src_addr/g
s/(->|\.)d_addr\b/\1dst_addr/g
s/sin_addr\.src_addr/sin_addr.s_addr/g
s/\budata64\b/dynfield1[ONVM_META_WORD]/g
EDITS
}

# Of the manager's start of ports: a frame's length has become an MTU, and what a port has not is not asked of it.
port_edits() {
    cat <<'EDITS'
s/\.max_rx_pkt_len = RTE_ETHER_MAX_LEN/.mtu = RTE_ETHER_MTU/
/\.split_hdr_size = 0/d
s/rxmode\.max_rx_pkt_len = 9600 .*;/rxmode.mtu = 9600;/
/RX_OFFLOAD_JUMBO_FRAME/d
s/txq_conf\.offloads = port_conf\./txq_conf.offloads = local_port_conf./
/^ *local_port_conf\.rx_adv_conf\.rss_conf\.rss_hf &=/i\
        local_port_conf.rxmode.offloads &= dev_info.rx_offload_capa;\
        local_port_conf.txmode.offloads &= dev_info.tx_offload_capa;
/^ *argc -= retval;/i\
        if (onvm_meta_reserve() < 0)\
                rte_exit(EXIT_FAILURE, "Cannot reserve 8 bytes of packet headers: another part of DPDK has them\\n");
EDITS
}

# Eight bytes of every packet's header that DPDK gives to nobody else once they are registered.
meta_header() {
    cat <<'TEXT'
#pragma once
#include <ctype.h>
#include <stddef.h>
#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>

#define ONVM_META_WORD 7 /* of the 9 words of dynfield1: the last two, on a boundary of 8 bytes */

static inline int
onvm_meta_reserve(void) {
        static const struct rte_mbuf_dynfield field = {.name = "onvm_pkt_meta", .size = 8, .align = 8};
        return rte_mbuf_dynfield_register_offset(&field, offsetof(struct rte_mbuf, dynfield1[ONVM_META_WORD]));
}
TEXT
}

jobs=$(nproc)
flows=-DFLOW_LOOKUP
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) usage; exit 0 ;;
    --jobs)
        jobs=${2-}
        case $jobs in '' | *[!0-9]* | 0) fail "--jobs wants a number from 1, not '$jobs'" ;; esac
        shift 2 ;;
    --flow-table)
        case ${2-} in on) flows=-DFLOW_LOOKUP ;; off) flows= ;; *) fail "--flow-table is on or off, not '${2-}'" ;; esac
        shift 2 ;;
    -*) fail "unknown option $1; see --help" ;;
    *) break ;;
    esac
done
[ $# -ge 1 ] && [ $# -le 2 ] || { usage >&2; exit 2; }

[ -f "$1/onvm/onvm_mgr/onvm_init.c" ] ||
    fail "$1 is no checkout of OpenNetVM: it has no onvm/onvm_mgr/onvm_init.c (git clone -b v21.10 https://github.com/sdnfv/openNetVM)"
checkout=$(cd "$1" && pwd)
grep -q udata64 "$checkout/onvm/onvm_nflib/onvm_common.h" ||
    fail "$checkout is not OpenNetVM v21.10, or was changed for another DPDK already: its packets have no udata64 (git checkout v21.10)"
for tool in gcc ar sed pkg-config xargs; do
    command -v $tool >/dev/null || fail "$tool is missing (Debian 12: apt install gcc binutils pkg-config)"
done
pkg-config --exists libdpdk || fail "pkg-config finds no libdpdk (Debian 12: apt install libdpdk-dev; or set PKG_CONFIG_PATH)"
version=$(pkg-config --modversion libdpdk)
pkg-config --atleast-version=$FEWEST libdpdk ||
    fail "libdpdk is $version; the names used here are DPDK's since $FEWEST (made for $MADE_FOR)"
case $version in
$MADE_FOR | $MADE_FOR.*) ;;
*) printf 'build-opennetvm.sh: made for DPDK %s, and tried on it alone; this is %s\n' $MADE_FOR "$version" >&2 ;;
esac
output=${2:-$checkout}
mkdir -p "$output" || fail "$output cannot be made"
output=$(cd "$output" && pwd)

work=$(mktemp -d "${TMPDIR:-/tmp}/build-opennetvm.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cp -r "$checkout/onvm" "$checkout/examples" "$work/"
renames >"$work/renames.sed"
port_edits >"$work/ports.sed"
meta_header >"$work/onvm_meta.h"
find "$work/onvm" "$work/examples" -name '*.[ch]' -exec sed -E -i -f "$work/renames.sed" {} +
sed -E -i -f "$work/ports.sed" "$work/onvm/onvm_mgr/onvm_init.c"

# OpenNetVM defines variables in headers, and casts packets to other types; its warnings are its own.
flags="-O3 -w -D_GNU_SOURCE -fcommon -fno-strict-aliasing $(pkg-config --cflags libdpdk) -include $work/onvm_meta.h
    -I$work/onvm -I$work/onvm/onvm_nflib -I$work/onvm/lib $flows"
libraries="$(pkg-config --libs libdpdk) -lm -lpthread -lrt"

# compile FILE...: each to an object beside it.
compile() {
    # shellcheck disable=SC2086 # several words each
    printf '%s\n' "$@" | xargs -P "$jobs" -I FILE sh -c 'flags=$1; gcc $flags -c "$2" -o "${2%.c}.o"' compile "$flags" FILE ||
        fail "gcc $(gcc -dumpversion) does not compile it against DPDK $version (above); is $checkout unchanged v21.10?"
}

# place OBJECT... FILE: linked with OpenNetVM's library. A binary that runs is replaced, not written into.
place() {
    for result in "$@"; do :; done
    mkdir -p "$(dirname "$result")"
    # shellcheck disable=SC2086
    gcc -o "$result.new" $(for word in "$@"; do [ "$word" = "$result" ] || printf '%s ' "$word"; done) \
        "$work/libonvm.a" $libraries || fail "$result does not link (above)"
    mv -f "$result.new" "$result"
}

# shellcheck disable=SC2046
compile $(find "$work/onvm" "$work/examples" -name '*.c' ! -path '*/NFD/*' ! -path '*/ndpi_stats/*')
ar rcs "$work/libonvm.a" "$work"/onvm/onvm_nflib/*.o "$work"/onvm/lib/*.o
place "$work"/onvm/onvm_mgr/*.o "$output/onvm/onvm_mgr/$TARGET/onvm_mgr"
built=0
for folder in "$work"/examples/*/; do
    name=$(basename "$folder")
    case $name in NFD | ndpi_stats) continue ;; esac
    set -- "$folder"*.o
    [ -e "$1" ] || continue
    place "$@" "$output/examples/$name/build/app/$name"
    built=$((built + 1))
done
mkdir -p "$output/onvm_web"
printf 'built the manager and %s NFs against DPDK %s\n' $built "$version"
printf 'in opennetvm.toml: home = "%s"; then ask: sextant-agent doctor\n' "$output"
