"""Reads recommendations, and does what operators decide about one."""

from sextant_domain.console.views import Page
from sextant_domain.laws.recommendation import Recommendation, RecommendationState
from sextant_domain.plans.plan import PlanState
from sextant_engine.control import frame
from sqlalchemy.orm import Session

from sextant_backend.kit.errors import NotFound
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal
from sextant_backend.laws import registry
from sextant_backend.modules.control import decisions, gains, policy_table, repository, views
from sextant_backend.modules.control.errors import PolicyChanged, RecommendationDecided
from sextant_backend.modules.control.models import LawRow, RecommendationRow
from sextant_backend.modules.maintenance import service as maintenance
from sextant_backend.modules.plans import service as plans

KEPT = 1000
"""Recommendations."""


def page(
    session: Session, asked: Paging, state: RecommendationState | None, plan_id: int | None, law: str | None
) -> Page[Recommendation]:
    """A page of recommendations."""
    found = repository.page(session, asked, state=state.value if state else None, plan_id=plan_id, law=law)
    return found.page(views.recommendation(row) for row in found.rows)


def open_ones(session: Session) -> tuple[Recommendation, ...]:
    """Those that are open: what a console starts with."""
    return tuple(views.recommendation(row) for row in repository.open_ones(session))


def found(session: Session, recommendation_id: int, *, lock: bool = False) -> RecommendationRow:
    """The recommendation's row; raises NotFound."""
    row = repository.get(session, recommendation_id, lock=lock)
    if row is None:
        listing = "`sextant recommendations list` shows those that are"
        raise NotFound(f"There is no recommendation {recommendation_id}; {listing}.")
    return row


def accept(
    session: Session, recommendation_id: int, who: Principal, *, decided_under: int | None = None
) -> Recommendation:
    """Apply its plan; raises RecommendationDecided, and what applying raises.

    `decided_under`: the version of the law's policies under which it is applied by itself, None where an operator
    asked; raises PolicyChanged where they, or the switch of all laws, have changed since, or maintenance has begun.
    """
    remembered, row = _open(session, recommendation_id)
    automatic = decided_under is not None
    if automatic and policy_table.law_row(session, row.law).version != decided_under:
        raise PolicyChanged(f"Recommendation {row.id} is left to an operator. Nothing was changed.")
    rests = maintenance.resting(session)
    why = next((why for host in row.body["hosts"] if (why := rests.why(host)) is not None), None)
    if automatic and why is not None:
        raise PolicyChanged(f"Recommendation {row.id} is left to an operator: {why}. Nothing was changed.")
    law = registry.law_named(row.law)
    plan = plans.found(session, row.plan_id, lock=True, body=True)
    reason = decisions.outdated(session, law, plan)
    if reason is not None:
        raise RecommendationDecided(f"Recommendation {row.id} is about to be withdrawn: {reason}. Nothing was changed.")
    row.measured_before = gains.before(session, plan) if law.rests_on_models else None
    row.operation_id = plans.apply(session, plan, who).id
    row.automatic = automatic
    memory = decisions.memory_of(law, remembered)
    decisions.remember(law, remembered, decisions.accepted(session, law, memory))
    decisions.decide(session, row, RecommendationState.ACCEPTED, who.username)
    return views.recommendation(row)


def dismiss(session: Session, recommendation_id: int, who: Principal) -> Recommendation:
    """Say no; its plan is rejected. Raises RecommendationDecided."""
    remembered, row = _open(session, recommendation_id)
    law = registry.law_named(row.law)
    decisions.remember(law, remembered, frame.dismissed(decisions.memory_of(law, remembered)))
    decisions.decide(session, row, RecommendationState.DISMISSED, who.username)
    if plans.found(session, row.plan_id, lock=True).state == PlanState.PROPOSED:
        plans.reject(session, row.plan_id, who)
    return views.recommendation(row)


def _open(session: Session, recommendation_id: int) -> tuple[LawRow, RecommendationRow]:
    """What is remembered of its law, and itself; both locked."""
    unlocked = found(session, recommendation_id)
    remembered = policy_table.law_row(session, unlocked.law, unlocked.host, lock=True)
    session.expire(unlocked)
    row = found(session, recommendation_id, lock=True)
    if row.state != RecommendationState.OPEN:
        cause = f": {row.reason}" if row.reason else f" by {row.decided_by}"
        raise RecommendationDecided(f"Recommendation {row.id} was {row.state}{cause}. Nothing was changed.")
    return remembered, row


def forget_old(session: Session) -> None:
    """Drop recommendations beyond the newest."""
    repository.forget_all_but(session, KEPT)
