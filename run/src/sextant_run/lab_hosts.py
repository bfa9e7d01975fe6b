"""Hosts on this machine whose packets measure themselves: a network namespace each, joined in a row, with a root daemon
and an agent of its own (docs/guides/measured-packets.md).

What they set up in the kernel outlives processes, so it is removed when the installation ends, and made again when it
starts.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from sextant_run.errors import RunError
from sextant_run.installation import Installation
from sextant_run.layout import DataLayout

MOST_LAB_HOSTS = 2
LABEL = "zone=lab"
MTU = 9200
"""Of links between hosts: what enters with 9000 bytes or less is wrapped."""
_TOOLS = ("ip", "mount", "umount")
_SHELL_LIMIT_S = 20


@dataclass(frozen=True, slots=True)
class LabHost:
    """One of them."""

    name: str
    number: int
    """From 1; its prefix is fc00:0:NUMBER::/48."""
    namespace: str
    port: int
    """Of its agent."""

    @property
    def prefix(self) -> str:
        """Of its segments."""
        return f"fc00:0:{self.number:x}::/48"

    @property
    def edge(self) -> str:
        """What its edges send from."""
        return f"fc00:0:{self.number:x}::"

    @property
    def namespace_file(self) -> Path:
        """As `ip netns` keeps it."""
        return Path("/run/netns") / self.namespace


def names(count: int) -> tuple[str, ...]:
    """lab-1 ..."""
    return tuple(f"lab-{number}" for number in range(1, count + 1))


def lab_hosts(present: Installation) -> tuple[LabHost, ...]:
    """All of an installation."""
    return _with_ports(present, present.lab_ports)


def _with_ports(present: Installation, ports: tuple[int, ...]) -> tuple[LabHost, ...]:
    return tuple(
        LabHost(name, number, f"sextant-{present.id[:8]}-{name}", port)
        for number, (name, port) in enumerate(zip(names(len(ports)), ports, strict=True), 1)
    )


def check_possible() -> None:
    """Raises RunError where this machine cannot have any."""
    why = None
    if os.geteuid() != 0:
        why = "namespaces and programs in the kernel need root"
    elif missing := [tool for tool in _TOOLS if shutil.which(tool) is None]:
        why = f"{', '.join(missing)} missing: apt-get install iproute2 mount"
    if why is not None:
        raise RunError(f"SEXTANT_LAB_HOSTS: {why}", "make up SEXTANT_LAB_HOSTS=0")


def prepare(layout: DataLayout, present: Installation) -> None:
    """Namespaces, links between neighbours and the agents' files; what is there stays. Raises RunError."""
    hosts = lab_hosts(present)
    if not hosts:
        return
    pins = layout.lab_pins
    pins.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not pins.is_mount():
        _shell("mount", "-t", "bpf", "-o", "mode=0700", "bpf", str(pins))
    for host in hosts:
        if not host.namespace_file.exists():
            _shell("ip", "netns", "add", host.namespace)
    for left, right in pairwise(hosts):
        _join(left, right)
    for host in hosts:
        _write_file(layout, host, hosts)


def daemon_command(layout: DataLayout, host: LabHost) -> tuple[str, ...]:
    """The root daemon of a host."""
    return (str(layout.srv6_daemon), "--socket", str(_socket(layout, host)), *_whereabouts(layout, host))


def agent_file(layout: DataLayout, host: LabHost) -> Path:
    """Its agent's srv6.toml."""
    return layout.agent_state(host.name) / "srv6.toml"


def is_lab_program(program: Path | None) -> bool:
    """Whether it moves packets of these hosts: NFs, sources and sinks, which outlive agent and daemon."""
    return program is not None and program.name in {f"sextant-srv6-{part}" for part in ("nf", "source", "sink")}


def remove(layout: DataLayout, present: Installation) -> list[str]:
    """All of it, of hosts that an earlier start had, too; once its processes have ended. Returns remarks for a person
    on what is left."""
    remarks = []
    for host in _with_ports(present, (0,) * MOST_LAB_HOSTS):
        if host.namespace_file.exists():
            if layout.srv6_daemon.is_file():
                remarks += _tried(str(layout.srv6_daemon), "--clean", *_whereabouts(layout, host))
            remarks += _tried("ip", "netns", "delete", host.namespace)
    if layout.lab_pins.is_mount():
        remarks += _tried("umount", str(layout.lab_pins))
    return remarks


def _whereabouts(layout: DataLayout, host: LabHost) -> tuple[str, ...]:
    """What the daemon keeps for a host, and where."""
    return ("--pins", str(layout.lab_pins / host.name), "--host", host.name, "--netns", str(host.namespace_file))


def _join(left: LabHost, right: LabHost) -> None:
    """`right` of the left one is `left` of the right one."""
    if _link(left, "right") is not None:
        return
    end = ("name", "right", "mtu", str(MTU), "netns", left.namespace)
    peer = ("name", "left", "mtu", str(MTU), "netns", right.namespace)
    _shell("ip", "link", "add", *end, "type", "veth", "peer", *peer)
    for host, link in ((left, "right"), (right, "left")):
        _shell("ip", "-n", host.namespace, "link", "set", link, "up")


def _write_file(layout: DataLayout, host: LabHost, hosts: tuple[LabHost, ...]) -> None:
    """Neighbours are reached by their link; nobody passes on for others."""
    lines = [
        f"daemon = {json.dumps(str(_socket(layout, host)))}",
        f"programs = {json.dumps([str(layout.runner.parent), str(layout.srv6_daemon.parent)])}",
        f"locator = {json.dumps(host.prefix)}",
        f"sources = {json.dumps([other.edge for other in hosts if other is not host])}",
    ]
    for link, neighbour in _neighbours(host, hosts):
        back = "left" if link == "right" else "right"
        found = {"port": link, "mac": _link(neighbour, back), "to": [neighbour.prefix], "mtu": MTU}
        lines += ["", "[[link]]", *(f"{name} = {json.dumps(value)}" for name, value in found.items())]
    file = agent_file(layout, host)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n")


def _neighbours(host: LabHost, hosts: tuple[LabHost, ...]) -> Iterator[tuple[str, LabHost]]:
    for other in hosts:
        if other.number == host.number + 1:
            yield "right", other
        elif other.number == host.number - 1:
            yield "left", other


def _link(host: LabHost, name: str) -> str | None:
    """Its Ethernet address; None where there is no such link."""
    command = ["ip", "-n", host.namespace, "-j", "link", "show", name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SHELL_LIMIT_S, check=False)  # noqa: S603
    return str(json.loads(done.stdout)[0]["address"]) if done.returncode == 0 else None


def _socket(layout: DataLayout, host: LabHost) -> Path:
    return layout.sockets / f"srv6-{host.name}.sock"


def _shell(*command: str) -> None:
    if remarks := _tried(*command):
        raise RunError(f"SEXTANT_LAB_HOSTS: {remarks[0]}", "make up SEXTANT_LAB_HOSTS=0")


def _tried(*command: str) -> list[str]:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SHELL_LIMIT_S, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        return [f"{' '.join(command)}: {error}"]
    return [] if done.returncode == 0 else [f"{' '.join(command)}: {done.stderr.strip()[-300:]}"]
