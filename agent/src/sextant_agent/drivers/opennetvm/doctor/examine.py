"""A host of the driver `opennetvm`, in the order in which things fail when a chain starts."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from sextant_agent.doctor.common import check_helper, check_resctrl, check_user
from sextant_agent.doctor.finding import DoctorFinding, ok, problem
from sextant_agent.doctor.sight import Sight
from sextant_agent.drivers.opennetvm.doctor.cpus import check_cpus
from sextant_agent.drivers.opennetvm.doctor.hugepages import check_hugepages
from sextant_agent.drivers.opennetvm.doctor.permissions import check_permissions
from sextant_agent.drivers.opennetvm.doctor.ports import check_ports
from sextant_agent.drivers.opennetvm.doctor.programs import check_programs
from sextant_agent.drivers.opennetvm.doctor.running import check_running
from sextant_agent.drivers.opennetvm.doctor.world import ExaminedHost
from sextant_agent.drivers.opennetvm.installation import BadInstallation, read_installation
from sextant_agent.drivers.opennetvm.inventory import NAME
from sextant_agent.drivers.opennetvm.programs import programs
from sextant_agent.settings import AgentSettings

_CHECKS: Mapping[str, Callable[[ExaminedHost], Iterator[DoctorFinding]]] = {
    "programs": check_programs,
    "permissions": check_permissions,
    "huge pages": check_hugepages,
    "CPUs": check_cpus,
    "ports": check_ports,
    "processes": check_running,
}


def examine_opennetvm(sight: Sight, settings: AgentSettings) -> Iterator[DoctorFinding]:
    """Nothing more where opennetvm.toml cannot be read: every check goes by it."""
    yield check_user(sight, settings.state_dir)
    path = settings.opennetvm.absolute()
    try:
        installation = read_installation(sight.at(path))
    except BadInstallation as error:
        yield problem(
            "opennetvm.toml", _reported(str(error), sight.at(path), path),
            "correct it; docs/guides/run-on-opennetvm.md lists every field",
        )  # fmt: skip
        return
    managers = ", ".join(f"{place.name} ({place.port})" for place in installation.manager)
    yield ok("opennetvm.toml", f"{path}: managers {managers}")
    world = ExaminedHost(sight, installation, settings.state_dir / NAME)
    for name, check in _CHECKS.items():
        try:
            yield from check(world)
        except OSError as error:
            yield problem(name, f"{error.filename}: {error.strerror}", "run the doctor as the agent's user")
    socket = settings.helper_socket or settings.state_dir / "helper.sock"
    yield check_helper(sight.at(socket), settings.host_id, programs(installation))
    yield check_resctrl(sight, sight.at(socket), settings.host_id, programs(installation))


def _reported(message: str, found: Path, path: Path) -> str:
    return message.replace(str(found), str(path), 1)
