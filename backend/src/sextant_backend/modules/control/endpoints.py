"""Recommendations, policies by law and scope, the switch of all laws, and the timeline."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from sextant_domain.base import Name
from sextant_domain.console.access import Permission
from sextant_domain.console.views import Page
from sextant_domain.laws.automation import (
    Automation,
    AutomationSwitch,
    ModeChoice,
    NarrowScope,
    PolicyScope,
    ScopedPolicy,
    TimelineEntry,
    TimelineEvent,
)
from sextant_domain.laws.frame import LawName
from sextant_domain.laws.host_automation import HostAutomation
from sextant_domain.laws.octans import OCTANS
from sextant_domain.laws.recommendation import (
    PolicyView,
    Recommendation,
    RecommendationAction,
    RecommendationPolicy,
    RecommendationState,
)

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import IfMatch, require_if_match, set_etag
from sextant_backend.kit.idempotency import Idempotent, IdempotentRoute
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.laws import registry
from sextant_backend.modules.control import (
    host_automation,
    policies,
    policy_table,
    repository,
    service,
    timeline,
    views,
)

router = APIRouter(tags=["automation"], route_class=IdempotentRoute)
MayStopAutomation = Annotated[Principal, may(Permission.AUTOMATION_STOP)]
MayPolicyAutomation = Annotated[Principal, may(Permission.AUTOMATION_POLICY)]
MayDecideRecommendations = Annotated[Principal, may(Permission.RECOMMENDATIONS_DECIDE)]

RecommendationId = Annotated[int, Path(ge=1, lt=2**63)]
OfLaw = Annotated[LawName | None, Query(description="Only those of this control law")]


@router.get("/automation", operation_id="getAutomation")
def get_automation(session: SessionDep, _viewer: Viewer, response: Response) -> Automation:
    """All control laws, what each does at present, and the switch that stops them."""
    row = repository.control(session)
    set_etag(response, row.version)
    return policies.automation(session, row)


@router.put("/automation", operation_id="switchAutomation")
def switch_automation(
    *,
    request: Request,
    response: Response,
    session: SessionDep,
    operator: MayStopAutomation,
    wanted: AutomationSwitch,
    _if_match: IfMatch = None,
) -> Automation:
    """Stop all control laws, or let them go on. Open recommendations are withdrawn within seconds of a stop."""
    row = repository.control(session, lock=True)
    require_if_match(request, row.version)
    policies.switch(session, row, wanted.stopped, operator)
    set_etag(response, row.version)
    return policies.automation(session, row)


@router.get("/automation/timeline", operation_id="listTimeline")
def list_timeline(
    *,
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, timeline.ORDER.asked],
    event: Annotated[TimelineEvent | None, Query(description="Only this kind of event")] = None,
    actor: Annotated[str | None, Query(max_length=200, description="Only what this user or process did")] = None,
    law: Annotated[
        LawName | None, Query(description="Only what is of this control law; what is of all laws is of each")
    ] = None,
) -> Page[TimelineEntry]:
    """Decisions about control laws and by them, and what came of them, newest first."""
    return timeline.page(session, asked, event, actor, law)


@router.get("/automation/hosts/{host_id}", operation_id="getHostAutomation")
def get_host_automation(session: SessionDep, _viewer: Viewer, host_id: Name) -> HostAutomation:
    """What Sextant does by itself on a host: each control law there, what holds it back, and what else goes without an
    admin."""
    return host_automation.of_host(session, host_id)


@router.get("/policies", operation_id="listPolicies")
def list_policies(
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, policy_table.ORDER.asked],
    law: OfLaw = None,
    scope: PolicyScope | None = None,
) -> Page[ScopedPolicy]:
    """How far each law may act, by scope; the narrowest wins: a chain's, then its host's, then the fleet's."""
    return policies.page(session, asked, law, scope)


@router.get("/policies/{law}/fleet", operation_id="getFleetPolicy")
def get_fleet_policy(session: SessionDep, _viewer: Viewer, response: Response, law: LawName) -> PolicyView:
    """How far a law may act in the fleet, from which gain on, and what it does at present."""
    row = policy_table.of_fleet(session, registry.law_named(law).name)
    set_etag(response, row.version)
    return views.fleet_policy(session, row)


@router.put("/policies/{law}/fleet", operation_id="setFleetPolicy")
def set_fleet_policy(
    *,
    request: Request,
    response: Response,
    session: SessionDep,
    admin: MayPolicyAutomation,
    law: LawName,
    wanted: RecommendationPolicy,
    _if_match: IfMatch = None,
) -> PolicyView:
    """Put another policy in force. 409 for an automatic one while a predictor in use is distrusted."""
    row = policy_table.of_fleet(session, registry.law_named(law).name, lock=True)
    require_if_match(request, row.version)
    policies.set_fleet_policy(session, row, wanted, admin)
    set_etag(response, row.version)
    return views.fleet_policy(session, row)


@router.put("/policies/{law}/{scope}/{name}", operation_id="setScopedPolicy")
def set_scoped_policy(
    *,
    session: SessionDep,
    admin: MayPolicyAutomation,
    law: LawName,
    scope: NarrowScope,
    name: Name,
    wanted: ModeChoice,
) -> ScopedPolicy:
    """How far a law may act on a host or a chain. 409 for automatic while a predictor in use is distrusted."""
    return policies.set_mode(session, registry.law_named(law), scope, name, mode=wanted.mode, who=admin)


@router.delete("/policies/{law}/{scope}/{name}", operation_id="clearScopedPolicy", status_code=204)
def clear_scoped_policy(
    session: SessionDep,
    admin: MayPolicyAutomation,
    law: LawName,
    scope: NarrowScope,
    name: Name,
) -> None:
    """Remove the policy of a host or chain; the policy of the next wider scope applies."""
    policies.clear_mode(session, registry.law_named(law), scope, name, admin)


@router.get("/policy", operation_id="getPolicy")
def get_policy(session: SessionDep, viewer: Viewer, response: Response) -> PolicyView:
    """The same as GET /policies/octans/fleet."""
    return get_fleet_policy(session, viewer, response, OCTANS)


@router.put("/policy", operation_id="setPolicy")
def set_policy(
    *,
    request: Request,
    response: Response,
    session: SessionDep,
    admin: MayPolicyAutomation,
    wanted: RecommendationPolicy,
    _if_match: IfMatch = None,
) -> PolicyView:
    """The same as PUT /policies/octans/fleet."""
    return set_fleet_policy(request=request, response=response, session=session, admin=admin, law=OCTANS, wanted=wanted)


@router.get("/recommendations", operation_id="listRecommendations")
def list_recommendations(
    *,
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.ORDER.asked],
    state: RecommendationState | None = None,
    plan: Annotated[int | None, Query(ge=1, lt=2**63, description="Only the one of this plan")] = None,
    law: OfLaw = None,
) -> Page[Recommendation]:
    """Recommendations, newest first; at most one is open by law and host."""
    return service.page(session, asked, state, plan, law)


@router.get("/recommendations/{recommendation_id}", operation_id="getRecommendation")
def get_recommendation(
    session: SessionDep, _viewer: Viewer, response: Response, recommendation_id: RecommendationId
) -> Recommendation:
    """One recommendation."""
    row = service.found(session, recommendation_id)
    set_etag(response, row.state)
    return views.recommendation(row)


@router.post(
    "/recommendations/{recommendation_id}/actions", operation_id="decideRecommendation", dependencies=[Idempotent]
)
def decide_recommendation(
    session: SessionDep,
    operator: MayDecideRecommendations,
    recommendation_id: RecommendationId,
    asked: RecommendationAction,
) -> Recommendation:
    """Accept it: its plan is applied, as any. Or dismiss it: it comes again only if the gain grows by half."""
    decide = service.accept if asked.action == "accept" else service.dismiss
    return decide(session, recommendation_id, operator)
