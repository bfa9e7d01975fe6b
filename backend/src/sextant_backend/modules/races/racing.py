"""Runs races: begun with a recommendation, one algorithm a turn, while nobody waits for a plan."""

import time
from typing import Any

import structlog
from sextant_domain.base import Provenance
from sextant_domain.evidence import Algorithm, Solving
from sextant_domain.plan import ChangeKind, PlanBody, ReplaceIntent
from sextant_domain.snapshot import FleetSnapshot
from sqlalchemy.orm import Session

from sextant_backend.kit.db import session_scope
from sextant_backend.modules.races import repository
from sextant_backend.modules.races.models import RaceRow
from sextant_backend.modules.races.scoring import Leg
from sextant_backend.modules.snapshots.packing import pack, unpack

ALGORITHMS = (
    Algorithm.EXACT,
    Algorithm.ANYTIME,
    Algorithm.OCTANS_EXTENDED,
    Algorithm.NODE_FIRST,
    Algorithm.NODE_BALANCE,
)
TIME_LIMIT_S = 2.0
"""Of each."""
KEPT = 50
"""Races."""
_log = structlog.get_logger()


def begin(  # noqa: PLR0917 - one call
    session: Session, plan_id: int, snapshot: FleetSnapshot, body: PlanBody, max_moves: int, margin_mpps: float
) -> None:
    """Let the other algorithms plan for the hosts that a recommended plan changes."""
    hosts = [base.host for base in body.base]
    narrow = _narrowed(snapshot, hosts)
    row = RaceRow(
        plan_id=plan_id,
        hosts=hosts,
        max_moves=max_moves,
        margin_mpps=margin_mpps,
        snapshot=pack(narrow),
        ran=_leg(None, narrow, body).model_dump(mode="json"),
        legs=[],
    )
    repository.add(session, row)
    repository.forget_all_but(session, KEPT)


def _narrowed(snapshot: FleetSnapshot, names: list[str]) -> FleetSnapshot:
    hosts = tuple(host for host in snapshot.hosts if host.inventory.host_id in names)
    runs = {chain.chain for host in hosts for chain in host.content.chains}
    chains = tuple(spec for spec in snapshot.chains if spec.name in runs)
    return snapshot.model_copy(update={"hosts": hosts, "chains": chains})


def turn() -> None:
    """One algorithm of the newest unfinished race, unless somebody waits for a plan."""
    with session_scope() as session:
        row = None if repository.plans_are_made(session) else repository.unfinished(session)
    if row is None or row.snapshot is None:
        return
    algorithm = ALGORITHMS[len(row.legs)]
    leg = _run(unpack(row.snapshot), algorithm, row.max_moves, row.margin_mpps)
    with session_scope() as session:
        now = repository.get(session, row.id, lock=True)
        if now is None or len(now.legs) != len(row.legs):
            return  # another worker was faster
        now.legs = [*now.legs, leg.model_dump(mode="json")]
        if len(now.legs) == len(ALGORITHMS):
            now.snapshot = None


def _run(snapshot: FleetSnapshot, algorithm: Algorithm, max_moves: int, margin_mpps: float) -> Leg:
    from sextant_engine.fleet import Policy
    from sextant_engine.plan import make_plan

    began = time.monotonic()
    solving = Solving(algorithm=algorithm, time_limit_s=TIME_LIMIT_S, max_moves=max_moves)
    try:
        body = make_plan(snapshot, ReplaceIntent(), solving, policy=Policy(margin_mpps=margin_mpps))
    except Exception as error:
        _log.exception("race_leg_failed", algorithm=algorithm.value)
        cause = f"the engine stopped with {type(error).__name__}: {error}"
        return Leg(algorithm=algorithm, error=cause, seconds=time.monotonic() - began)
    return _leg(algorithm, snapshot, body)


def _leg(algorithm: Algorithm | None, snapshot: FleetSnapshot, body: PlanBody) -> Leg:
    from sextant_engine.planning.standing import nodes, standing, under

    names = [host.inventory.host_id for host in snapshot.hosts]
    then = under(snapshot, body)
    found = {one.chain: one for one in standing(then, names)}
    types = {nf.nf_id: nf.nf_type for host in then.hosts for chain in host.content.chains for nf in chain.nfs}
    assumed = any(one.provenance is Provenance.ASSUMED for one in found.values())
    values: dict[str, Any] = {
        "algorithm": algorithm,
        "moves": sum(change.kind is ChangeKind.MOVE for change in body.changes),
        "seconds": body.evidence.seconds,
        "nodes": nodes(then, names),
        "host_of": {chain.chain: host.inventory.host_id for host in then.hosts for chain in host.content.chains},
        "predicted": {name: one.throughput_mpps for name, one in found.items()},
        "bottleneck": {name: types[one.bottleneck] for name, one in found.items() if one.bottleneck is not None},
        "provenance": Provenance.ASSUMED if assumed else Provenance.PREDICTED,
        "values": {spec.name: spec.value for spec in snapshot.chains},
    }
    return Leg.model_validate(values)
