"""Predict, submit, adjust and delete chains."""

from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.console.access import Permission
from sextant_domain.console.views import ChainView
from sextant_domain.plans.new_chain import NewChainPrediction
from sextant_domain.plans.operation import Operation
from sextant_domain.plans.settings_prediction import SettingsPrediction

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.errors import NotFound, ValidationFailed
from sextant_backend.kit.etag import IfMatch, require_if_match, set_etag
from sextant_backend.kit.idempotency import Idempotent, IdempotentRoute
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.modules.chain_requests import group_change, measured_soon, service, settings_change
from sextant_backend.modules.chain_requests.new_chain import Predictor
from sextant_backend.modules.chain_requests.schemas import (
    ChainBatch,
    ChainChange,
    ChainsSubmitted,
    ChainSubmitted,
    GroupChange,
)
from sextant_backend.modules.chains import service as chains
from sextant_backend.modules.chains.endpoints import ChainName
from sextant_backend.modules.operations import service as operations
from sextant_backend.modules.plans.drafts import RequestDraft

BATCHES, MOST_BATCH_BYTES = "/chains/batches", 8 * 1024 * 1024
MayWriteChains = Annotated[Principal, may(Permission.CHAINS_WRITE)]


WithLanes = Annotated[bool, Query(description="With all its further lanes, in one operation")]


def _draft_removal(
    session: SessionDep, _operator: MayWriteChains, name: ChainName, lanes: WithLanes = False
) -> RequestDraft | None:
    """Before the request writes anything. Whatever refuses it refuses the request itself, in better words."""
    with suppress(NotFound, ValidationFailed):
        return service.draft_removal(session, name, lanes=lanes)
    return None


def _draft_change(
    session: SessionDep,
    _operator: MayWriteChains,
    name: ChainName,
    change: ChainChange,
) -> RequestDraft | None:
    """As `_draft_removal`."""
    with suppress(NotFound, ValidationFailed):
        return settings_change.draft(session, name, change)
    return None


router = APIRouter(prefix="/chains", tags=["chains"], route_class=IdempotentRoute)


@router.post("", operation_id="submitChain", status_code=201, dependencies=[Idempotent])
def submit_chain(
    session: SessionDep,
    operator: MayWriteChains,
    response: Response,
    spec: ChainSpec,
) -> ChainSubmitted:
    """Store a chain; a plan to place it is made in the background."""
    submitted = service.submit(session, spec, operator)
    response.headers["Location"] = f"/api/v1/chains/{spec.name}"
    set_etag(response, submitted.chain.version)
    return submitted


@router.post("/batches", operation_id="submitChains", status_code=201, dependencies=[Idempotent])
def submit_chains(session: SessionDep, operator: MayWriteChains, batch: ChainBatch) -> ChainsSubmitted:
    """Store up to 1,000 chains, all or none; one plan to place them all is made in the background."""
    return service.submit_all(session, batch.chains, operator)


@router.post("/predictions", operation_id="predictChain")
def predict_chain(predictor: Predictor, session: SessionDep, _viewer: Viewer, spec: ChainSpec) -> NewChainPrediction:
    """What a chain would do if it were submitted now: where it would stand, what it would carry, which chains it would
    slow down. Nothing is planned and nothing is stored."""
    found = predictor.predict(session, spec)
    return found.model_copy(update={"next_actions": measured_soon.next_actions(session, found)})


@router.post("/{name}/settings/predictions", operation_id="predictChainSettings")
def predict_chain_settings(
    _turn: Predictor, session: SessionDep, _viewer: Viewer, name: ChainName, change: ChainChange
) -> SettingsPrediction:
    """What a change of a chain's settings would do if it were applied now: to what the chain carries, and to other
    chains of its host. Nothing is planned, stored or ordered."""
    found = settings_change.predict(session, name, change)
    return found.model_copy(update={"next_actions": measured_soon.next_actions(session, found)})


@router.patch(
    "/{name}/settings",
    operation_id="adjustChain",
    status_code=202,
    responses={
        202: {"model": Operation},
        200: {"model": ChainView, "description": "It runs nowhere, or is as asked already: no host is ordered"},
    },
    response_model=None,
    dependencies=[Depends(_draft_change), Idempotent],
)
def adjust_chain(
    *,
    request: Request,
    response: Response,
    session: SessionDep,
    operator: MayWriteChains,
    name: ChainName,
    change: ChainChange,
    drafted: Annotated[RequestDraft | None, Depends(_draft_change)],
    _if_match: IfMatch = None,
) -> Operation | ChainView:
    """Change traffic, pause, execution, CPU, backends and rules in the kernel while it runs, without a restart or a
    second approval."""
    row = service.found_for_change(session, name)
    require_if_match(request, row.version)
    operation_id = settings_change.adjust(session, row, change, drafted, operator)
    if operation_id is None:
        response.status_code = 200
        chain = chains.one(session, name)
        set_etag(response, chain.version)
        return chain
    response.headers["Location"] = f"/api/v1/operations/{operation_id}"
    return operations.one(session, operation_id)


@router.put("/{name}/anti-affinity", operation_id="setAntiAffinity")
def set_anti_affinity(
    *,
    request: Request,
    response: Response,
    session: SessionDep,
    operator: MayWriteChains,
    name: ChainName,
    asked: GroupChange,
    _if_match: IfMatch = None,
) -> ChainView:
    """Give a chain an anti-affinity group, another one or none. Nothing moves: 409 where it runs with a chain that the
    group keeps it apart from. A chain that runs nowhere is planned anew."""
    row = service.found_for_change(session, name)
    require_if_match(request, row.version)
    group_change.change(session, row, asked.anti_affinity, operator)
    chain = chains.one(session, name)
    set_etag(response, chain.version)
    return chain


@router.delete(
    "/{name}",
    operation_id="deleteChain",
    status_code=202,
    responses={202: {"model": Operation}, 204: {"description": "It was placed nowhere: gone at once"}},
    response_model=None,
)
def delete_chain(
    *,
    request: Request,
    response: Response,
    session: SessionDep,
    operator: MayWriteChains,
    name: ChainName,
    lanes: WithLanes = False,
    drafted: Annotated[RequestDraft | None, Depends(_draft_removal)],
    _if_match: IfMatch = None,
) -> Operation | Response:
    """Stop a chain on its hosts and delete it: a plan and an operation, without a second approval."""
    row = service.found_for_change(session, name, lanes=lanes)
    require_if_match(request, row.version)
    operation_id = service.delete(session, row, drafted, operator, lanes=lanes)
    if operation_id is None:
        return Response(status_code=204)
    response.headers["Location"] = f"/api/v1/operations/{operation_id}"
    return operations.one(session, operation_id)
