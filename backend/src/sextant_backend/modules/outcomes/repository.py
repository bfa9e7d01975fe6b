"""Queries of tested predictions and outcomes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Text, column, delete, func, literal_column, or_, select, text, true, values
from sqlalchemy.orm import Session

from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.models.models import FitRow
from sextant_backend.modules.outcomes.judging import LATEST, Key, Telling
from sextant_backend.modules.outcomes.models import OutcomeRow, TestedRow
from sextant_backend.modules.plans.models import PlanRow
from sextant_backend.modules.telemetry.models import LatestHost, chain_samples

WINDOW = timedelta(seconds=10)
SETTLING = timedelta(seconds=5)
"""After the end of an operation, before a window begins."""
LATE = timedelta(seconds=3)
"""After which the last sample of a window is stored."""
OLDEST = timedelta(hours=1)
"""A window that nobody looked at for so long is given up: a bound that spares the older partitions."""
SPREADING = 500
"""Newest telling outcomes of a host model by which it is told how far off a predictor was."""
_TURN = text("SELECT pg_try_advisory_xact_lock(hashtext('sextant.outcomes'))")


def take_turn(session: Session) -> bool:
    """False where another transaction is at it."""
    return bool(session.scalar(_TURN))


def applied(session: Session, limit: int) -> Sequence[int]:
    """Plans that were applied, and whose predictions are not tested yet."""
    query = select(PlanRow.id).where(PlanRow.state == "applied", ~PlanRow.tested).order_by(PlanRow.id).limit(limit)
    return session.scalars(query).all()


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
        .where(row.window_from < now - (WINDOW + LATE))
        .order_by(row.window_from)
        .limit(limit)
    )
    return [_window(tuple(found)) for found in session.execute(query)]


def _window(found: tuple[Any, ...]) -> Window:
    row, ordered, applied_there, phase, status, provenance, samples, offered, measured, now = found
    in_force = ordered == row.generation
    ran = in_force and applied_there == row.generation and phase == "converged" and status == "up"
    return Window(row, in_force, ran, provenance, samples, offered, measured, now)


def page(
    session: Session,
    limit: int,
    before: int | None,
    *,
    chain: str | None,
    plan: int | None,
    nf_type: str | None,
) -> Sequence[OutcomeRow]:
    """At most `limit` outcomes, newest first."""
    query = select(OutcomeRow).order_by(OutcomeRow.id.desc()).limit(limit)
    if before is not None:
        query = query.where(OutcomeRow.id < before)
    if chain is not None:
        query = query.where(OutcomeRow.chain == chain)
    if plan is not None:
        query = query.where(OutcomeRow.plan_id == plan)
    if nf_type is not None:
        query = query.where(OutcomeRow.nf_type == nf_type)
    return session.scalars(query).all()


def first_measured(session: Session, plan_id: int) -> dict[str, float]:
    """Of every chain that a plan placed, Mpps in the first window after."""
    row = OutcomeRow
    newest_first = select(row.chain, row.measured_mpps).where(row.plan_id == plan_id).order_by(row.id.desc())
    return {found.chain: found.measured_mpps for found in session.execute(newest_first)}


def latest(session: Session, key: Key, *, telling: bool, limit: int = LATEST) -> Sequence[OutcomeRow]:
    """The newest of a key; of those that tell something, or of all."""
    query = select(OutcomeRow).where(*_of(key)).order_by(OutcomeRow.id.desc()).limit(limit)
    return session.scalars(query.where(OutcomeRow.told == "telling") if telling else query).all()


def spreading(session: Session, predictors: Mapping[str, str]) -> dict[str, list[Telling]]:
    """By host model, the newest telling outcomes of its predictor, whichever models they were predicted with; host
    models without any are absent. One query. `predictors`: by host model."""
    if not predictors:
        return {}
    row = OutcomeRow
    asked = values(column("host_model", Text), column("predictor", Text), name="asked").data(list(predictors.items()))
    newest = (
        select(row.id, row.plan_id, row.chain, row.predicted_mpps, row.measured_mpps)
        .where(row.host_model == asked.c.host_model, row.predictor == asked.c.predictor, row.told == "telling")
        .order_by(row.id.desc())
        .limit(SPREADING)
        .lateral()
    )
    columns = (newest.c.plan_id, newest.c.chain, newest.c.predicted_mpps, newest.c.measured_mpps)
    query = select(asked.c.host_model, *columns).join(newest, true()).order_by(newest.c.id.desc())
    found: dict[str, list[Telling]] = defaultdict(list)
    for host_model, *outcome in session.execute(query):
        found[host_model].append(Telling(*outcome))
    return found


def untold(session: Session, keys: Iterable[Key]) -> dict[Key, int]:
    """How many outcomes of each key tell nothing; keys without any outcome are absent. One query."""
    row = OutcomeRow
    query = (
        select(row.nf_type, row.host_model, row.predictor, row.version, func.count().filter(row.told != "telling"))
        .where(row.version.in_({key.version for key in keys}), row.host_model.in_({key.host_model for key in keys}))
        .group_by(row.nf_type, row.host_model, row.predictor, row.version)
    )
    return {Key(*key): count for *key, count in session.execute(query)}


def _of(key: Key) -> tuple[ColumnElement[bool], ...]:
    row = OutcomeRow
    return (
        row.nf_type == key.nf_type,
        row.host_model == key.host_model,
        row.predictor == key.predictor,
        row.version == key.version,
    )


def forget_old(session: Session, age: timedelta) -> int:
    """Drop outcomes older than `age`; returns how many."""
    old = delete(OutcomeRow).where(OutcomeRow.at < func.clock_timestamp() - age).returning(OutcomeRow.id)
    return len(session.execute(old).all())
