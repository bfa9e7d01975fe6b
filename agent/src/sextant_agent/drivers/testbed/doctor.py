"""A host of the driver `testbed`: runner, cores, memory, helper."""

import os
from collections.abc import Iterator

from sextant_agent.doctor.common import check_helper, check_resctrl, check_user
from sextant_agent.doctor.finding import DoctorFinding, ok, problem, warning
from sextant_agent.doctor.sight import Sight
from sextant_agent.machine.capabilities import capabilities
from sextant_agent.machine.cpulist import ranges
from sextant_agent.machine.inventory import SMALL_HOST_CORES, offered_cores
from sextant_agent.settings import AgentSettings


def examine_testbed(sight: Sight, settings: AgentSettings) -> Iterator[DoctorFinding]:
    """Each check by itself."""
    yield check_user(sight, settings.state_dir)
    yield _runner(sight, settings)
    yield _cores(sight)
    huge = next(found for found in capabilities(sight.machine) if found.name == "hugepages")
    if huge.available:
        yield ok("huge pages", huge.reason)
    else:
        yield warning("huge pages", huge.reason, "as root: sysctl vm.nr_hugepages=512")
    socket = settings.helper_socket or (settings.socket_dir or settings.state_dir) / "helper.sock"
    yield check_helper(sight.at(socket), settings.host_id, (settings.runner,))
    yield check_resctrl(sight, sight.at(socket), settings.host_id, (settings.runner,))


def _runner(sight: Sight, settings: AgentSettings) -> DoctorFinding:
    """That it is there, the settings have seen."""
    if sight.access(settings.runner, os.X_OK):
        return ok("runner", str(settings.runner))
    return problem("runner", f"{settings.runner} may not be executed", f"chmod a+rx {settings.runner}")


def _cores(sight: Sight) -> DoctorFinding:
    cores = offered_cores(sight.machine)
    cpus = [core.id for core in cores if core.slots]
    if len(cores) >= SMALL_HOST_CORES:
        return ok("CPUs", f"NFs run on {ranges(cpus)}, one per core")
    return warning(
        "CPUs", f"{len(cores)} CPUs: NFs share {ranges(cpus)}, and predictions use time sharing",
        f"{SMALL_HOST_CORES} or more CPUs in SEXTANT_AGENT_CORES and the agent's CPU affinity, if the machine has them",
    )  # fmt: skip
