"""Which point is measured next, and on which cores: the first that has room beside the NFs of this moment. A job that
finds levels or shares has none that wait beyond its first ones: the next follows from what was measured.

Chains come and go while a job measures. What a point is stays; its cores may be others of the same node.
"""

from sextant_domain.hosts.desired import HostContent
from sextant_domain.hosts.host import HostInventory
from sextant_domain.profiling.job import PointSetting, ProfilingAsk
from sextant_engine.profiling.cores import FreeCores, free_cores
from sextant_engine.profiling.requests import CannotProfile, request_of
from sqlalchemy.orm import Session

from sextant_backend.modules.hosts import repository as hosts
from sextant_backend.modules.hosts import service as hosts_service
from sextant_backend.modules.nfs import types
from sextant_backend.modules.profiling import chosen_points, repository
from sextant_backend.modules.profiling.models import ProfilingJobRow
from sextant_backend.modules.profiling.record import Chosen, NoRoom, NothingWaits


def next_point(session: Session, row: ProfilingJobRow) -> Chosen | NoRoom | NothingWaits:
    """Notes the request of the point that is chosen: it may name other cores than before."""
    waiting = repository.waiting(session, row.id)
    host = hosts.get(session, row.host_id)
    if host is None or (not waiting and row.grid_points is None):
        return NothingWaits()
    inventory = HostInventory.model_validate(host.inventory)
    if not waiting:
        chosen_points.add_next(session, row, inventory)
        waiting = repository.waiting(session, row.id)
        if not waiting:
            return NothingWaits()
    free = free_now(inventory, hosts_service.desired_of(host).content)
    ask, catalogue = ProfilingAsk.model_validate(row.ask), types.named(session, row.versions)
    reasons = []
    for point in waiting:
        setting = PointSetting.model_validate(point.setting)
        try:
            wanted = request_of(setting, ask, inventory, free, catalogue).model_dump(mode="json")
        except CannotProfile as error:
            reasons.append(error.message)
            continue
        chosen = Chosen(point.number, other_cores=wanted != point.request)
        point.request = wanted
        return chosen
    return NoRoom(waiting[0].number, reasons[0])


def free_now(inventory: HostInventory, content: HostContent) -> FreeCores:
    """Cores that no NF was ordered to take."""
    return free_cores(inventory, {nf.core for chain in content.chains for nf in chain.nfs})
