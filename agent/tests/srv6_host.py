"""A host of measured packets: a namespace with the root daemon in it, for tests of its driver."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from sextant_agent.drivers.srv6.driver import Srv6Driver
from sextant_agent.drivers.srv6.place import Srv6Place

from .orders import HOST
from .waiting import wait_for

DATAPLANE = Path(__file__).parents[2] / "dataplane"
DAEMON = DATAPLANE / "srv6/build/sextant-srv6"
PROGRAMS = (DATAPLANE / "build", DATAPLANE / "srv6/build")


def why_not() -> str | None:
    """Why there can be no such host here; None where there can."""
    if os.geteuid() != 0:
        return "namespaces and programs in the kernel need root"
    tried = subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False)
    return None if tried.returncode == 0 else "no network namespace can be made here"


def shell(*command: str | Path) -> str:
    """Raises where it fails."""
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout


def host_program(name: str) -> Path:
    """Where it is once it is built."""
    return PROGRAMS[name != "nf"] / f"sextant-srv6-{name}"


class Srv6Host:
    """The daemon can be ended and started again."""

    def __init__(self, folder: Path, name: str = "edge-1", number: int = 1) -> None:
        self.folder, self.name = folder, name
        self.namespace = f"srv6a{os.getpid()}-{name}"
        self.socket, self.pins = folder / f"{name}.sock", folder / "pins" / name
        self.prefix = f"fc00:0:{number}::/48"
        self.place = Srv6Place.model_validate({"daemon": self.socket, "programs": PROGRAMS, "locator": self.prefix})
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Until it answers."""
        self.socket.unlink(missing_ok=True)
        with (self.folder / "daemon.log").open("ab") as log:
            self.process = subprocess.Popen([*self._command(), "--socket", str(self.socket)], stderr=log)
        wait_for("the daemon's socket", self.socket.exists)

    def end(self, number: int = 15) -> None:
        """What it has set up stays."""
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait()
            self.process = None

    def clean(self) -> None:
        """All that is the host's goes."""
        self.end()
        shell(*self._command(), "--clean")

    def mac(self, link: str) -> str:
        """Its Ethernet address."""
        return str(json.loads(shell("ip", "-n", self.namespace, "-j", "link", "show", link))[0]["address"])

    def links(self) -> str:
        """All links of the namespace, with what is written on them."""
        return shell("ip", "-n", self.namespace, "-d", "link", "show")

    def _command(self) -> list[str]:
        namespace = f"/run/netns/{self.namespace}"
        return [str(DAEMON), "--pins", str(self.pins), "--host", self.name, "--netns", namespace]


@contextmanager
def srv6_hosts(folder: Path, *names: str) -> Iterator[list[Srv6Host]]:
    """Each with its daemon; gone afterwards, whatever happened."""
    for path in (DAEMON, *(host_program(name) for name in ("nf", "source", "sink"))):
        if not path.is_file():
            pytest.fail(f"{path} is missing: python -m sextant_run build dataplane, and build srv6", pytrace=False)
    hosts = [Srv6Host(folder, name, number) for number, name in enumerate(names, start=1)]
    with ExitStack() as stack:
        pins = folder / "pins"
        pins.mkdir()
        shell("mount", "-t", "bpf", "bpf", pins)
        stack.callback(shell, "umount", pins)
        for host in hosts:
            shell("ip", "netns", "add", host.namespace)
            stack.callback(shell, "ip", "netns", "delete", host.namespace)
            stack.callback(host.end)
            host.start()
        yield hosts


@contextmanager
def srv6_host(folder: Path) -> Iterator[Srv6Host]:
    """One."""
    with srv6_hosts(folder, "edge-1") as (host,):
        yield host


def new_driver(measured: Srv6Host, folder: Path) -> Srv6Driver:
    """Of that host; the next one in the same folder is its successor."""
    (folder / "state").mkdir(mode=0o700, exist_ok=True)
    return Srv6Driver(HOST, folder / "state", measured.place)


def join(one: Srv6Host, other: Srv6Host) -> None:
    """By a link, `core0` on both, that their files name."""
    ends = [("name", "core0", "mtu", "9200", "netns", host.namespace) for host in (one, other)]
    shell("ip", "link", "add", *ends[0], "type", "veth", "peer", *ends[1])
    for host in (one, other):
        shell("ip", "-n", host.namespace, "link", "set", "core0", "up")
    for host, peer in ((one, other), (other, one)):
        link = {"port": "core0", "mac": peer.mac("core0"), "to": [peer.prefix]}
        given = host.place.model_dump() | {"link": [link], "sources": [peer.place.source]}
        host.place = Srv6Place.model_validate(given)
