"""TCP with offloads on: what a card would complete, or cut into packets, meets the programs incomplete and uncut."""

import hashlib
import json
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from .network import INTO, TO_TENANT, Network, address, network, segment, shell
from .tcp import content

OFFLOAD = 9
BYTES = 1_000_000
BACK_TAG, BACK_SOURCE, BACK_SID = 8, "fc00:0:2::", "fc00:0:1::e"
CUT_BY_THE_KERNEL = ("tx", "on", "tso", "off", "gso", "on", "tx-udp-segmentation", "off")
ALL_ON = ("tx", "on", "tso", "on", "gso", "on")
FAMILIES = pytest.mark.parametrize("to", ["10.9.0.2", "2001:db8::2"])


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    """Both ways: TCP wants its acknowledgements. Everywhere checksums are left to the card, as a veth has it, but for
    ports of NFs, which a daemon makes itself."""
    with network(tmp_path_factory.mktemp("tcp")) as made:
        lead_back(made)
        for name, port in (("host1", "edge"), ("host1", "core"), ("host2", "core"), ("host2", "edge")):
            offloads(made, name, port, "tx", "on")
        for name, port in (("tenant1", "t1"), ("tenant2", "t2")):
            shell(
                *made.inside(name, "ip", "link", "set", port, "mtu", "1500")
            )  # 1700 less the headers of three segments
        nfs = [made.python(f"nf{number}", "nf.py", f"n{number}", 0) for number in (1, 2)]
        try:
            for nf in nfs:
                assert nf.stdout is not None and nf.stdout.readline() == "ready\n"
            yield made
        finally:
            for nf in nfs:
                nf.kill()
                nf.communicate()


def lead_back(net: Network) -> None:
    """A chain without NFs, from the second host's tenant to the first one's."""
    path = struct.pack("=HHI", BACK_TAG, 1, 1700) + address(BACK_SOURCE) + address(BACK_SID)
    net.put("host2", "srv6_paths", struct.pack("=I", net.link("host2", "edge")[0]), path.ljust(24 + 16 * 8, b"\0"))
    net.put("host2", "srv6_ways", segment(BACK_SID, BACK_TAG), net.way("host2", "core"))
    net.put("host1", "srv6_sources", address(BACK_SOURCE), b"\x01")
    tenant = net.way("host1", "edge", to=net.link("tenant1", "t1")[1])
    function = struct.pack("=IIHH", TO_TENANT, 0, 0, 0) + tenant
    net.put("host1", "srv6_functions", segment(BACK_SID, BACK_TAG), function)
    net.put("host1", "srv6_ways", segment(BACK_SID, BACK_TAG), net.way("host1", "core", flags=INTO))


def offloads(net: Network, namespace: str, port: str, *settings: str) -> None:
    shell(*net.inside(namespace, "ethtool", "-K", port, *settings))


@contextmanager
def tenants(net: Network, *settings: str) -> Iterator[None]:
    """Both have their offloads so; afterwards cut by the kernel."""
    ends = (("tenant1", "t1"), ("tenant2", "t2"))
    for name, port in ends:
        offloads(net, name, port, *settings)
    try:
        yield
    finally:
        for name, port in ends:
            offloads(net, name, port, *CUT_BY_THE_KERNEL)


def damaged(net: Network) -> int:
    """Segments that the receiver's kernel dropped because their checksum was wrong."""
    lines = shell(*net.inside("tenant2", "cat", "/proc/net/snmp")).splitlines()
    names, values = (line.split()[1:] for line in lines if line.startswith("Tcp:"))
    return int(dict(zip(names, values, strict=True))["InCsumErrors"])


def receiving(net: Network, to: str, wait_s: float) -> "subprocess.Popen[str]":
    receiver = net.python("tenant2", "tcp.py", "receive", to, wait_s)
    assert receiver.stdout is not None and receiver.stdout.readline() == "ready\n"
    return receiver


def result(receiver: "subprocess.Popen[str]") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(receiver.communicate(timeout=60)[0].splitlines()[-1])
    return found


def is_beginning(found: dict[str, Any]) -> bool:
    return bool(hashlib.sha256(content(BYTES)[: found["bytes"]]).hexdigest() == found["digest"])


@FAMILIES
def test_checksums_that_are_left_to_the_card_are_completed_on_the_way(net: Network, to: str) -> None:
    """The programs move a half-made checksum with its packet; the kernel completes it at the first port that leaves
    nothing to a card: that of an NF."""
    with tenants(net, *CUT_BY_THE_KERNEL):
        refused, wrong = net.counts("host1")[OFFLOAD], damaged(net)
        receiver = receiving(net, to, 30)
        assert net.python("tenant1", "tcp.py", "send", to, BYTES, 30).wait(60) == 0
        found = result(receiver)
    assert (found["bytes"], found["whole"]) == (BYTES, True) and is_beginning(found)
    assert damaged(net) == wrong and net.counts("host1")[OFFLOAD] == refused


@FAMILIES
def test_several_packets_in_one_are_refused_at_the_edge_and_counted(net: Network, to: str) -> None:
    """What is small enough to be one packet passes, so that a connection stands and crawls: never is anything wrong."""
    with tenants(net, *ALL_ON):
        refused, wrong = net.counts("host1")[OFFLOAD], damaged(net)
        receiver = receiving(net, to, 2)
        sender = net.python("tenant1", "tcp.py", "send", to, BYTES, 30)
        end = time.monotonic() + 10
        while net.counts("host1")[OFFLOAD] == refused:
            assert time.monotonic() < end, "nothing was refused"
            time.sleep(0.02)
        sender.kill()
        sender.communicate()
        found = result(receiver)
    assert is_beginning(found) and damaged(net) == wrong
