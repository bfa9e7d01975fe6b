"""One leg of a race: an algorithm's plan on the snapshot, or what the plan that ran predicts, as it is scored later."""

import time
from collections.abc import Sequence
from typing import Any

import structlog
from pydantic import TypeAdapter
from sextant_domain.base import BUILT_LATE, Provenance
from sextant_domain.plans.algorithm_declaration import AlgorithmDeclaration
from sextant_domain.plans.algorithms import ALGORITHMS
from sextant_domain.plans.evidence import Algorithm, PlanProgress, Solving
from sextant_domain.plans.intents import Intent
from sextant_domain.plans.plan import ChangeKind, PlanBody
from sextant_domain.plans.snapshot import FleetSnapshot

from sextant_backend.kit.db import session_scope
from sextant_backend.modules.races import repository
from sextant_backend.modules.races.models import RaceRow
from sextant_backend.modules.races.scoring import Leg

TIME_LIMIT_S = 2.0
"""Of each."""
CHECK_EVERY_S = 0.2
_intents: TypeAdapter[Intent] = TypeAdapter(Intent, config=BUILT_LATE)
_log = structlog.get_logger()


def contenders(declared: Sequence[AlgorithmDeclaration]) -> tuple[Algorithm, ...]:
    """Those that are declared to race, so that a new one does by itself."""
    return tuple(Algorithm(one.name) for one in declared if one.races)


CONTENDERS = contenders(ALGORITHMS)


class Preempted(Exception):
    """Somebody waits for a plan: the turn is another time's."""


class _Way:
    """What the engine calls some ten times a second; True ends its search."""

    def __init__(self) -> None:
        self._due_at = time.monotonic() + CHECK_EVERY_S
        self._given = False

    def __call__(self, _: PlanProgress) -> bool:
        now = time.monotonic()
        if now >= self._due_at and not self._given:
            self._due_at = now + CHECK_EVERY_S
            with session_scope() as session:
                self._given = repository.plans_are_made(session)
        return self._given


def leg_of(row: RaceRow, snapshot: FleetSnapshot, algorithm: Algorithm) -> Leg:
    """An algorithm's plan for the race's intent; raises Preempted as soon as somebody waits for a plan."""
    from sextant_engine.errors import PlanningCancelled
    from sextant_engine.fleet_view import MoveThresholds
    from sextant_engine.plan import make_plan

    began = time.monotonic()
    solving = Solving(algorithm=algorithm, time_limit_s=TIME_LIMIT_S, max_moves=row.max_moves)
    intent = _intents.validate_python(row.intent)
    try:
        body = make_plan(snapshot, intent, solving, _Way(), thresholds=MoveThresholds(margin_mpps=row.margin_mpps))
    except PlanningCancelled as cancelled:
        raise Preempted(f"race {row.id}, {algorithm}") from cancelled
    except Exception as error:
        _log.exception("race_leg_failed", algorithm=algorithm.value)
        cause = f"the engine stopped with {type(error).__name__}: {error}"
        return Leg(algorithm=algorithm, error=cause, seconds=time.monotonic() - began)
    return leg(algorithm, snapshot, body)


def leg(algorithm: Algorithm | None, snapshot: FleetSnapshot, body: PlanBody) -> Leg:
    """What a plan on the snapshot predicts, and where everything would stand."""
    from sextant_engine.planning.standing import nodes, standing, under

    names = [host.inventory.host_id for host in snapshot.hosts]
    then = under(snapshot, body)
    found = {one.chain: one for one in standing(then, names)}
    types = {nf.nf_id: nf.nf_type for host in then.hosts for chain in host.content.chains for nf in chain.nfs}
    model_of = {host.inventory.host_id: host.inventory.host_model for host in then.hosts}
    versions = _versions(snapshot)
    assumed = any(one.provenance is Provenance.ASSUMED for one in found.values())
    bottleneck = {name: types[one.bottleneck] for name, one in found.items() if one.bottleneck is not None}
    values: dict[str, Any] = {
        "algorithm": algorithm,
        "moves": sum(change.kind is ChangeKind.MOVE for change in body.changes),
        "seconds": body.evidence.seconds,
        "nodes": nodes(then, names),
        "host_of": {chain.chain: host.inventory.host_id for host in then.hosts for chain in host.content.chains},
        "ports": {chain.chain: chain.ingress.port for host in then.hosts for chain in host.content.chains},
        "predicted": {name: one.throughput_mpps for name, one in found.items()},
        "bottleneck": bottleneck,
        "tested_as": {
            name: (model, one.predictor, versions[model, bottleneck[name]])
            for name, one in found.items()
            for model in [model_of[one.host or ""]]
            if name in bottleneck and one.predictor is not None and (model, bottleneck[name]) in versions
        },
        "offered": {chain.chain: chain.traffic.rate_mpps for host in then.hosts for chain in host.content.chains},
        "provenance": Provenance.ASSUMED if assumed else Provenance.PREDICTED,
        "values": {spec.name: spec.value for spec in snapshot.chains},
    }
    return Leg.model_validate(values)


def _versions(snapshot: FleetSnapshot) -> dict[tuple[str, str], str]:
    """Version of the model that is used of each NF type on each host model: a fitted one before an assumed one."""
    in_turn = sorted(snapshot.models, key=lambda one: (one.provenance is not Provenance.ASSUMED, one.version))
    return {(one.host_model, one.nf_type): one.version for one in in_turn}
