"""Reads the policy and recommendations, and does what operators decide. The look at the fleet is `looking.py`."""

from sextant_domain.console.views import Page
from sextant_domain.laws.recommendation import PolicyMode, Recommendation, RecommendationPolicy, RecommendationState
from sextant_domain.plans.plan import PlanState
from sextant_domain.plans.trust import Trust, TrustVerdict
from sextant_domain.problem import NextAction
from sextant_engine import curve_prediction
from sextant_engine.control import frame
from sqlalchemy.orm import Session

from sextant_backend.kit import paging
from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import NotFound
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.outcomes import service as outcomes
from sextant_backend.modules.plans import service as plans
from sextant_backend.modules.recommendations import deciding, facts, repository, views
from sextant_backend.modules.recommendations.errors import NotTrusted, RecommendationDecided
from sextant_backend.modules.recommendations.models import PolicyRow, RecommendationRow

KEPT = 1000
"""Recommendations."""


def policy(session: Session, *, lock: bool = False) -> PolicyRow:
    """The policy's row."""
    return repository.policy(session, lock=lock)


def set_policy(session: Session, row: PolicyRow, wanted: RecommendationPolicy, who: Principal) -> None:
    """Put another policy in force; raises NotTrusted for an automatic one while a predictor in use is distrusted."""
    if wanted.mode is PolicyMode.AUTOMATIC:
        _refuse_distrusted(session)
    former = RecommendationPolicy.model_validate(row.policy)
    if wanted == former:
        return
    row.policy, row.seen, row.looked_at = wanted.model_dump(mode="json"), None, None
    row.changed_at, row.changed_by = db_now(session), who.username
    row.version += 1
    given = wanted.model_dump(mode="json")
    detail = {name: value for name, value in given.items() if value != former.model_dump(mode="json")[name]}
    audit.record(session, who.username, "policy.set", "policy", detail)


def _refuse_distrusted(session: Session) -> None:
    found = [
        one
        for one in outcomes.trust(session, None, None)
        if one.verdict is TrustVerdict.DISTRUSTED and one.predictor != curve_prediction.PREDICTOR
    ]
    if found:
        raise NotTrusted(
            f"{_text(found[0])}. An automatic policy would act on its figures; the policy was not changed.",
            next_actions=[
                NextAction(label="See what came of its predictions", command="sextant trust"),
                NextAction(label="Profile the NF type again", command=f"sextant profile start {found[0].nf_type}"),
            ],
        )


def _text(one: Trust) -> str:
    return f"{one.predictor} is distrusted for {one.nf_type} on {one.host_model}: {one.why}"


def page(
    session: Session, asked: Paging, state: RecommendationState | None, plan_id: int | None
) -> Page[Recommendation]:
    """A page, newest first."""
    rows = repository.page(session, asked.limit + 1, asked.key(int), state.value if state else None, plan_id)
    return paging.page([views.recommendation(row) for row in rows], asked, lambda one: one.id)


def open_ones(session: Session) -> tuple[Recommendation, ...]:
    """The open one, if there is one: what a console starts with."""
    row = repository.open_one(session)
    return () if row is None else (views.recommendation(row),)


def found(session: Session, recommendation_id: int, *, lock: bool = False) -> RecommendationRow:
    """The recommendation's row; raises NotFound."""
    row = repository.get(session, recommendation_id, lock=lock)
    if row is None:
        listing = "`sextant recommendations list` shows those that are"
        raise NotFound(f"There is no recommendation {recommendation_id}; {listing}.")
    return row


def accept(session: Session, recommendation_id: int, who: Principal, *, automatic: bool = False) -> Recommendation:
    """Apply its plan; raises RecommendationDecided, and what applying raises."""
    policy_row = repository.policy(session, lock=True)
    row = _open(session, recommendation_id)
    plan = plans.found(session, row.plan_id, lock=True, body=True)
    reason = deciding.outdated(session, plan)
    if reason is not None:
        raise RecommendationDecided(f"Recommendation {row.id} is about to be withdrawn: {reason}. Nothing was changed.")
    row.measured_before = facts.before(session, plan)
    row.operation_id = plans.apply(session, plan, who).id
    row.automatic = automatic
    memory = frame.accepted(
        RecommendationPolicy.model_validate(policy_row.policy),
        deciding.memory_of(policy_row),
        db_now(session).timestamp(),
    )
    deciding.remember(policy_row, memory)
    deciding.decide(session, row, RecommendationState.ACCEPTED, who.username)
    detail = {"plan": row.plan_id, "operation": row.operation_id, "automatic": automatic}
    audit.record(session, who.username, "recommendation.accept", f"recommendation/{row.id}", detail)
    return views.recommendation(row)


def dismiss(session: Session, recommendation_id: int, who: Principal) -> Recommendation:
    """Say no; its plan is rejected. Raises RecommendationDecided."""
    policy_row = repository.policy(session, lock=True)
    row = _open(session, recommendation_id)
    deciding.remember(policy_row, frame.dismissed(deciding.memory_of(policy_row)))
    deciding.decide(session, row, RecommendationState.DISMISSED, who.username)
    audit.record(session, who.username, "recommendation.dismiss", f"recommendation/{row.id}", {"plan": row.plan_id})
    if plans.found(session, row.plan_id, lock=True).state == PlanState.PROPOSED:
        plans.reject(session, row.plan_id, who)
    return views.recommendation(row)


def _open(session: Session, recommendation_id: int) -> RecommendationRow:
    row = found(session, recommendation_id, lock=True)
    if row.state != RecommendationState.OPEN:
        cause = f": {row.reason}" if row.reason else f" by {row.decided_by}"
        raise RecommendationDecided(f"Recommendation {row.id} was {row.state}{cause}. Nothing was changed.")
    return row


def forget_old(session: Session) -> None:
    """Drop recommendations beyond the newest."""
    repository.forget_all_but(session, KEPT)
