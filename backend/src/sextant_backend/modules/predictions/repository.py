"""Queries of predictions that are tested, and of what is measured of their chains."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sextant_domain.hosts.limits import NfLoad
from sqlalchemy import ColumnElement, delete, exists, func, literal_column, or_, select, text, true
from sqlalchemy.orm import Session

from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.models.models import FitRow
from sextant_backend.modules.plans.models import PlanRow
from sextant_backend.modules.predictions.models import TestedRow
from sextant_backend.modules.telemetry.models import LatestHost, chain_samples, nf_samples

WINDOW = timedelta(seconds=10)
LEAST_SAMPLES = 8
"""Of the ten that a window has: fewer, and it is measured again."""
SETTLING = timedelta(seconds=5)
"""After the end of an operation, before a window begins."""
LATE = timedelta(seconds=3)
"""After which the last sample of a window is stored."""
OLDEST = timedelta(hours=1)
"""A window that nobody looked at for so long is given up: a bound that spares the older partitions."""
_APPLIED = (PlanRow.state == "applied", ~PlanRow.tested)
_TURN = text("SELECT pg_try_advisory_xact_lock(hashtext('sextant.outcomes'))")


def take_turn(session: Session) -> bool:
    """False where another transaction is at it."""
    return bool(session.scalar(_TURN))


def any_due() -> ColumnElement[bool]:
    """Whether a turn would find something to do: `applied`, `promoted` or `due`."""
    return or_(exists().where(*_APPLIED), exists().where(~FitRow.tested), exists().where(_is_over()))


def is_due(session: Session) -> bool:
    """The same."""
    return bool(session.scalar(select(any_due())))


def applied(session: Session, limit: int) -> Sequence[int]:
    """Plans that were applied, and whose predictions are not tested yet."""
    return session.scalars(select(PlanRow.id).where(*_APPLIED).order_by(PlanRow.id).limit(limit)).all()


def promoted(session: Session) -> set[str]:
    """Host models of which models were promoted that nothing was tested with yet; they are taken as tested now."""
    query = select(FitRow).where(~FitRow.tested).order_by(FitRow.id).with_for_update(skip_locked=True)
    found = session.scalars(query).all()
    for fit in found:
        fit.tested = True
    return {fit.host_model for fit in found}


def plans_in_force(session: Session, host_model: str) -> dict[str, int]:
    """Host of that model -> the newest plan that was applied there; hosts without one are absent."""
    named = select(PlanRow.id, func.unnest(PlanRow.hosts).label("host")).where(PlanRow.state == "applied").subquery()
    query = (
        select(named.c.host, func.max(named.c.id).label("plan_id"))
        .join(Host, Host.host_id == named.c.host)
        .where(Host.inventory["host_model"].as_string() == host_model)
        .group_by(named.c.host)
    )
    return {found.host: found.plan_id for found in session.execute(query)}


def begin(session: Session, hosts: Sequence[str], rows: Sequence[TestedRow]) -> None:
    """Test these, and no others on these hosts or of these chains."""
    chains = {row.chain for row in rows}
    session.execute(delete(TestedRow).where(or_(TestedRow.host_id.in_(hosts), TestedRow.chain.in_(chains))))
    session.add_all(rows)
    session.flush()


@dataclass(frozen=True)
class Window:
    """What was measured of a chain in the window that is due."""

    row: TestedRow
    in_force: bool
    """Its host still is to run the same generation."""
    ran: bool
    """And does, by its own word."""
    provenance: str | None
    samples: int
    offered_mpps: float | None
    measured_mpps: float | None
    now: datetime


def loads(session: Session, row: TestedRow) -> list[NfLoad]:
    """Of the chain's NFs over the window that is due, in the chain's order: means; without those that were not
    measured."""
    table, ids = nf_samples.c, [nf["nf_id"] for nf in row.nfs]
    if not ids:
        return []
    means = (func.avg(table.rx_mpps), func.avg(table.drop_mpps), func.avg(table.ring_used_percent))
    query = (
        select(table.nf_id, *means)
        .where(
            table.host_id == row.host_id,
            table.nf_id.in_(ids),
            table.ts > row.window_from,
            table.ts <= row.window_from + WINDOW,
            table.ts > func.now() - OLDEST,
        )
        .group_by(table.nf_id)
    )
    found = {nf_id: NfLoad(nf_id, rx, drop, ring) for nf_id, rx, drop, ring in session.execute(query)}
    return [found[nf_id] for nf_id in ids if nf_id in found]


def due(session: Session, limit: int) -> list[Window]:
    """Of every prediction whose window is over, in one query. What a firewall drops because its rules say so was
    carried, too: that the chain did its work on it is what the prediction is about."""
    table, row = chain_samples.c, TestedRow
    now = func.clock_timestamp()
    sums = (
        select(
            func.count().label("samples"),
            func.avg(table.offered_mpps).label("offered"),
            func.avg(table.delivered_mpps + table.filtered_mpps).label("measured"),
        )
        .where(
            table.host_id == row.host_id,
            table.chain == row.chain,
            table.ts > row.window_from,
            table.ts <= row.window_from + WINDOW,
            table.ts > func.now() - OLDEST,
        )
        .lateral()
    )
    query = (
        select(row, Host.desired_generation, LatestHost.applied_generation, LatestHost.phase, Host.status)
        .add_columns(LatestHost.provenance, sums.c.samples, sums.c.offered, sums.c.measured, now)
        .join(Host, Host.host_id == row.host_id)
        .join(LatestHost, LatestHost.host_id == row.host_id, isouter=True)
        .join(sums, literal_column("true"))
        .where(_is_over())
        .order_by(row.window_from)
        .limit(limit)
    )
    return [_window(tuple(found)) for found in session.execute(query)]


def _is_over() -> ColumnElement[bool]:
    return TestedRow.window_from < func.clock_timestamp() - (WINDOW + LATE)


def _window(found: tuple[Any, ...]) -> Window:
    row, ordered, applied_there, phase, status, provenance, samples, offered, measured, now = found
    in_force = ordered == row.generation
    ran = in_force and applied_there == row.generation and phase == "converged" and status == "up"
    return Window(row, in_force, ran, provenance, samples, offered, measured, now)


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
