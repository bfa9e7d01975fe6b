"""Which point is measured next, and on which cores: the first that has room beside the NFs of this moment.

Chains come and go while a job measures. What a point is stays; its cores may be others of the same node.
"""

from dataclasses import dataclass

from sextant_domain.hosts.desired import HostContent
from sextant_domain.hosts.host import HostInventory
from sextant_domain.profiling.job import PointSetting, ProfilingAsk
from sextant_domain.profiling.profile import ProfileRequest
from sextant_engine.profiling.cores import FreeCores, free_cores
from sextant_engine.profiling.requests import CannotProfile, request_of
from sqlalchemy.orm import Session

from sextant_backend.modules.hosts import repository as hosts
from sextant_backend.modules.hosts import service as hosts_service
from sextant_backend.modules.nfs import types
from sextant_backend.modules.profiling import repository
from sextant_backend.modules.profiling.models import ProfilingJobRow, ProfilingPointRow


@dataclass(frozen=True)
class NoRoom:
    """No point can be measured now; the first that waits, and why."""

    point: ProfilingPointRow
    reason: str


def next_point(session: Session, row: ProfilingJobRow) -> ProfilingPointRow | NoRoom | None:
    """None where no point waits."""
    waiting = repository.waiting(session, row.id)
    host = hosts.get(session, row.host_id)
    if not waiting or host is None:
        return None
    inventory = HostInventory.model_validate(host.inventory)
    free = free_now(inventory, hosts_service.desired_of(host).content)
    ask, catalogue = ProfilingAsk.model_validate(row.ask), types.named(session, row.versions)
    reasons = []
    for point in waiting:
        setting = PointSetting.model_validate(point.setting)
        try:
            _give_cores(point, request_of(setting, ask, inventory, free, catalogue))
        except CannotProfile as error:
            reasons.append(error.message)
        else:
            return point
    return NoRoom(waiting[0], reasons[0])


def free_now(inventory: HostInventory, content: HostContent) -> FreeCores:
    """Cores that no NF was ordered to take."""
    return free_cores(inventory, {nf.core for chain in content.chains for nf in chain.nfs})


def _give_cores(point: ProfilingPointRow, request: ProfileRequest) -> None:
    """On other cores it is another measurement, under a key of its own."""
    wanted = request.model_dump(mode="json")
    if wanted != point.request:
        point.request = wanted
        point.attempt += 1
