"""What hosts of every driver with NFs as processes have: the agent's user, the root helper, and resctrl."""

from collections.abc import Iterable
from pathlib import Path

from sextant_agent.control.cpu_control import CpuControl, start_command
from sextant_agent.control.helper_client import HelperClient
from sextant_agent.control.resource_control import ResourceControl
from sextant_agent.doctor.finding import DoctorFinding, ok, problem, warning
from sextant_agent.doctor.sight import Sight
from sextant_agent.machine.capabilities import cache_ways, memory_bandwidth_steps, no_resctrl


def check_user(sight: Sight, state_dir: Path) -> DoctorFinding:
    """All other findings hold for the user who runs the doctor, so this must be the agent's user."""
    try:
        owner = sight.at(state_dir).stat().st_uid
    except FileNotFoundError:
        return warning("user", f"user {sight.user.uid}; there is no agent's state folder at {state_dir} yet",
                       "start the agent once, or set SEXTANT_AGENT_STATE_DIR")  # fmt: skip
    except OSError as error:
        return problem("user", f"{state_dir}: {error.strerror}", "run the doctor as the agent's user")
    if owner != sight.user.uid:
        return warning(
            "user", f"permissions were checked for user {sight.user.uid}, but {state_dir} belongs to user {owner}",
            f'run the doctor as the agent\'s user: runuser -u "$(id -nu {owner})" -- sextant-agent doctor',
        )  # fmt: skip
    return ok("user", f"user {owner}, the owner of the agent's state folder")


def check_helper(socket: Path, host_id: str, programs: Iterable[Path]) -> DoctorFinding:
    """Asked now."""
    control = CpuControl(HelperClient(socket), host_id, programs)
    try:
        found = control.capability()
    finally:
        control.close()
    if found.available:
        return ok("root helper", found.reason)
    what, _, start = found.reason.partition("; start it as root: ")
    do = f"start it as root: {start}" if start else "fix that, and restart the root helper"
    return warning("root helper", f"{what}; NFs have no CPU shares and quotas", do)


def check_resctrl(sight: Sight, socket: Path, host_id: str, programs: Iterable[Path]) -> DoctorFinding:
    """Asked now. Never a fault: chains that need it go to hosts that have it."""
    helper = HelperClient(socket)
    try:
        control = ResourceControl(helper, start_command(socket, host_id, programs), sight.root)
        reasons = [found.reason for found in control.capabilities()]
        answers = control.read().why_not is None
    finally:
        helper.close()
    if no_resctrl(sight.root) is None and not answers:  # the finding before this one says why
        ways, _ = cache_ways(sight.root)
        reasons = [
            f"{ways} ways a cache and {len(memory_bandwidth_steps(sight.root))} steps of memory bandwidth,"
            " handed out by the root helper alone"
        ]
    return ok("resctrl", "; ".join(dict.fromkeys(reasons)))
