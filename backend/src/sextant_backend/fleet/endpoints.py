"""Register, report and renew: docs/contracts/agent.md."""

from collections.abc import Collection
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from pydantic import Field
from sextant_domain.base import Frozen, Name
from sextant_domain.hosts.early_report import EarlyReport
from sextant_domain.hosts.enrolment import MOST_HOSTS, AgentUrl, IssuedCertificates, RenewRequest
from sextant_domain.hosts.host import HostInventory
from sextant_domain.hosts.telemetry import TelemetryAnswer
from sextant_domain.problem import FieldError
from sqlalchemy.orm import Session

from sextant_backend.fleet import agent_urls
from sextant_backend.fleet.enrolling import key_in
from sextant_backend.fleet.guard import BATCHES, TELEMETRY, PeerDep, judge_again, not_own, own, peer_in
from sextant_backend.fleet.reports import BodyDep, batch_in, batches_in, early_in
from sextant_backend.fleet.telemetry_answers import TelemetryAnswers
from sextant_backend.fleet.tls import Peer
from sextant_backend.kit.admission import admitted
from sextant_backend.kit.db import SessionDep, session_scope
from sextant_backend.kit.errors import NotFound, ValidationFailed
from sextant_backend.kit.routes import LateRoute
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.enrolments import issuance
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.telemetry import early, received
from sextant_backend.modules.telemetry import service as telemetry

REGISTRATIONS = "/fleet/v1/registrations"
EARLY = "/fleet/v1/telemetry/early"
MOST_BATCHES_BYTES = 16 * 1024 * 1024
ADMITTED = Depends(admitted, scope="function")
"""Of endpoints that open their session themselves: reports come every second, and a dependency that opens it costs each
of them two ways to a thread and back."""
router = APIRouter(tags=["fleet"], dependencies=[Depends(peer_in)], route_class=LateRoute)


class Registration(Frozen):
    """Body of POST /fleet/v1/register."""

    inventory: HostInventory
    agent_url: AgentUrl


class Registrations(Frozen):
    """Body of POST /fleet/v1/registrations: of several hosts that one process serves."""

    registrations: Annotated[tuple[Registration, ...], Field(min_length=1, max_length=MOST_HOSTS)]


class Received(Frozen):
    """What was not stored."""

    refused: dict[Name, str]
    """By host: why. What was said of all other hosts is stored."""


class BatchesReceived(Received):
    """And where no law may act now."""

    laws_stopped: dict[Name, str]
    """By host, of those that are not refused: why. On all others laws may act."""


@router.post("/fleet/v1/register", operation_id="registerAgent", status_code=204)
def register(request: Request, session: SessionDep, peer: PeerDep, body: Registration) -> None:
    """What an agent found on its machine, and where it listens."""
    host_id = body.inventory.host_id
    if not own(session, peer, [host_id]):
        raise not_own(request, peer, host_id)
    hosts.register(session, body.inventory, agent_urls.accepted(body.agent_url))


@router.post(REGISTRATIONS, operation_id="registerHosts", dependencies=[ADMITTED])
def register_hosts(request: Request, peer: PeerDep, body: Registrations) -> Received:
    """As `register`, of many hosts at once. A host that the peer may not speak for (any more), which is audited, and
    one that no order would be sent to are named in the answer, and keep no other from being registered. Of a host that
    is named twice the last counts."""
    found = {one.inventory.host_id: (one.inventory, one.agent_url) for one in body.registrations}
    misplaced = {host_id: why for host_id, (_, url) in found.items() if (why := _why_not(url)) is not None}
    with session_scope() as session:
        allowed = own(session, peer, found)
        hosts.register_all(session, {name: found[name] for name in sorted(allowed - misplaced.keys())})
    foreign = _received(request, peer, found.keys() - allowed).refused
    return Received(refused={**misplaced, **foreign})


def _why_not(agent_url: str) -> str | None:
    try:
        agent_urls.accepted(agent_url)
    except ValidationFailed as error:
        return error.detail
    return None


@router.post(
    TELEMETRY,
    operation_id="reportTelemetry",
    response_model=TelemetryAnswer,
    dependencies=[ADMITTED],
)
def report(request: Request, peer: PeerDep, body: BodyDep) -> Response:
    """What an agent measured (`TelemetryBatch`); a repeat is harmless. Body and answer are read and written here:
    FastAPI would take longer, and a thread of its own."""
    batch = batch_in(body)
    with session_scope() as session:
        judge_again(session, request, peer)
        if not own(session, peer, [batch.host_id]):
            received.note_refused(1)
            raise not_own(request, peer, batch.host_id)
        telemetry.ingest(session, batch)
        said = _answers(request).answer(session, batch.host_id)
    return Response(said, media_type="application/json")


@router.post(EARLY, operation_id="reportEarly", status_code=204, dependencies=[ADMITTED])
def report_early(request: Request, peer: PeerDep, body: BodyDep) -> None:
    """That NFs have become overloaded or saturated, or are so no more, between two reports (`EarlyReport`). One that is
    more than the host's budget, or older than its last one, is passed over: the report of the second says the same."""
    said = early_in(body)
    with session_scope() as session:
        if not own(session, peer, [said.host_id]):
            raise not_own(request, peer, said.host_id)
        _refuse_others_nfs(session, said)
        early.ingest(session, said)


def _refuse_others_nfs(session: Session, said: EarlyReport) -> None:
    """NFs whose quotas the host sets are its own: ordered there, or not yet forgotten there."""
    named = {nf.nf_id for nf in said.bounded_nfs}
    if not named:
        return
    unknown = named - {nf.nf_id for nf in chains.placed_nfs(session, host=said.host_id)}
    if unknown:
        content = hosts.ordered(session, said.host_id).content
        unknown -= {nf.nf_id for chain in content.chains for nf in chain.nfs}
    errors = [
        FieldError(field=f"bounded_nfs.{place}.nf_id", message=f"{nf.nf_id} is no NF of {said.host_id}")
        for place, nf in enumerate(said.bounded_nfs)
        if nf.nf_id in unknown
    ]
    if errors:
        raise ValidationFailed.of(errors, "Nothing was stored.")


@router.post(BATCHES, operation_id="reportBatches", dependencies=[ADMITTED])
def report_batches(request: Request, peer: PeerDep, body: BodyDep) -> BatchesReceived:
    """What a process measured on several hosts (`Batches`). Each batch is judged by itself: a host that the peer may
    not speak for (any more) is named in the answer and audited, and keeps nobody else's figures from being stored."""
    batches = batches_in(body)
    named = {batch.host_id for batch in batches}
    with session_scope() as session:
        judge_again(session, request, peer)
        allowed = own(session, peer, named)
        telemetry.ingest_all(session, [batch for batch in batches if batch.host_id in allowed])
        stopped = _answers(request).stopped(session, allowed)
    received.note_refused(len(batches) - sum(batch.host_id in allowed for batch in batches))
    refused = _received(request, peer, named - allowed).refused
    return BatchesReceived(refused=refused, laws_stopped=stopped)


def _answers(request: Request) -> TelemetryAnswers:
    found: TelemetryAnswers = request.app.state.telemetry_answers
    return found


def _received(request: Request, peer: Peer, foreign: Collection[str]) -> Received:
    return Received(refused={name: not_own(request, peer, name).detail for name in sorted(foreign)})


@router.post("/fleet/v1/renew", operation_id="renewCertificates")
def renew(session: SessionDep, peer: PeerDep, body: RenewRequest) -> IssuedCertificates:
    """The peer's next certificates, for the same ids; the former ones stay good until they end."""
    key, issuer = key_in(body.signing_request), issuance.issuer()
    if peer.kind == "host":
        return issuance.renew_host(session, peer.id, key, issuer)
    return issuance.renew_gateway(session, peer.id, key, issuer)


@router.api_route("/{path:path}", methods=["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], include_in_schema=False)
def nothing(path: str) -> None:
    """Every other path, behind the same guard."""
    raise NotFound(f"There is no /{path}.")
