"""A host of the driver `srv6`: its file, its programs, the daemon, the helper."""

import os
from collections.abc import Iterator

from sextant_agent.doctor.common import check_helper, check_user
from sextant_agent.doctor.finding import DoctorFinding, ok, problem
from sextant_agent.doctor.sight import Sight
from sextant_agent.drivers.srv6.answers import DaemonHello
from sextant_agent.drivers.srv6.place import BadPlace, Srv6Place, read_place
from sextant_agent.kit.line_client import LineClient, LineError
from sextant_agent.settings import AgentSettings

PROGRAMS = ("nf", "source", "sink")


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
    socket = settings.helper_socket or (settings.socket_dir or settings.state_dir) / "helper.sock"
    yield check_helper(sight.at(socket), settings.host_id, [place.program("nf")])


def _programs(sight: Sight, place: Srv6Place) -> Iterator[DoctorFinding]:
    for name in PROGRAMS:
        path = place.program(name)
        if sight.access(path, os.X_OK):
            yield ok(path.name, str(path))
        else:
            folders = ", ".join(map(str, place.programs))
            yield problem(path.name, f"no folder of `programs` has one that may be executed: {folders}", "build it")


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
    return ok("daemon", f"version {hello.version}, of host {hello.host}")
