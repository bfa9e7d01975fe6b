"""Hosts on this machine whose packets measure themselves: a network namespace each, joined as a file says, with a root
daemon and an agent of its own (docs/guides/measured-packets.md).

What they set up in the kernel outlives processes, so it is removed when the installation ends, and made again when it
starts.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from sextant_run.errors import RunError
from sextant_run.installation import Installation
from sextant_run.lab_topology import SHIPPED, LabLink, LabTopology, read_topology
from sextant_run.layout import DataLayout
from sextant_run.settings import RunSettings
from sextant_run.setup import builds

LABEL = "zone=lab"
MTU = 9200
"""Of links between hosts: what enters with 9000 bytes or less is wrapped."""
QUEUE = ("burst", "128k", "latency", "50ms")
"""Of a link that carries only so much: what comes at once, and how long the rest waits at most."""
_TOOLS = ("ip", "tc", "sh", "mount", "umount", "unshare")
_NAMESPACES = Path("/run/netns")
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
    def gateway(self) -> str:
        """What neighbours' routes name; nobody has the address, since each neighbour knows the Ethernet address."""
        return f"fe80::{self.number:x}"

    @property
    def namespace_file(self) -> Path:
        """As `ip netns` keeps it."""
        return _NAMESPACES / self.namespace


def names(count: int) -> tuple[str, ...]:
    """lab-1 ..."""
    return tuple(f"lab-{number}" for number in range(1, count + 1))


def lab_hosts(present: Installation) -> tuple[LabHost, ...]:
    """All of an installation."""
    return _with_ports(present, present.lab_ports)


def no_more(former: Installation | None, present: Installation) -> tuple[str, ...]:
    """Those that the installation had when it was last up, and has not now."""
    return () if former is None else names(len(former.lab_ports))[len(present.lab_ports) :]


def _with_ports(present: Installation, ports: tuple[int, ...]) -> tuple[LabHost, ...]:
    begin = _prefix(present)
    return tuple(
        LabHost(name, number, f"{begin}{number}", port)
        for number, (name, port) in enumerate(zip(names(len(ports)), ports, strict=True), 1)
    )


def _prefix(present: Installation) -> str:
    """Of its namespaces."""
    return f"sextant-{present.id[:8]}-lab-"


def settled(settings: RunSettings) -> RunSettings:
    """With how many there are. Where nobody has said, all of the file, if this machine can have them, and otherwise
    none, with the reason. Raises RunError where it cannot have those that were asked for."""
    if settings.lab_hosts == 0 or (settings.lab_hosts is None and not settings.dataplane):
        return replace(settings, lab_hosts=0)
    why = _why_not()
    if why is None:
        return replace(settings, lab_hosts=settings.lab_most if settings.lab_hosts is None else settings.lab_hosts)
    if settings.lab_hosts is None:
        return replace(settings, lab_hosts=0, no_lab=why)
    raise RunError(f"SEXTANT_LAB_HOSTS: {why}", "make up SEXTANT_LAB_HOSTS=0")


def _why_not() -> str | None:
    """Why this machine cannot have any, and what would help."""
    if os.geteuid() != 0:
        return "namespaces and programs in the kernel need root"
    if missing := [tool for tool in _TOOLS if shutil.which(tool) is None]:
        return f"{', '.join(missing)} missing: apt-get install iproute2 mount dash util-linux"
    if packages := builds.missing_for_srv6():
        return f"{', '.join(packages)} missing; next: apt-get install {' '.join(packages)}, then make up"
    refused = _tried("unshare", "--net", "--mount", "mount", "-t", "bpf", "bpf", "/mnt")
    return f"no namespaces with programs of their own here: {refused[0]}" if refused else None


def prepare(layout: DataLayout, present: Installation) -> list[str]:
    """Namespaces, links, routes and the agents' files; what is there stays. Returns remarks for a person. Raises
    RunError."""
    hosts = lab_hosts(present)
    if not hosts:
        return []
    file = Path(present.lab_topology) if present.lab_topology else SHIPPED
    topology = read_topology(file).first(len(hosts))
    pins = layout.lab_pins
    pins.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not pins.is_mount():
        _shell("mount", "-t", "bpf", "-o", "mode=0700", "bpf", str(pins))
    for host in hosts:
        if not host.namespace_file.exists():
            _shell("ip", "netns", "add", host.namespace)
        _shell("ip", "netns", "exec", host.namespace, "sh", "-c", "echo 1 > /proc/sys/net/ipv6/conf/all/forwarding")
    remarks = [remark for link in topology.link for remark in _join(hosts, link)]
    for host in hosts:
        reached = _reached(host, hosts, topology)
        _lead(host, reached)
        _write_file(layout, host, hosts, [*reached.items(), *_others(host, hosts, topology).items()])
    return remarks[:1]


def daemon_command(layout: DataLayout, host: LabHost) -> tuple[str, ...]:
    """The root daemon of a host."""
    return (str(layout.srv6_daemon), "--socket", str(_socket(layout, host)), *_whereabouts(layout, host))


def helper_socket(layout: DataLayout, host: LabHost) -> Path:
    """Of the root helper that gives its NFs shares and quotas."""
    return layout.sockets / f"helper-{host.name}.sock"


def helper_arguments(layout: DataLayout, host: LabHost, cpu_percent: float | None) -> tuple[str, ...]:
    """Of Python: one helper a host, so that each has a group above those of its NFs, and with it a budget."""
    program = layout.runner.with_name("sextant-srv6-nf")
    whose = ("--host-id", host.name, "--program", str(program), "--agent-uid", str(os.geteuid()))
    budget = () if cpu_percent is None else ("--cpu-percent", f"{cpu_percent:g}")
    return ("-I", "-m", "sextant_agent.helper", "--socket", str(helper_socket(layout, host)), *whose, *budget)


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
    for host in _those_there(present):
        if layout.srv6_daemon.is_file():
            remarks += _tried(str(layout.srv6_daemon), "--clean", *_whereabouts(layout, host))
        remarks += _tried("ip", "netns", "delete", host.namespace)
        remarks += _tried(sys.executable, *helper_arguments(layout, host, None), "--clean")
    if layout.lab_pins.is_mount():
        remarks += _tried("umount", str(layout.lab_pins))
    return remarks


def _whereabouts(layout: DataLayout, host: LabHost) -> tuple[str, ...]:
    """What the daemon keeps for a host, and where."""
    return ("--pins", str(layout.lab_pins / host.name), "--host", host.name, "--netns", str(host.namespace_file))


def _those_there(present: Installation) -> Iterator[LabHost]:
    """Whose namespaces there are, however many the installation has now."""
    begin = _prefix(present)
    for file in sorted(_NAMESPACES.glob(f"{begin}*")):
        number = file.name.removeprefix(begin)
        if re.fullmatch("[1-9][0-9]*", number):  # others' may begin alike
            yield LabHost(f"lab-{number}", int(number), file.name, 0)


def _join(hosts: tuple[LabHost, ...], link: LabLink) -> list[str]:
    """A port has the name of the host that it leads to. Returns what the link cannot do here."""
    one, other = (hosts[number - 1] for number in link.between)
    both = ((one, other), (other, one))
    if _link(one, other.name) is None:
        end, far = (("name", peer.name, "mtu", str(MTU), "netns", host.namespace) for host, peer in both)
        _shell("ip", "link", "add", *end, "type", "veth", "peer", *far)
    remarks = []
    for host, peer in both:
        _shell("ip", "-n", host.namespace, "link", "set", peer.name, "up")
        remarks += _limit(host, peer.name, link.mbit)
    return remarks


def _limit(host: LabHost, port: str, mbit: int | None) -> list[str]:
    """How much goes out there."""
    tc = ("tc", "-n", host.namespace, "qdisc")
    if mbit is None:
        _tried(*tc, "delete", "dev", port, "root")  # of an earlier start; else there is none
        return []
    if _tried(*tc, "replace", "dev", port, "root", "tbf", "rate", f"{mbit}mbit", *QUEUE):
        return ["links between lab hosts have no rates: this kernel lacks sch_tbf"]
    return []


def _reached(host: LabHost, hosts: tuple[LabHost, ...], topology: LabTopology) -> dict[LabHost, list[LabHost]]:
    """Neighbour -> whom it leads to, itself first."""
    return _behind(hosts, ((over, number) for number, over in topology.next_hops(host.number).items()))


def _others(host: LabHost, hosts: tuple[LabHost, ...], topology: LabTopology) -> dict[LabHost, list[LabHost]]:
    """The same, of neighbours by which chains go where the first one's link is cut."""
    ways = topology.other_ways(host.number)
    return _behind(hosts, ((over, number) for number, others in ways.items() for over in others))


def _behind(hosts: tuple[LabHost, ...], ways: Iterable[tuple[int, int]]) -> dict[LabHost, list[LabHost]]:
    found: dict[LabHost, list[LabHost]] = {}
    for over, number in ways:
        found.setdefault(hosts[over - 1], []).append(hosts[number - 1])
    return {over: sorted(behind, key=lambda one: (one is not over, one.number)) for over, behind in found.items()}


def _lead(host: LabHost, reached: dict[LabHost, list[LabHost]]) -> None:
    """The kernel passes on what is for others: the programs leave it to it."""
    ip = ("ip", "-n", host.namespace, "-6")
    for over, behind in reached.items():
        port, mac = ("dev", over.name), str(_link(over, host.name))
        _shell(*ip, "neighbour", "replace", over.gateway, "lladdr", mac, *port, "nud", "permanent")
        for other in behind:
            _shell(*ip, "route", "replace", other.prefix, "via", over.gateway, *port)


def _write_file(
    layout: DataLayout, host: LabHost, hosts: tuple[LabHost, ...], ways: Iterable[tuple[LabHost, list[LabHost]]]
) -> None:
    """`ways`: preferred ones first."""
    lines = [
        f"daemon = {json.dumps(str(_socket(layout, host)))}",
        f"programs = {json.dumps([str(layout.runner.parent), str(layout.srv6_daemon.parent)])}",
        f"locator = {json.dumps(host.prefix)}",
        f"sources = {json.dumps([other.edge for other in hosts if other is not host])}",
    ]
    for over, behind in ways:
        found = {"port": over.name, "mac": _link(over, host.name), "to": [other.prefix for other in behind], "mtu": MTU}
        lines += ["", "[[link]]", *(f"{name} = {json.dumps(value)}" for name, value in found.items())]
    file = agent_file(layout, host)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n")


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
