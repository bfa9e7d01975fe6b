"""The agent's routes (docs/contracts/agent.md). Every route, known or not, is for the backend alone."""

import secrets
from collections.abc import Callable
from typing import Protocol, TypeVar

import structlog
from fastapi import Depends, FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import BaseModel, ValidationError
from sextant_domain.hosts.desired import ActualState, DesiredHostConfig, DesiredStateOrder, Health
from sextant_domain.hosts.fault import ActiveFaults, FaultOrder
from sextant_domain.hosts.host import HostInventory
from sextant_domain.hosts.packet_capture import CaptureOrder, PacketCapture
from sextant_domain.problem import MEDIA_TYPE, FieldError
from sextant_domain.profiling.job import ProfileOrder
from starlette.exceptions import HTTPException

from sextant_agent.api.artefact_routes import ArtefactService, add_artefact_routes
from sextant_agent.api.peer import require_backend
from sextant_agent.api.profile_routes import ProfileService, add_profile_routes
from sextant_agent.api.traced import Traced
from sextant_agent.kit import metrics
from sextant_agent.orders.problems import AgentProblem, BadOrder, RequestTooLarge

MAX_BODY_BYTES = 1024 * 1024

_Body = TypeVar("_Body", bound=BaseModel)

log = structlog.get_logger()


class AgentService(ArtefactService, ProfileService, Protocol):
    """What the routes need of the agent."""

    def health(self) -> Health:
        """Readiness and what stands in its way."""

    def inventory(self) -> HostInventory:
        """The machine as it is now."""

    def desired(self) -> DesiredHostConfig:
        """The order in force."""

    def accept(self, order: DesiredStateOrder) -> ActualState:
        """Store an order durably."""

    def actual(self) -> ActualState:
        """What runs now."""

    def faults(self) -> ActiveFaults:
        """Ordered faults that are not over."""

    def inject(self, order: FaultOrder) -> ActiveFaults:
        """Make something go wrong on a simulated host."""

    def capture(self, order: CaptureOrder) -> PacketCapture:
        """The next packets that leave a chain."""


AgentOf = Callable[[Request], AgentService]
"""Whose host a request is about; raises a problem where there is no such host here."""


def create_api(agent_of: AgentOf) -> FastAPI:
    """The application; nothing is served that is not in the contract (no documentation pages)."""
    api = FastAPI(
        title="Sextant agent", openapi_url=None, docs_url=None, redoc_url=None, dependencies=[Depends(require_backend)]
    )
    api.add_middleware(Traced)
    api.add_exception_handler(AgentProblem, _agent_problem)
    api.add_exception_handler(HTTPException, _http_exception)
    api.add_exception_handler(Exception, _unexpected)

    @api.get("/v1/health")
    def health(request: Request) -> Health:
        return agent_of(request).health()

    @api.get("/v1/inventory")
    def inventory(request: Request) -> HostInventory:
        return agent_of(request).inventory()

    @api.get("/v1/desired")
    def desired(request: Request) -> DesiredHostConfig:
        return agent_of(request).desired()

    @api.put("/v1/desired", status_code=202)
    async def put_desired(request: Request) -> ActualState:
        order = _parse(DesiredStateOrder, await _read_body(request))
        return await run_in_threadpool(agent_of(request).accept, order)

    @api.get("/v1/actual")
    def actual(request: Request) -> ActualState:
        return agent_of(request).actual()

    @api.get("/v1/faults")
    def faults(request: Request) -> ActiveFaults:
        return agent_of(request).faults()

    @api.post("/v1/faults", status_code=202)
    async def inject(request: Request) -> ActiveFaults:
        order = _parse(FaultOrder, await _read_body(request))
        return await run_in_threadpool(agent_of(request).inject, order)

    @api.post("/v1/captures")
    async def capture(request: Request) -> PacketCapture:
        order = _parse(CaptureOrder, await _read_body(request))
        return await run_in_threadpool(agent_of(request).capture, order)

    async def profile_order(request: Request) -> ProfileOrder:
        return _parse(ProfileOrder, await _read_body(request))

    add_artefact_routes(api, agent_of)
    add_profile_routes(api, agent_of, profile_order)

    @api.get("/metrics", response_class=PlainTextResponse)
    def prometheus() -> Response:
        return Response(metrics.render(), media_type="text/plain; version=0.0.4; charset=utf-8")

    return api


async def _read_body(request: Request) -> bytes:
    """The body, read no further than it may be long, whatever its header says."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_BODY_BYTES:
            raise RequestTooLarge(f"An order has at most {MAX_BODY_BYTES} bytes. Nothing changed.")
    return body


def _parse(kind: type[_Body], body: bytes) -> _Body:
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)[:20]
        errors = tuple(FieldError(field=".".join(map(str, e["loc"])) or "body", message=e["msg"]) for e in found)
        raise BadOrder(f"{errors[0].field}: {errors[0].message}. Nothing changed.", errors=errors) from error


def _answer(request: Request, problem: AgentProblem) -> JSONResponse:
    request_id = request.headers.get("x-request-id", "")[:64] or secrets.token_hex(8)
    value = problem.problem(instance=request.url.path[:200], request_id=request_id)
    headers = {"x-request-id": request_id}
    return JSONResponse(value.model_dump(mode="json"), value.status, headers, media_type=MEDIA_TYPE)


async def _agent_problem(request: Request, error: Exception) -> JSONResponse:
    problem = error if isinstance(error, AgentProblem) else AgentProblem(str(error))
    if problem.status != 403:
        log.warning("request refused", kind=problem.kind, path=request.url.path[:200], cause=problem.detail)
    return _answer(request, problem)


class _NoSuchRoute(AgentProblem):
    status, kind, title = 404, "not-found", "There is nothing at this address"


class _WrongMethod(AgentProblem):
    status, kind, title = 405, "method-not-allowed", "This address does not take this method"


async def _http_exception(request: Request, error: Exception) -> JSONResponse:
    """Unknown addresses meet no dependency, so who asks is checked here."""
    try:
        require_backend(request)
    except AgentProblem as refusal:
        return _answer(request, refusal)
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 404:
        return _answer(request, _NoSuchRoute(f"{request.url.path[:200]} is not an address of the agent."))
    if status == 405:
        return _answer(request, _WrongMethod(f"{request.method} is not for {request.url.path[:200]}."))
    return _answer(request, BadOrder(f"The request could not be read: {getattr(error, 'detail', 'no reason given')}."))


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    log.error("internal error", path=request.url.path[:200], exc_info=error)
    return _answer(
        request,
        AgentProblem("The agent met an error of its own; its log says which. Nothing is known to have changed."),
    )
