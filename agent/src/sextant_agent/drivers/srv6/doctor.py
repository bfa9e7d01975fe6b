"""A host of the driver `srv6`: its file, its programs, the daemon, its ports to other hosts, the helper."""

import os
from collections.abc import Iterator

from sextant_agent.doctor.common import check_helper, check_resctrl, check_user
from sextant_agent.doctor.finding import DoctorFinding, ok, problem, warning
from sextant_agent.doctor.sight import Sight
from sextant_agent.drivers.srv6.answers import DaemonHello, DaemonLinks
from sextant_agent.drivers.srv6.place import BadPlace, Link, Srv6Place, read_place
from sextant_agent.kit.line_client import LineClient, LineError
from sextant_agent.settings import AgentSettings

PROGRAMS = ("nf", "source", "sink")
FORWARDING = "net.ipv6.conf.all.forwarding"


def examine_srv6(sight: Sight, settings: AgentSettings) -> Iterator[DoctorFinding]:
    """Nothing more where srv6.toml cannot be read: every check goes by it."""
    yield check_user(sight, settings.state_dir)
    try:
        place = read_place(sight.at(settings.srv6.absolute()))
    except BadPlace as error:
        yield problem("srv6.toml", str(error), "correct it; docs/guides/measured-packets.md lists every field")
        return
    yield ok("srv6.toml", f"{settings.srv6}: segments of {place.locator}")
    yield from _programs(sight, place)
    yield _daemon(sight, place)
    yield from _links(sight, place)
    socket = settings.helper_socket or (settings.socket_dir or settings.state_dir) / "helper.sock"
    yield check_helper(sight.at(socket), settings.host_id, [place.program("nf")])
    yield check_resctrl(sight, sight.at(socket), settings.host_id, [place.program("nf")])


def _programs(sight: Sight, place: Srv6Place) -> Iterator[DoctorFinding]:
    for name in PROGRAMS:
        path = place.program(name)
        if sight.access(path, os.X_OK):
            yield ok(path.name, str(path))
        else:
            folders = ", ".join(map(str, place.programs))
            yield problem(path.name, f"no folder of `programs` has one that may be executed: {folders}", "build it")
    path = place.program("decode")
    if sight.access(path, os.X_OK):
        yield ok(path.name, str(path))
    else:
        yield warning(path.name, "no folder of `programs` has one: packets cannot be captured", "build it")


def _links(sight: Sight, place: Srv6Place) -> Iterator[DoctorFinding]:
    """By the machine; a daemon in another namespace knows its own ports, but not their MTU."""
    known = _ports_of_the_daemon(sight, place)
    for at, link in enumerate(place.link):
        if (mtu := sight.number(f"sys/class/net/{link.port}/mtu")) is not None:
            yield _mtu(at, link, mtu)
        elif link.port in known:
            yield ok(f"link.{at}", f"{link.port}, in the daemon's namespace")
        else:
            yield problem(
                f"link.{at}", f"there is no interface {link.port}",
                f"correct link.{at}.port of srv6.toml; ip link lists what there is",
            )  # fmt: skip
    if len({link.port for link in place.link} - known) > 1:
        yield _forwarding(sight)


def _mtu(at: int, link: Link, mtu: int) -> DoctorFinding:
    if mtu >= link.mtu:
        return ok(f"link.{at}", f"{link.port}, MTU {mtu}, carries the {link.mtu} of srv6.toml")
    return problem(
        f"link.{at}", f"{link.port} has an MTU of {mtu}, less than the {link.mtu} of srv6.toml: larger packets die",
        f"ip link set {link.port} mtu {link.mtu}, on both ends and all between, or link.{at}.mtu = {mtu} in srv6.toml",
    )  # fmt: skip


def _forwarding(sight: Sight) -> DoctorFinding:
    """What is for others the programs leave to the kernel."""
    if sight.number(f"proc/sys/{FORWARDING.replace('.', '/')}") == 1:
        return ok("forwarding", "packets between other hosts are passed on")
    return warning(
        "forwarding", "the kernel passes on no IPv6: chains between other hosts that come through here lose all",
        f"sysctl -w {FORWARDING}=1, where hosts reach others over this one",
    )  # fmt: skip


def _ports_of_the_daemon(sight: Sight, place: Srv6Place) -> set[str]:
    """Those that the agent has had it attach; none while it is silent."""
    client = LineClient(sight.at(place.daemon), "sextant-srv6")
    try:
        return {link.port for link in client.ask(DaemonLinks, "links").links}
    except LineError:
        return set()
    finally:
        client.close()


def _daemon(sight: Sight, place: Srv6Place) -> DoctorFinding:
    """Asked now."""
    client = LineClient(sight.at(place.daemon), "sextant-srv6")
    try:
        hello = client.ask(DaemonHello, "hello")
    except LineError as error:
        return problem("daemon", str(error), "start it as root: sextant-srv6 --help")
    finally:
        client.close()
    if hello.reason is not None:
        return problem("daemon", f"packets cannot be carried here: {hello.reason}", "mend that and start it again")
    kernel = "" if hello.no_firewalls is None else f"; no NFs in the kernel: {hello.no_firewalls}"
    return ok("daemon", f"version {hello.version}, of host {hello.host}{kernel}")
