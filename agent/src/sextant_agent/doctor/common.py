"""What hosts of every driver with NFs as processes have: the root helper, and resctrl."""

from collections.abc import Iterable
from pathlib import Path

from sextant_agent.capabilities import capabilities
from sextant_agent.cpu_control import CpuControl
from sextant_agent.doctor.finding import Finding, ok, warning
from sextant_agent.doctor.sight import Sight
from sextant_agent.helper_client import HelperClient


def check_helper(socket: Path, host_id: str, programs: Iterable[Path]) -> Finding:
    """Asked now."""
    control = CpuControl(HelperClient(socket), host_id, programs)
    try:
        found = control.capability()
    finally:
        control.close()
    if found.available:
        return ok("root helper", found.reason)
    what, _, start = found.reason.partition("; start it as root: ")
    do = f"start it as root: {start}" if start else "mend that, and start the root helper again"
    return warning("root helper", f"{what}; NFs have no CPU shares and quotas", do)


def check_resctrl(sight: Sight) -> Finding:
    """Never a fault: chains that need it go to hosts that have it, and no driver of real hosts hands it out yet."""
    found = {capability.name: capability.reason for capability in capabilities(sight.machine)}
    return ok("resctrl", f"{found['resctrl-cat']}; neither cache ways nor memory bandwidth are handed out to NFs here")
