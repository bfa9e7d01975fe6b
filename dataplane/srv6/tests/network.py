"""Two hosts, an NF beside each, a tenant at either end: namespaces joined by veth pairs; programs at the hosts' ports.

tenant1 -- edge [host1] core -- core [host2] edge -- tenant2
              nf |                     | nf
               [nf1]                 [nf2]
"""

import ipaddress
import itertools
import json
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
OBJECT, DECODE = ROOT / "build" / "srv6.bpf.o", ROOT / "build" / "sextant-srv6-decode"
TAG, DEVICES, NFS = 7, {1: 101, 2: 102}, {1: 11, 2: 12}
SIDS = ("fc00:0:1::1", "fc00:0:2::1", "fc00:0:2::e")
SOURCE = "fc00:0:1::"
LINKS = {
    "edge1": ("tenant1", "t1", "host1", "edge"),
    "nf1": ("host1", "nf", "nf1", "n1"),
    "core": ("host1", "core", "host2", "core"),
    "nf2": ("host2", "nf", "nf2", "n2"),
    "edge2": ("host2", "edge", "tenant2", "t2"),
}
PROGRAMS = {"edge": "srv6_edge", "core": "srv6_core", "nf": "srv6_nf_port"}
INTO = 1
TO_NF, TO_TENANT = 1, 2
_NUMBERS = itertools.count()


def shell(*command: str | Path) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(map(str, command))}: {done.stderr}"
    return done.stdout


def address(text: str) -> bytes:
    return ipaddress.IPv6Address(text).packed


def segment(sid: str, tag: int = TAG) -> bytes:
    return struct.pack("=HH", tag, 0) + address(sid)


def digits(value: bytes) -> list[str]:
    return ["hex", *(f"{byte:02x}" for byte in value)]


class Network:
    """Every name begins with this test's pid, so that two runs do not meet."""

    def __init__(self, pins: Path) -> None:
        self.pins = pins
        self.prefix = f"srv6t{os.getpid()}-{next(_NUMBERS)}-"

    def inside(self, namespace: str, *command: str | Path) -> list[str]:
        """The command in a namespace of network only: it sees the pins."""
        return ["nsenter", f"--net=/run/netns/{self.prefix}{namespace}", *(str(part) for part in command)]

    def start(self, namespace: str, *command: str | Path) -> "subprocess.Popen[str]":
        return subprocess.Popen(self.inside(namespace, *command), stdout=subprocess.PIPE, text=True)

    def python(self, namespace: str, script: str, *arguments: object) -> "subprocess.Popen[str]":
        script_path = str(Path(__file__).with_name(script))
        return self.start(namespace, sys.executable, script_path, *(str(argument) for argument in arguments))

    def link(self, namespace: str, interface: str) -> tuple[int, bytes]:
        """Its index and Ethernet address."""
        found = json.loads(shell(*self.inside(namespace, "ip", "-j", "link", "show", interface)))[0]
        return found["ifindex"], bytes.fromhex(found["address"].replace(":", ""))

    def way(self, host: str, port: str, to: bytes = b"\xff" * 6, flags: int = 0) -> bytes:
        index, own = self.link(host, port)
        return struct.pack("=II", index, flags) + to + own

    def put(self, host: str, name: str, key: bytes, value: bytes) -> None:
        shell(
            "bpftool", "map", "update", "pinned", self.pins / host / name, "key", *digits(key), "value", *digits(value)
        )

    def counts(self, host: str) -> list[int]:
        shown = json.loads(shell("bpftool", "-j", "map", "dump", "pinned", self.pins / host / "srv6_counts"))
        return [sum(value["value"] for value in entry["formatted"]["values"]) for entry in shown]

    def build(self, stack: ExitStack) -> None:
        for name in ("tenant1", "host1", "nf1", "host2", "nf2", "tenant2"):
            shell("ip", "netns", "add", self.prefix + name)
            stack.callback(shell, "ip", "netns", "delete", self.prefix + name)
            shell(*self.inside(name, "sysctl", "-qw", "net.ipv6.conf.default.accept_dad=0"))
        for left, one, right, other in LINKS.values():
            ends = ("name", one, "netns", self.prefix + left), ("name", other, "netns", self.prefix + right)
            shell("ip", "link", "add", *ends[0], "mtu", "1700", "type", "veth", "peer", *ends[1], "mtu", "1700")
            for namespace, interface in ((left, one), (right, other)):
                shell(*self.inside(namespace, "ip", "link", "set", interface, "up"))
                shell(*self.inside(namespace, "ethtool", "-K", interface, "tx", "off", "tso", "off", "gso", "off"))
        self._tenant("tenant1", "t1", 1, "tenant2", "t2", 2)
        self._tenant("tenant2", "t2", 2, "tenant1", "t1", 1)
        for number in (1, 2):
            self._host(f"host{number}", number)

    def _tenant(self, name: str, interface: str, own: int, peer: str, at: str, other: int) -> None:
        ether = ":".join(f"{byte:02x}" for byte in self.link(peer, at)[1])
        ip = self.inside(name, "ip")
        for mine, far in ((f"10.9.0.{own}/24", f"10.9.0.{other}"), (f"2001:db8::{own}/64", f"2001:db8::{other}")):
            shell(*ip, "address", "add", mine, "dev", interface)
            shell(*ip, "neighbour", "replace", far, "lladdr", ether, "dev", interface, "nud", "permanent")

    def _host(self, name: str, number: int) -> None:
        shell("bpftool", "prog", "loadall", OBJECT, self.pins / name, "pinmaps", self.pins / name)
        for port, program in PROGRAMS.items():
            tc = self.inside(name, "tc")
            shell(*tc, "qdisc", "add", "dev", port, "clsact")
            pinned = self.pins / name / program
            shell(*tc, "filter", "add", "dev", port, "ingress", "bpf", "direct-action", "pinned", pinned)
        prefix = struct.pack("=I", 32) + address("fc00::"), struct.pack("=I", 48) + address(f"fc00:0:{number}::")
        self.put(name, "srv6_locators", prefix[0], b"\x01")
        self.put(name, "srv6_locators", prefix[1], b"\x02")
        self.put(name, "srv6_sources", address(SOURCE), b"\x01")
        nf, device = NFS[number], DEVICES[number]
        self.put(name, "srv6_nf_states", struct.pack("=I", nf), bytes(48))
        index = struct.pack("=I", self.link(name, "nf")[0])
        self.put(name, "srv6_nf_ports", index, struct.pack("=IHH", nf, TAG, device))
        function = struct.pack("=IIHH", TO_NF, nf, device, 0) + self.way(name, "nf")
        self.put(name, "srv6_functions", segment(SIDS[number - 1]), function)
        if number == 1:
            path = struct.pack("=HHI", TAG, len(SIDS), 1700) + address(SOURCE) + b"".join(map(address, SIDS))
            path = path.ljust(24 + 16 * 8, b"\0")
            self.put(name, "srv6_paths", struct.pack("=I", self.link(name, "edge")[0]), path)
            self.put(name, "srv6_ways", segment(SIDS[0]), self.way(name, "core", flags=INTO))
            self.put(name, "srv6_ways", segment(SIDS[1]), self.way(name, "core"))
        else:
            tenant = self.way(name, "edge", to=self.link("tenant2", "t2")[1])
            self.put(name, "srv6_functions", segment(SIDS[2]), struct.pack("=IIHH", TO_TENANT, 0, 0, 0) + tenant)
            self.put(name, "srv6_ways", segment(SIDS[2]), self.way(name, "core", flags=INTO))


def why_not() -> str | None:
    if not OBJECT.exists():
        return f"{OBJECT} is not built"
    if os.geteuid() != 0:
        return "namespaces and eBPF programs take root"
    done = subprocess.run(
        ["unshare", "--net", "--mount", "mount", "-t", "bpf", "bpf", "/mnt"], capture_output=True, check=False
    )
    return None if done.returncode == 0 else f"no namespaces or no file system for pins: {done.stderr.decode().strip()}"


@contextmanager
def network(folder: Path) -> Iterator[Network]:
    """Gone afterwards, whatever happened: with the namespaces go filters, with the pins programs and maps."""
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    pins = folder / "pins"
    pins.mkdir()
    with ExitStack() as stack:
        shell("mount", "-t", "bpf", "bpf", pins)
        stack.callback(shell, "umount", pins)
        for host in ("host1", "host2"):
            (pins / host).mkdir()
        made = Network(pins)
        made.build(stack)
        yield made
