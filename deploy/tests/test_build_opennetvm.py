"""deploy/agent/build-opennetvm.sh: says what is wrong with a checkout, and puts right what DPDK has renamed.

The checkout here is a few files of the test's own that use the old names as OpenNetVM v21.10 does; a true one is built
with SEXTANT_ONVM_SOURCE, see agent/tests/conftest.py.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "agent" / "build-opennetvm.sh"
TARGET = "x86_64-native-linuxapp-gcc"
HAS_DPDK = (
    shutil.which("pkg-config") and not subprocess.run(["pkg-config", "--exists", "libdpdk"], check=False).returncode
)

COMMON = """
#include <rte_ether.h>
#include <rte_mbuf.h>
struct onvm_pkt_meta { uint8_t action; uint16_t destination; uint16_t src; uint8_t chain_index; uint8_t flags; };
static inline struct onvm_pkt_meta *meta_of(struct rte_mbuf *pkt) { return (struct onvm_pkt_meta *)&pkt->udata64; }
uint8_t letter(struct rte_ether_hdr *hdr, struct rte_mbuf *pkt);
"""
LIBRARY = """
#include <netinet/in.h>
#include "onvm_common.h"
uint8_t letter(struct rte_ether_hdr *hdr, struct rte_mbuf *pkt) {
    struct sockaddr_in local;
    local.sin_addr.s_addr = INADDR_ANY;
    struct rte_ether_addr d_addr = hdr->s_addr;
    pkt->ol_flags |= PKT_TX_IPV4 | PKT_TX_IP_CKSUM;
    local.sin_port = 0;
    return (hdr->d_addr.addr_bytes[0] ^ d_addr.addr_bytes[0]) + !!isprint(meta_of(pkt)->flags) + local.sin_port;
}
"""
INIT = """
#include <stdio.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include "onvm_common.h"
static const struct rte_eth_conf port_conf = {
    .rxmode = {
            .mq_mode = ETH_MQ_RX_RSS,
            .max_rx_pkt_len = RTE_ETHER_MAX_LEN,
            .split_hdr_size = 0,
            .offloads = DEV_RX_OFFLOAD_CHECKSUM,
        },
    .txmode = {.mq_mode = ETH_MQ_TX_NONE, .offloads = (DEV_TX_OFFLOAD_IPV4_CKSUM | DEV_TX_OFFLOAD_UDP_CKSUM)},
};
int started(int argc, char *argv[]) {
        int retval = rte_eal_init(argc, argv);
        if (retval < 0)
                return -1;
        argc -= retval;
        argv += retval;
        struct rte_eth_dev_info dev_info = {0};
        struct rte_eth_txconf txq_conf;
        struct rte_eth_conf local_port_conf = port_conf;
        rte_eth_dev_info_get(0, &dev_info);
        local_port_conf.rx_adv_conf.rss_conf.rss_hf &= dev_info.flow_type_rss_offloads;
        if (argc > 1) {
                local_port_conf.rxmode.max_rx_pkt_len = 9600 + RTE_ETHER_CRC_LEN + RTE_ETHER_HDR_LEN;
                local_port_conf.rxmode.offloads |= DEV_RX_OFFLOAD_JUMBO_FRAME;
        }
        txq_conf.offloads = port_conf.txmode.offloads;
        printf("field %d, mtu %u, offloads %d %d %d\\n", rte_mbuf_dynfield_lookup("onvm_pkt_meta", NULL),
            local_port_conf.rxmode.mtu, local_port_conf.rxmode.offloads == 0, local_port_conf.txmode.offloads == 0,
            txq_conf.offloads == 0);
        return 0;
}
"""
FILES = {
    "onvm/lib/helper.c": "int helper = 1;\n",
    "onvm/onvm_nflib/onvm_common.h": COMMON,
    "onvm/onvm_nflib/library.c": LIBRARY,
    "onvm/onvm_mgr/onvm_init.c": INIT,
    "onvm/onvm_mgr/main.c": "int started(int, char **);\nint main(int c, char **v) { return started(c, v); }\n",
    "examples/simple_forward/forward.c": '#include "onvm_common.h"\nint main(void) { return letter == 0; }\n',
    "examples/ndpi_stats/ndpi_stats.c": "#error wants nDPI\n",
}


def _checkout(folder: Path, **changed: str) -> Path:
    for name, text in {**FILES, **changed}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def _build(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", SCRIPT, *words], check=False, capture_output=True, text=True, timeout=300)


@pytest.mark.skipif(not HAS_DPDK, reason="pkg-config finds no libdpdk")
def test_old_names_are_put_right_in_a_copy_and_binaries_lie_where_the_makefiles_put_them(tmp_path: Path) -> None:
    """The manager prints it: 8 bytes of headers are its own, at byte 120 of 128; a port without offloads
    is asked for none, and its MTU is 1500."""
    checkout, output = _checkout(tmp_path / "checkout"), tmp_path / "output"
    done = _build("--jobs", "1", checkout, output)
    assert done.returncode == 0, done.stderr
    assert "built the manager and 1 NFs against DPDK" in done.stdout and f'home = "{output}"' in done.stdout
    assert {name: (checkout / name).read_text() for name in FILES} == FILES, "a checkout is not changed"
    manager = output / "onvm" / "onvm_mgr" / TARGET / "onvm_mgr"
    cpu = str(min(os.sched_getaffinity(0)))
    eal = ["--no-huge", "--no-shconf", "--no-telemetry", "--no-pci", "-m", "64", "-l", cpu]
    said = subprocess.run([manager, *eal], check=False, capture_output=True, text=True, timeout=60)
    assert "field 120, mtu 1500, offloads 1 1 1" in said.stdout, said.stderr
    nf = output / "examples" / "simple_forward" / "build" / "app" / "simple_forward"
    assert subprocess.run([nf], check=False, timeout=60).returncode == 0
    assert not (output / "examples" / "ndpi_stats").exists()


def test_help_says_what_it_changes() -> None:
    done = _build("--help")
    assert done.returncode == 0
    for word in ("CHECKOUT", "udata64", "No file of CHECKOUT is changed", "DPDK 22.11", "--flow-table"):
        assert word in done.stdout


def test_what_is_wrong_is_named_with_the_next_step(tmp_path: Path) -> None:
    ported = _checkout(tmp_path / "ported", **{"onvm/onvm_nflib/onvm_common.h": "/* dynfield1 */\n"})
    for words, status, said in (
        ([tmp_path], 1, "is no checkout of OpenNetVM: it has no onvm/onvm_mgr/onvm_init.c (git clone -b v21.10"),
        ([ported], 1, "its packets have no udata64 (git checkout v21.10)"),
        (["--jobs", "0", ported], 1, "--jobs wants a number from 1, not '0'"),
        (["--flow-table", "maybe", ported], 1, "--flow-table is on or off, not 'maybe'"),
        (["--fast", ported], 1, "unknown option --fast; see --help"),
        ([], 2, "usage: sh build-opennetvm.sh"),
    ):
        done = _build(*words)
        assert (done.returncode, done.stdout) == (status, "")
        assert said in done.stderr


@pytest.mark.skipif(not HAS_DPDK, reason="pkg-config finds no libdpdk")
def test_a_compiler_that_fails_leaves_no_binary(tmp_path: Path) -> None:
    checkout = _checkout(tmp_path / "checkout", **{"onvm/lib/helper.c": "int helper = ;\n"})
    done = _build(checkout)
    assert done.returncode == 1
    assert "does not compile it against DPDK" in done.stderr and "helper.c" in done.stderr
    assert not (checkout / "onvm" / "onvm_mgr" / TARGET).exists()
