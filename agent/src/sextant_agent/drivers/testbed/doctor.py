"""A host of the driver `testbed`: runner, cores, memory, helper."""

import os
from collections.abc import Iterator

from sextant_agent.doctor.common import check_helper, check_resctrl, check_user
from sextant_agent.doctor.finding import DoctorFinding, ok, problem, warning
from sextant_agent.doctor.sight import Sight
from sextant_agent.drivers.testbed.profile import BINARY_NAME
from sextant_agent.machine.capabilities import capabilities
from sextant_agent.machine.inventory import core_sharing
from sextant_agent.settings import AgentSettings


def examine_testbed(sight: Sight, settings: AgentSettings) -> Iterator[DoctorFinding]:
    """Each check by itself."""
    yield check_user(sight, settings.state_dir)
    yield _runner(sight, settings)
    yield _cores(sight, settings)
    huge = next(found for found in capabilities(sight.machine) if found.name == "hugepages")
    if huge.available:
        yield ok("huge pages", huge.reason)
    else:
        yield warning("huge pages", huge.reason, "as root: sysctl vm.nr_hugepages=512")
    socket = settings.helper_socket or (settings.socket_dir or settings.state_dir) / "helper.sock"
    programs = settings.runner, settings.runner.with_name(BINARY_NAME)
    yield check_helper(sight.at(socket), settings.host_id, programs)
    yield check_resctrl(sight, sight.at(socket), settings.host_id, programs)


def _runner(sight: Sight, settings: AgentSettings) -> DoctorFinding:
    """That it is there, the settings have seen."""
    if sight.access(settings.runner, os.X_OK):
        return ok("runner", str(settings.runner))
    return problem("runner", f"{settings.runner} may not be executed", f"chmod a+rx {settings.runner}")


def _cores(sight: Sight, settings: AgentSettings) -> DoctorFinding:
    exclusive, how, change = core_sharing(sight.machine, settings.shared_cores)
    return ok("CPUs", how) if exclusive or change is None else warning("CPUs", how, change)
