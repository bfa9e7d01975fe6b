"""Two hosts in namespaces, a daemon in each, joined by two links; a chain over both, its NFs, source and sink on passed
sockets.

                         core0 -- core0
edge, nf "c.one" [host1]                [host2] nf "c.two", exit
                         core1 -- core1
"""

import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from .network import OBJECT, ROOT, shell, why_not

DAEMON = Path(os.environ.get("SEXTANT_SRV6_DAEMON", ROOT / "build" / "sextant-srv6"))
WAIT_S = 10.0
CHAIN, TAG, MTU = "c", 7, 1700
SIDS = ("fc00:0:1::1", "fc00:0:2::1", "fc00:0:2::e")
SOURCE = "fc00:0:1::"
DEVICES = {"c.one": 101, "c.two": 102}
NOBODY = 65534
_NUMBERS = itertools.count()


class Refused(Exception):
    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error)
        self.code, self.field, self.message = error["code"], error["field"], error["message"]


def wait_for(condition: Callable[[], Any], what: str, within_s: float = WAIT_S) -> Any:
    """What `condition` returns once it is true; fails with `what` after the bound."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.01)
    pytest.fail(f"not within {within_s} s: {what}")


class Client:
    """One connection: a request a line, an answer a line, perhaps with a descriptor."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(WAIT_S)
        self.socket.connect(str(path))
        self.numbers = itertools.count(1)

    def raw(self, line: bytes) -> tuple[dict[str, Any], list[int]]:
        self.socket.sendall(line)
        return self.answer()

    def answer(self) -> tuple[dict[str, Any], list[int]]:
        text, passed = b"", []
        while not text.endswith(b"\n"):
            piece, descriptors, _, _ = socket.recv_fds(self.socket, 65536, 4)
            if not piece:
                raise ConnectionError(text)
            text += piece
            passed += descriptors
        return json.loads(text), passed

    def ask(self, op: str, **fields: Any) -> tuple[dict[str, Any], list[int]]:
        number = next(self.numbers)
        answer, passed = self.raw(json.dumps({"id": number, "op": op, **fields}).encode() + b"\n")
        assert answer["id"] == number
        if not answer["ok"]:
            raise Refused(answer["error"])
        return answer, passed

    def call(self, op: str, **fields: Any) -> dict[str, Any]:
        answer, passed = self.ask(op, **fields)
        assert passed == []
        return answer

    def add(self, op: str, **fields: Any) -> tuple[dict[str, Any], int]:
        answer, passed = self.ask(op, **fields)
        assert len(passed) == 1
        return answer, passed[0]


class Host:
    """A namespace and its daemon."""

    def __init__(self, folder: Path, pins: Path, name: str, namespace: str) -> None:
        self.name, self.namespace, self.pins = name, namespace, pins / name
        self.socket, self.log = folder / f"{name}.sock", folder / f"{name}.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.clients: list[Client] = []

    def command(self, *more: str) -> list[str]:
        return [
            str(DAEMON),
            "--pins",
            str(self.pins),
            "--host",
            self.name,
            "--netns",
            f"/run/netns/{self.namespace}",
            *more,
        ]

    def start(self, *more: str) -> Client:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command("--socket", str(self.socket), *more), stderr=log)
        return self.client()

    def client(self) -> Client:
        def connected() -> Client | None:
            assert self.process is not None and self.process.poll() is None, self.log.read_text()
            with suppress(FileNotFoundError, ConnectionRefusedError):
                return Client(self.socket)
            return None

        client: Client = wait_for(connected, "the daemon's socket")
        self.clients.append(client)
        return client

    def end(self, number: int = signal.SIGTERM) -> int:
        assert self.process is not None
        self.process.send_signal(number)
        for client in self.clients:
            client.socket.close()
        self.clients.clear()
        return self.process.wait(WAIT_S)

    def clean(self) -> None:
        shell(*self.command("--clean"))

    def inside(self, *command: str | Path) -> str:
        return shell("nsenter", f"--net=/run/netns/{self.namespace}", *command)

    def sent_by(self, interface: str) -> int:
        shown = json.loads(self.inside("ip", "-j", "-s", "link", "show", interface))[0]
        return int(shown["stats64"]["tx"]["packets"])

    def mac(self, interface: str) -> str:
        return str(json.loads(self.inside("ip", "-j", "link", "show", interface))[0]["address"])


class Hosts:
    def __init__(self, folder: Path, pins: Path, stack: ExitStack) -> None:
        prefix = f"srv6d{os.getpid()}-{next(_NUMBERS)}-"
        self.all = [Host(folder, pins, name, prefix + name) for name in ("host1", "host2")]
        self.stack = stack
        for host in self.all:
            shell("ip", "netns", "add", host.namespace)
            stack.callback(shell, "ip", "netns", "delete", host.namespace)
        for core in ("core0", "core1"):
            ends = [("name", core, "netns", host.namespace) for host in self.all]
            shell("ip", "link", "add", *ends[0], "mtu", str(MTU), "type", "veth", "peer", *ends[1], "mtu", str(MTU))
            for host in self.all:
                host.inside("ip", "link", "set", core, "up")
        for host in self.all:
            stack.callback(self._stop, host)

    @staticmethod
    def _stop(host: Host) -> None:
        if host.process is not None and host.process.poll() is None:
            host.end()

    def run_nf(self, descriptor: int, delay_s: float) -> "subprocess.Popen[str]":
        """As nobody: whoever has the socket needs no right."""
        script = Path(__file__).with_name("nf.py").read_text()
        nf = subprocess.Popen(
            [sys.executable, "-c", script, str(descriptor), str(delay_s)],
            stdout=subprocess.PIPE,
            text=True,
            pass_fds=[descriptor],
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
        )
        self.stack.callback(nf.wait)
        self.stack.callback(nf.kill)
        assert nf.stdout is not None and nf.stdout.readline() == "ready\n"
        os.close(descriptor)
        return nf

    def take(self, descriptor: int) -> socket.socket:
        opened = socket.socket(fileno=descriptor)
        self.stack.callback(opened.close)
        return opened


class Chain:
    """The chain of this module's picture, standing."""

    def __init__(self, hosts: Hosts, delays_s: tuple[float, float] = (0, 0)) -> None:
        one, two = (host.start() for host in hosts.all)
        self.hosts, self.one, self.two = hosts, one, two
        for number, client in enumerate((one, two), 1):
            own, others = f"fc00:0:{number}::/48", f"fc00:0:{3 - number}::/48"
            client.call("set_host", own=[own], others=[others], sources=[SOURCE])
            for port in ("core0", "core1"):
                client.call("attach", port=port, kind="core")
        ends = [
            one.add("add_nf", nf_id="c.one", tag=TAG, sid=SIDS[0], device=DEVICES["c.one"]),
            two.add("add_nf", nf_id="c.two", tag=TAG, sid=SIDS[1], device=DEVICES["c.two"]),
        ]
        self.nfs = [hosts.run_nf(end[1], delay) for end, delay in zip(ends, delays_s, strict=True)]
        self.edge, edge = one.add("add_edge", chain=CHAIN)
        self.exit, sink = two.add("add_exit", chain=CHAIN, tag=TAG, sid=SIDS[2])
        one.call("set_way", tag=TAG, sid=SIDS[0], local=True)
        one.call("set_way", tag=TAG, sid=SIDS[1], port="core0", mac=hosts.all[1].mac("core0"))
        two.call("set_way", tag=TAG, sid=SIDS[2], local=True)
        one.call("set_path", chain=CHAIN, tag=TAG, source=SOURCE, segments=list(SIDS), mtu=MTU)
        self.source, self.sink = hosts.take(edge), hosts.take(sink)


@contextmanager
def hosts(folder: Path) -> Iterator[Hosts]:
    """Gone afterwards, whatever happened."""
    reason = why_not() or (None if DAEMON.exists() else f"{DAEMON} is not built")
    if reason is not None:
        pytest.skip(reason)
    assert OBJECT.exists()
    pins = folder / "pins"
    pins.mkdir()
    with ExitStack() as stack:
        shell("mount", "-t", "bpf", "bpf", pins)
        stack.callback(shell, "umount", pins)
        yield Hosts(folder, pins, stack)
