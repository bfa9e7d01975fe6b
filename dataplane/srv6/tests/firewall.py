"""A chain whose first NF is in the kernel, packets for its rules, and what it let pass."""

import socket
import struct
import sys
from pathlib import Path
from typing import Any

from .hosts import DEVICES, SIDS, TAG, Chain, Client, Hosts, wait_for
from .load import ETHERNET, IPV4, IPV6, received

NF = {"nf_id": "c.one", "tag": TAG, "sid": SIDS[0], "device": DEVICES["c.one"], "segments": 3}
ALLOW: dict[str, Any] = {"rules": [], "default_action": "allow"}
UDP, TCP, ICMP, FRAGMENT, HOP_BY_HOP = 17, 6, 1, 44, 0


def firewalled(pair: Hosts) -> Chain:
    """Its first NF becomes one in the kernel."""
    chain = Chain(pair)
    chain.nfs[0].kill()
    chain.nfs[0].wait()
    chain.one.call("remove", nf_id="c.one")
    chain.one.call("add_firewall", **NF, **ALLOW)
    return chain


def rule(action: str, **conditions: Any) -> dict[str, Any]:
    return {"action": action, **conditions}


def counts(client: Client) -> tuple[int, int]:
    (found,) = client.call("firewalls")["firewalls"]
    assert found["nf_id"] == "c.one"
    return found["passed"], found["filtered"]


def ipv4(
    number: int, protocol: int = UDP, src: str = "10.9.0.1", dst: str = "10.9.0.2", port: int = 5300,
    first: int = 0x45, fragment: int = 0,
) -> bytes:  # fmt: skip
    """Without checksums, which nobody on the way looks at."""
    payload = struct.pack("!II", 0x53345236, number)
    inner = struct.pack("!HHHH", 5000, port, 8 + len(payload), 0) + payload
    options = bytes(4 * (first & 15) - 20)
    start = struct.pack("!BBHHHBBH", first, 0, 20 + len(options) + len(inner), 0, fragment, 64, protocol, 0)
    return ETHERNET + IPV4 + start + socket.inet_aton(src) + socket.inet_aton(dst) + options + inner


def ipv6(
    number: int, protocol: int = UDP, src: str = "2001:db8::1", dst: str = "2001:db8::2", port: int = 5300
) -> bytes:
    payload = struct.pack("!II", 0x53345236, number)
    inner = struct.pack("!HHHH", 5000, port, 8 + len(payload), 0) + payload
    if protocol in {FRAGMENT, HOP_BY_HOP}:
        inner = bytes([UDP, 0, 0, 0, 0, 0, 0, 0]) + inner
    ends = socket.inet_pton(socket.AF_INET6, src) + socket.inet_pton(socket.AF_INET6, dst)
    return ETHERNET + IPV6 + struct.pack("!IHBB", 6 << 28, len(inner), protocol, 64) + ends + inner


def passes(chain: Chain, packets: list[bytes]) -> list[bool]:
    """Of packets that are numbered from 0 on, those that came out; the kernel has counted all of them."""
    before = counts(chain.one)
    for packet in packets:
        chain.source.send(packet)
    wait_for(lambda: sum(counts(chain.one)) - sum(before) >= len(packets), "the kernel to have counted them")
    passed = counts(chain.one)[0] - before[0]
    got = received(chain.sink, passed)
    assert sum(counts(chain.one)) - sum(before) == len(packets) and len(got) == passed == len(set(got))
    return [number in got for number in range(len(packets))]


def tables(pair: Hosts) -> list[str]:
    """Of the first host's namespace."""
    return in_tables(pair, "list").split()


def in_tables(pair: Hosts, *words: str) -> str:
    return pair.all[0].inside(sys.executable, Path(__file__).with_name("nft_tables.py"), *words)
