"""The query of predictions in force, with what is measured of their chains."""

from dataclasses import dataclass

from sqlalchemy import func, select, true
from sqlalchemy.orm import Session

from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.outcomes.models import TestedRow
from sextant_backend.modules.outcomes.repository import OLDEST, WINDOW
from sextant_backend.modules.telemetry.models import LatestHost, chain_samples


@dataclass(frozen=True, slots=True)
class InForce:
    """A prediction of the plan that its host runs by. Figures in Mpps."""

    host: str
    plan_id: int
    generation: int
    chain: str
    bottleneck: str
    predictor: str
    predicted: float
    low: float | None
    high: float | None
    assumed: bool
    capacity: float
    line: float | None
    steady: bool
    """The host runs that order, reports, and the whole window lies behind the time that things needed to settle."""
    samples: int | None
    offered: float | None
    measured: float | None


def in_force(session: Session, predictors: tuple[str, ...], host: str | None) -> list[InForce]:
    """By host and chain, in one query. The window ends with the newest sample of the host, whatever its clock says."""
    row, latest, table = TestedRow, LatestHost, chain_samples.c
    means = (
        select(
            table.chain,
            func.count().label("samples"),
            func.avg(table.offered_mpps).label("offered"),
            func.avg(table.delivered_mpps + table.filtered_mpps).label("measured"),
        )
        .where(
            table.host_id == latest.host_id,
            table.ts > latest.taken_at - WINDOW,
            table.ts > func.now() - OLDEST,  # a bound that spares the older partitions
        )
        .group_by(table.chain)
        .lateral()
    )
    # Once for each host, not for each chain: ten samples of each of its chains lie side by side in the index.
    by_host = (
        select(latest.host_id, means)
        .join(means, true())
        .where(latest.host_id.in_(select(row.host_id)) if host is None else latest.host_id == host)
        .subquery()
    )
    settled = (row.measured > 0) | (row.window_from <= latest.taken_at - WINDOW)
    runs = (latest.applied_generation == row.generation) & (latest.phase == "converged") & (Host.status == "up")
    query = (
        select(row.host_id, row.plan_id, row.generation, row.chain, row.nf_id, row.predictor)
        .add_columns(row.predicted_mpps, row.low_mpps, row.high_mpps, row.provenance == "assumed")
        .add_columns(row.capacity_mpps, row.line_mpps)
        .add_columns(func.coalesce(settled & runs, False), by_host.c.samples, by_host.c.offered, by_host.c.measured)
        .join(Host, (Host.host_id == row.host_id) & (Host.desired_generation == row.generation))
        .join(latest, latest.host_id == row.host_id, isouter=True)
        .join(by_host, (by_host.c.host_id == row.host_id) & (by_host.c.chain == row.chain), isouter=True)
        .where(row.predictor.in_(predictors))
        .order_by(row.host_id, row.chain)
    )
    if host is not None:
        query = query.where(row.host_id == host)
    return [InForce(*found) for found in session.execute(query)]
