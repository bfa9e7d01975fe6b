"""A veth pair in a namespace of its own, a packet socket at either end, and a program of an NF at one of them."""

import ctypes
import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from .conftest import DATAPLANE, Client, wait_for

SHELL = DATAPLANE / "build" / "sextant-srv6-nf"
MTU = 1700
NOBODY = 65534
CLONE_NEWNET = 0x40000000
SOL_PACKET, PACKET_IGNORE_OUTGOING = 263, 23
ANY_PROTOCOL = 3
_NUMBERS = itertools.count()


def shell(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}"
    return done.stdout


def why_not() -> str | None:
    if os.geteuid() != 0:
        return "namespaces and packet sockets take root"
    if shutil.which("ip") is None:
        return "iproute2 is not installed"
    done = subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False)
    return None if done.returncode == 0 else f"no namespaces: {done.stderr.decode().strip()}"


def packet_socket(namespace: str, interface: str) -> socket.socket:
    """Opened in the namespace; this thread is back in its own afterwards."""
    setns = ctypes.CDLL(None, use_errno=True).setns
    with Path("/proc/thread-self/ns/net").open() as own, Path(f"/run/netns/{namespace}").open() as other:
        assert setns(other.fileno(), CLONE_NEWNET) == 0
        try:
            made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ANY_PROTOCOL))
            made.bind((interface, 0))
        finally:
            assert setns(own.fileno(), CLONE_NEWNET) == 0
    return made


class Wire:
    """The host's end of the pair as `host`; the other as `nf`, for a program to inherit."""

    def __init__(self, namespace: str) -> None:
        self.namespace = namespace
        self.host = packet_socket(namespace, "host")
        self.host.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        self.host.settimeout(10)
        self.nf = packet_socket(namespace, "nf")

    def exchange(self, *frames: bytes) -> list[bytes]:
        """What comes back for frames of which none is dropped."""
        for frame in frames:
            self.host.send(frame)
        return [self.host.recv(65536) for _ in frames]

    def close(self) -> None:
        self.host.close()
        self.nf.close()


@contextmanager
def wire(mtu: int = MTU) -> Iterator[Wire]:
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    namespace = f"sxwire{os.getpid()}-{next(_NUMBERS)}"
    shell("ip", "netns", "add", namespace)
    try:
        inside = ("ip", "netns", "exec", namespace)
        shell(*inside, "sysctl", "-qw", "net.ipv6.conf.default.disable_ipv6=1")
        pair = ("name", "host", "mtu", str(mtu), "type", "veth", "peer", "name", "nf", "mtu", str(mtu))
        shell("ip", "-n", namespace, "link", "add", *pair)
        for interface in ("host", "nf"):
            shell("ip", "-n", namespace, "link", "set", interface, "up")
        made = Wire(namespace)
        try:
            yield made
        finally:
            made.close()
    finally:
        shell("ip", "netns", "delete", namespace)


class Program:
    """A started program with its control socket; it runs as nobody, without any privilege."""

    def __init__(self, process: "subprocess.Popen[bytes]", path: Path, log: Path) -> None:
        self.process, self.log = process, log

        def connected() -> Client | None:
            assert process.poll() is None, log.read_text()
            with suppress(FileNotFoundError, ConnectionRefusedError):
                return Client(path)
            return None

        self.client: Client = wait_for(connected, f"the control socket of {process.args!r}")

    def query(self) -> dict[str, Any]:
        return self.client.call("query")

    def counted(self, field: str, value: int) -> dict[str, Any]:
        """The query once a count is there."""

        def there() -> dict[str, Any] | None:
            now = self.query()
            return now if now[field] == value else None

        found: dict[str, Any] = wait_for(there, f"{field} {value}: {self.query()}")
        return found


@contextmanager
def program(binary: Path, *arguments: str, inherit: tuple[int, ...] = (), user: int = NOBODY) -> Iterator[Program]:
    """`arguments` without --control. Ends by SIGTERM, with status 0 and without its socket."""
    if not binary.exists():
        pytest.fail(f"{binary} is not built")
    folder = Path(tempfile.mkdtemp(prefix="sextant-"))
    folder.chmod(0o755)
    place = folder / "of-nobody"
    place.mkdir()
    os.chown(place, user, user)
    control = place / "control.sock"
    command = [str(binary), "--control", str(control), *arguments]
    try:
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(command, stderr=log, pass_fds=inherit, user=user, group=user, extra_groups=())
        try:
            yield Program(process, control, folder / "log")
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0, (folder / "log").read_text()
            assert not control.exists()
        finally:
            process.kill()
            process.wait()
    finally:
        shutil.rmtree(folder)


@contextmanager
def nf_program(made: Wire, kind: str, **config: Any) -> Iterator[Program]:
    inherited = made.nf.fileno()
    arguments = ("--fd", str(inherited), "--type", kind, "--config", json.dumps(config))
    with program(SHELL, *arguments, inherit=(inherited,)) as started:
        yield started
