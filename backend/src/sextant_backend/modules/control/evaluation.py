"""The CONTROL task: one turn of every law that is due, under one lease. It knows no law by name."""

from dataclasses import dataclass
from typing import Any

from sextant_domain.laws.recommendation import PolicyMode, RecommendationPolicy
from sextant_domain.plans.evidence import PREDICTORS_AT_REST
from sextant_domain.plans.trust import TrustVerdict
from sextant_engine.control.frame import Decision, LawMemory, Recommend, Withdraw, evaluate
from sqlalchemy.orm import Session

from sextant_backend.domain_events import RecommendationMade, announce
from sextant_backend.kit import outbox
from sextant_backend.kit.db import db_now, session_scope
from sextant_backend.kit.leases import claims
from sextant_backend.kit.leases.claims import Heartbeat
from sextant_backend.kit.leases.work import ClaimedWork, LeasedWork
from sextant_backend.kit.memory import without_collector
from sextant_backend.laws.frame import LawInput, Observed
from sextant_backend.modules.control import (
    decisions,
    gains,
    policies,
    policy_table,
    reading,
    recommending,
    repository,
)
from sextant_backend.modules.control.models import CONTROL_ROW_ID, FLEET, ControlRow
from sextant_backend.modules.control.reading import Turn

DECISIONS_TALLY = "law_evaluations"
NO_ACTION, RECOMMEND, APPLY, WITHDRAW = DECISIONS = ("no-action", "recommend", "apply", "withdraw")
"""What evaluations are counted by."""


@dataclass(frozen=True)
class LawEvaluation:
    """What came of a turn, before it is stored."""

    turn: Turn
    observed: Observed[Any] | None
    """None where nothing was observed: an operation runs, the policy is manual, or all laws are stopped."""


def tick() -> None:
    """One turn of every law that is due, if nobody is at it. What became of open recommendations' plans is followed
    every time."""
    with session_scope() as session:
        decisions.follow_plans(session)
        gains.settle(session)
    work = _Control()
    if work.run():
        for recommendation_id, version in work.to_apply:
            recommending.apply_by_itself(recommendation_id, version)


class _Control(LeasedWork[tuple[Turn, ...], tuple[LawEvaluation, ...]]):
    """One turn of every law that is due."""

    model, name, points = ControlRow, "control", frozenset({"claimed", "before_store"})

    def __init__(self) -> None:
        self.to_apply: list[tuple[int, int]] = []
        """Once stored: recommendations that are applied by themselves, with the version of the policies."""

    def take(self, session: Session) -> ClaimedWork[tuple[Turn, ...]] | None:
        """If a law is due."""
        repository.control(session)
        token = repository.claim(session)
        if token is None:
            return None
        turns = reading.read(session)
        if turns:
            return ClaimedWork(CONTROL_ROW_ID, token, turns)
        claims.give_back(repository.control(session, lock=True))
        return None

    def perform(self, taken: ClaimedWork[tuple[Turn, ...]], heart: Heartbeat) -> tuple[LawEvaluation, ...]:
        """What each law observes; every one has a step of its own."""
        found = []
        for turn in taken.what:
            heart.next_step()
            with without_collector():
                found.append(LawEvaluation(turn, observe(turn)))
        return tuple(found)

    def store(self, session: Session, taken: ClaimedWork[tuple[Turn, ...]], result: tuple[LawEvaluation, ...]) -> None:
        """What the frame says of it."""
        control = repository.control(session, lock=True)
        claims.held(control, taken.token)
        claims.give_back(control)
        for one in result:
            made = _store(session, one)
            if made is not None:
                self.to_apply.append((made, one.turn.version))


def observe(turn: Turn) -> Observed[Any] | None:
    """What the law observes. While the fleet stays as it is it plans again only for what is to be recommended."""
    if not turn.observes:
        return None
    if turn.seen is not None and turn.seen["digest"] == turn.digest:
        former = turn.law.observation.model_validate(turn.seen["observation"])
        again = Observed(turn.law.refresh(former), tuple(turn.seen["hosts"]))
        if not isinstance(_decide(turn, turn.policy_on(again.hosts), turn.memory, again)[1], Recommend):
            return again
    return turn.law.observe(LawInput(turn.policy, turn.snapshot, turn.kept))


def _decide(
    turn: Turn, policy: RecommendationPolicy, memory: LawMemory[Any], observed: Observed[Any] | None
) -> tuple[LawMemory[Any], Decision]:
    observation = None if observed is None else observed.observation
    return evaluate(turn.law.control(), policy, memory, observation, turn.now_s, stopped=turn.stopped)


def _store(session: Session, one: LawEvaluation) -> int | None:
    """The id of a recommendation that is applied by itself."""
    turn, observed = one.turn, one.observed
    policy = _demoted(session, turn, turn.policy_on(observed.hosts if observed else ()))
    of_law = policy_table.law_row(session, turn.law.name, lock=True)
    if of_law.version != turn.version:
        return None  # another policy is in force by now, under which to evaluate again
    row = of_law if turn.host == FLEET else policy_table.law_row(session, turn.law.name, turn.host, lock=True)
    of_law.evaluated_at = row.evaluated_at = db_now(session)
    if row is not of_law:
        of_law.status = "evaluated for each host"
    row.seen = None if observed is None else _seen(turn, observed)
    memory, decision = _decide(turn, policy, decisions.memory_of(turn.law, row), observed)
    draft = observed.draft if observed else None
    if isinstance(decision, Recommend) and draft is None:
        return None  # somebody decided the open one meanwhile; the next turn plans
    row.status = decision.reason
    outbox.count(session, DECISIONS_TALLY, 1, turn.law.name, _word(decision))
    decisions.remember(turn.law, row, memory)
    if isinstance(decision, Withdraw):
        opened = repository.open_one(session, turn.law.name, turn.host, lock=True)
        if opened is not None:
            decisions.withdraw(session, opened, decision.reason)
    if not isinstance(decision, Recommend) or draft is None:
        return None
    made = recommending.recommend(session, row.law, row.host, draft)
    announce(session, RecommendationMade(made.plan_id, turn.snapshot, draft.body, policy))
    return made.id if decision.apply else None


def _word(decision: Decision) -> str:
    if isinstance(decision, Recommend):
        return APPLY if decision.apply else RECOMMEND
    return WITHDRAW if isinstance(decision, Withdraw) else NO_ACTION


def _seen(turn: Turn, observed: Observed[Any]) -> dict[str, Any]:
    observation = observed.observation.model_dump(mode="json")
    return {"digest": turn.digest, "hosts": list(observed.hosts), "observation": observation}


def _demoted(session: Session, turn: Turn, policy: RecommendationPolicy) -> RecommendationPolicy:
    """Automatic policies take themselves back once a predictor in use has lost trust. Pressure curves and processes
    choose only while they held no worse than Octans' equations."""
    lost = [
        one
        for one in turn.snapshot.trust
        if one.verdict is TrustVerdict.DISTRUSTED and one.predictor not in PREDICTORS_AT_REST
    ]
    if not lost:
        return policy
    policies.demote(session, turn.law.name, lost[0])
    if policy.mode is not PolicyMode.AUTOMATIC:
        return policy
    return policy.model_copy(update={"mode": PolicyMode.RECOMMEND})
