"""Marks fitted costs that do not hold any more: no plan goes by them from then on, until they are fitted anew.

Looked at are the last ten minutes, of what came after the samples of the fit: whatever disturbs a machine for less than
five (a backup, a profile that is measured, a burst) leaves the middle where it was. An NF is off where its packets, in
that middle, cost more than twice as far beside what was fitted as nine of ten did that the fit had not used: one of ten
may honestly be above that, none twice as far. Fits that are off by less than 5 % are not held to less than that.
"""

from datetime import timedelta
from statistics import median

from sextant_domain.profiling.host_cost import HostCost
from sextant_engine.modelling.inflation_expected import errors_of
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.laws import host_reading
from sextant_backend.laws.host_reading import HostRead
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.host_costs import repository, views
from sextant_backend.modules.host_costs.models import HostCostRow
from sextant_backend.modules.sfc2cpu.costs import known_chains, seen_windows
from sextant_backend.modules.sfc2cpu.errors import CostsNotFitted
from sextant_backend.modules.telemetry import repository as telemetry

EVERY_S = 60.0
SPAN = timedelta(minutes=10)
"""Back from the newest sample."""
LEAST_WINDOWS = 30
"""Of an NF, of ten seconds each."""
LEAST_ERROR = 0.05
TIMES = 2.0


def evaluate(session: Session) -> int:
    """One round over all hosts whose costs hold; returns how many do not any more."""
    holding = [host for host, _, drifted_at in repository.marks(session) if drifted_at is None]
    read = host_reading.read_hosts(session, holding)
    return sum(one is not None and _judge(session, name, one) for name, one in read.items())


def _judge(session: Session, name: str, read: HostRead) -> bool:
    row = repository.newest(session, name, lock=True)
    if row is None or row.drifted_at is not None:
        return False
    cost = views.host_cost(row)
    off = _furthest(session, read, row, cost)
    if off is None or off[1] <= bound_of(cost):
        return False
    row.drifted_at, (row.drift_nf, row.drift_error) = db_now(session), off
    detail = {
        "version": row.version,
        "nf": row.drift_nf,
        "off_percent": round(100 * row.drift_error, 1),
        "bound_percent": round(100 * bound_of(cost), 1),
    }
    before, after = {"assigner": "calibrated"}, {"assigner": "min_max"}
    audit.record(session, "system", "host.costs_drifted", f"host/{name}", detail, before=before, after=after)
    return True


def bound_of(cost: HostCost) -> float:
    """Up to it an NF may be off for long."""
    return TIMES * max(cost.left_out_error, LEAST_ERROR)


def _furthest(session: Session, read: HostRead, row: HostCostRow, cost: HostCost) -> tuple[str, float] | None:
    """The NF that is furthest off, and by how much; None where too little is known."""
    try:
        chains = known_chains(session, read)
    except CostsNotFitted:
        return None  # what a type takes alone is not known at the moment
    windows = [one for one in telemetry.nf_windows(session, row.host_id, None, SPAN) if one.at > cost.until]
    node_of = {core.id: core.node for core in read.inventory.cores}
    errors = errors_of(views.model(row), chains, seen_windows(windows), node_of)
    middles = {nf_id: median(found) for nf_id, found in errors.items() if len(found) >= LEAST_WINDOWS}
    return max(middles.items(), key=lambda one: (one[1], one[0]), default=None)
