"""The RECOMMEND task: look at the fleet, tell the control law, do what it says. One worker at a time, by a lease."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import structlog
from sextant_domain.base import digest_of_json
from sextant_domain.console.views import SloState
from sextant_domain.laws.octans import OctansObservation, OctansParameters
from sextant_domain.laws.recommendation import PolicyMode, RecommendationPolicy
from sextant_domain.plans.evidence import Solving
from sextant_domain.plans.plan import ChangeKind, PlanBody, ReplaceIntent
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_domain.plans.trust import TrustVerdict
from sextant_engine.control.frame import Decision, Memory, Recommend, Withdraw, evaluate
from sextant_engine.control.octans.law import OctansLaw
from sqlalchemy.orm import Session

from sextant_backend.domain_events import RecommendationMade, announce
from sextant_backend.kit.db import allow_idle, db_now, session_scope
from sextant_backend.kit.errors import SextantError
from sextant_backend.kit.leases import claims
from sextant_backend.kit.leases.claims import Heartbeat
from sextant_backend.kit.leases.work import LeasedWork, Taken
from sextant_backend.kit.memory import without_collector
from sextant_backend.kit.principal import Principal, Role
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.chains.views import views as chain_views
from sextant_backend.modules.plans import planner
from sextant_backend.modules.plans import service as plans
from sextant_backend.modules.plans import views as plan_views
from sextant_backend.modules.recommendations import deciding, facts, repository, service, views
from sextant_backend.modules.recommendations.models import PolicyRow, RecommendationRow
from sextant_backend.modules.snapshots import service as snapshots
from sextant_backend.settings import get_settings

TIME_LIMIT_S = 2.0
"""Wall time of the search: it is done again and again, and an operator waits for none of them."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SYSTEM = Principal(deciding.SYSTEM, Role.OPERATOR)
_log = structlog.get_logger()


@dataclass(frozen=True)
class Fleet:
    """What a look is given."""

    policy: RecommendationPolicy
    version: int
    memory: Memory[None]
    seen: dict[str, Any] | None
    snapshot: FleetSnapshot
    busy: bool
    at_s: float


@dataclass(frozen=True)
class Found:
    """What a look found."""

    digest: str
    observation: OctansObservation | None
    """None where nothing was observed: an operation runs, or the policy is manual."""
    body: PlanBody | None = None
    """None where the fleet is as it was at the last look, and nothing is to be recommended."""
    recommendation: dict[str, Any] = field(default_factory=dict)
    """Recommendation as JSON, without what stands in columns."""


def look() -> None:
    """Once, if it is due and nobody is at it. What became of the open recommendation's plan is followed every time."""
    with session_scope() as session:
        deciding.follow_plan(session)
        facts.settle(session)
    looking = _Looking()
    if looking.run() and looking.to_apply is not None:
        _apply(looking.to_apply)


class _Looking(LeasedWork[None, tuple[Fleet, Found]]):
    """One look at the fleet."""

    model, name, points = PolicyRow, "recommend", frozenset({"claimed", "before_store"})
    to_apply: int | None = None
    """The id of a recommendation, once it is stored, that the policy applies itself."""

    def take(self, session: Session) -> Taken[None] | None:
        """If it is due."""
        policy = RecommendationPolicy.model_validate(repository.policy(session).policy)
        token = repository.claim(session, policy.every_s)
        return None if token is None else Taken(repository.THE_ONE, token, None)

    def perform(self, taken: Taken[None], heart: Heartbeat) -> tuple[Fleet, Found]:  # noqa: ARG002 - there is one policy
        """What it was given, and what it found."""
        with without_collector():
            with session_scope() as session:
                fleet = _read(session)
            heart.next_step()
            return fleet, _look_at(fleet)

    def store(self, session: Session, taken: Taken[None], result: tuple[Fleet, Found]) -> None:
        """What the control law says of it."""
        self.to_apply = _store(session, taken.token, *result)


def _read(session: Session) -> Fleet:
    allow_idle(session)
    row = repository.policy(session)
    policy = RecommendationPolicy.model_validate(row.policy)
    taken = snapshots.take(session) if policy.mode is not PolicyMode.MANUAL else snapshots.narrow(session, [])
    runs = {chain.chain for host in taken.hosts for chain in host.content.chains}
    return Fleet(
        policy=policy,
        version=row.version,
        memory=deciding.memory_of(row),
        seen=row.seen,
        # A chain that waits is an operator's to place: a re-placement of what runs starts nothing.
        snapshot=taken.model_copy(update={"chains": tuple(spec for spec in taken.chains if spec.name in runs)}),
        busy=repository.an_operation_runs(session),
        at_s=db_now(session).timestamp(),
    )


def _look_at(fleet: Fleet) -> Found:
    same = fleet.snapshot.model_copy(update={"taken_at": EPOCH, "trust": ()})  # neither changes what is to be gained
    digest = digest_of_json(same.model_dump_json().encode())
    if fleet.busy or fleet.policy.mode is PolicyMode.MANUAL:
        return Found(digest, None)
    if fleet.seen is not None and fleet.seen["digest"] == digest and "octans" in fleet.seen:
        again = _measured(OctansObservation.model_validate(fleet.seen["octans"]))
        if not isinstance(_step(fleet.policy, fleet.memory, again, fleet.at_s)[1], Recommend):
            return Found(digest, again)
    return _planned(fleet, digest)


def _step(
    policy: RecommendationPolicy, memory: Memory[None], observation: OctansObservation | None, now_s: float
) -> tuple[Memory[None], Decision]:
    law = OctansLaw(OctansParameters(band_percent=get_settings().trust_band_percent))
    return evaluate(law, policy, memory, observation, now_s)


def _planned(fleet: Fleet, digest: str) -> Found:
    from sextant_engine.fleet_view import MoveThresholds  # the Rust core, which only this needs
    from sextant_engine.plan import make_plan
    from sextant_engine.planning.gain import gain_of

    thresholds = MoveThresholds(margin_mpps=fleet.policy.margin_mpps)
    body = make_plan(fleet.snapshot, ReplaceIntent(), _solving(fleet.policy), thresholds=thresholds)
    gain = gain_of(fleet.snapshot, body, _meets({one.chain for one in body.predictions}))
    moved = [change for change in body.changes if change.kind is ChangeKind.MOVE]
    observation = OctansObservation(
        gain_mpps=gain.mpps,
        gain_percent=gain.percent,
        moves=len(moved),
        mends=len(gain.mends) - len(gain.breaks),
        trust=gain.trust,
        predicted=facts.predicted(fleet.snapshot, gain.now),
    )
    recommendation = {
        "hosts": [base.host for base in body.base],
        "chains": sorted({change.chain for change in moved}),
        "moves": len(moved),
        "gain_mpps": gain.mpps,
        "gain_percent": gain.percent,
        **gain.model_dump(mode="json", exclude={"mpps", "percent", "now"}),
    }
    return Found(digest, _measured(observation), body, recommendation)


def _meets(names: set[str]) -> dict[str, bool]:
    """Of these chains, those with a throughput SLO that can be judged by measurement: whether it is met."""
    with session_scope() as session:
        found = chain_views(session, chains.living_of(session, names))
    judged = (SloState.MET, SloState.VIOLATED)
    return {view.spec.name: view.throughput_slo is SloState.MET for view in found if view.throughput_slo in judged}


def _measured(observation: OctansObservation) -> OctansObservation:
    """With what its chains carry now."""
    with session_scope() as session:
        return observation.model_copy(update={"measured": facts.carried(session, observation.predicted)})


def _solving(policy: RecommendationPolicy) -> Solving:
    return Solving(time_limit_s=TIME_LIMIT_S, max_moves=policy.max_moves)


def _store(session: Session, token: str, fleet: Fleet, found: Found) -> int | None:
    """The id of a recommendation that the policy applies itself."""
    row = repository.policy(session, lock=True)
    claims.held(row, token)
    claims.give_back(row)
    if row.version != fleet.version:
        return None  # another policy is in force by now, under which to look anew
    row.looked_at = db_now(session)
    row.seen = _seen(found)
    policy = _demoted(session, row, fleet)
    memory, action = _step(policy, deciding.memory_of(row), found.observation, fleet.at_s)
    if isinstance(action, Recommend) and found.body is None:
        return None  # somebody decided the open one while this look went on; the next one plans
    row.says = action.reason
    deciding.remember(row, memory)
    if isinstance(action, Withdraw):
        opened = repository.open_one(session, lock=True)
        if opened is not None:
            deciding.withdraw(session, opened, action.reason)
    if not isinstance(action, Recommend) or found.body is None:
        return None
    made = _recommended(session, found, found.body, policy)
    announce(session, RecommendationMade(made.plan_id, fleet.snapshot, found.body, policy))
    return made.id if action.apply else None


def _seen(found: Found) -> dict[str, Any] | None:
    if found.observation is None:
        return None
    return {"digest": found.digest, "octans": found.observation.model_dump(mode="json")}


def _recommended(session: Session, found: Found, body: PlanBody, policy: RecommendationPolicy) -> RecommendationRow:
    plan = plans.new(session, ReplaceIntent(), SYSTEM, _solving(policy))
    planner.put_body(plan, body)
    made = repository.add(session, RecommendationRow(plan_id=plan.id, body=found.recommendation))
    plan_views.changed(session, plan)
    views.changed(session, made)
    figures = found.recommendation
    detail = {"plan": plan.id, "gain_mpps": round(figures["gain_mpps"], 3), "moves": figures["moves"]}
    audit.record(session, SYSTEM.username, "recommendation.make", f"recommendation/{made.id}", detail)
    return made


def _demoted(session: Session, row: PolicyRow, fleet: Fleet) -> RecommendationPolicy:
    """An automatic policy takes itself back once a predictor in use has lost trust."""
    lost = [one for one in fleet.snapshot.trust if one.verdict is TrustVerdict.DISTRUSTED]
    if fleet.policy.mode is not PolicyMode.AUTOMATIC or not lost:
        return fleet.policy
    policy = fleet.policy.model_copy(update={"mode": PolicyMode.RECOMMEND})
    row.policy = policy.model_dump(mode="json")
    row.changed_at, row.changed_by = db_now(session), SYSTEM.username
    row.version += 1
    why = f"{lost[0].predictor} is distrusted for {lost[0].nf_type} on {lost[0].host_model}: {lost[0].why}"
    audit.record(session, SYSTEM.username, "policy.demote", "policy", {"mode": policy.mode.value, "why": why})
    return policy


def _apply(recommendation_id: int) -> None:
    """What cannot be applied now stays open for an operator."""
    try:
        with session_scope() as session:
            service.accept(session, recommendation_id, SYSTEM, automatic=True)
    except SextantError as error:
        _log.warning("recommendation_not_applied", recommendation_id=recommendation_id, cause=error.detail)
