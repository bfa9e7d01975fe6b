"""Make a recommendation of a draft, and carry one out where its policy is automatic."""

from typing import Any

import structlog
from sextant_domain.console.access import Role
from sextant_domain.naming import few
from sqlalchemy.orm import Session

from sextant_backend.kit.db import session_scope
from sextant_backend.kit.errors import SextantError
from sextant_backend.kit.principal import Principal
from sextant_backend.laws.frame import Draft
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.control import decisions, repository, service, views
from sextant_backend.modules.control.models import RecommendationRow
from sextant_backend.modules.plans import planner
from sextant_backend.modules.plans import service as plans
from sextant_backend.modules.plans import views as plan_views

SYSTEM = Principal(decisions.SYSTEM, Role.OPERATOR)
MOST_NAMED = 4
"""Hosts or chains in a line of the timeline."""
_log = structlog.get_logger()


def recommend(session: Session, law: str, host: str, draft: Draft) -> RecommendationRow:
    """A new recommendation with its plan; published and audited."""
    plan = plans.new(session, draft.intent, SYSTEM, draft.solving)
    planner.put_body(plan, draft.body)
    figures = draft.recommendation
    made = repository.add(session, RecommendationRow(law=law, host=host, plan_id=plan.id, body=figures))
    plan_views.changed(session, plan)
    views.changed(session, made)
    detail = {"law": law, "plan": plan.id, **_figures(figures)}
    audit.record(session, SYSTEM.username, "recommendation.make", f"recommendation/{made.id}", detail)
    return made


def _figures(figures: dict[str, Any]) -> dict[str, object]:
    """For the timeline."""
    detail: dict[str, object] = {"gain_mpps": round(figures["gain_mpps"], 3)}
    if figures.get("because") is not None:
        gain = figures.get("gain_gbps")
        detail = {"because": figures["because"]} | ({"gain_gbps": round(gain, 3)} if gain else {})
    return {
        **detail,
        "moves": figures["moves"],
        "hosts": few(figures["hosts"], MOST_NAMED),
        "chains": few(figures["chains"], MOST_NAMED),
    }


def apply_by_itself(recommendation_id: int, version: int) -> None:
    """What cannot be applied now stays open for an operator. `version`: of the law's policies under which it was
    decided."""
    try:
        with session_scope() as session:
            service.accept(session, recommendation_id, SYSTEM, decided_under=version)
    except SextantError as error:
        _log.warning("recommendation_not_applied", recommendation_id=recommendation_id, cause=error.detail)
