"""The routes of files: which there are, and taking one in (docs/contracts/agent.md)."""

from collections.abc import Callable
from typing import Protocol

from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from sextant_domain.hosts.artefact import MOST_BYTES, HeldArtefacts, is_digest
from sextant_domain.problem import FieldError
from starlette.requests import ClientDisconnect

from sextant_agent.orders.artefacts import Arrival
from sextant_agent.orders.problems import AgentProblem, BadOrder

FENCE = "X-Sextant-Fence"
PART_BYTES = 1024 * 1024


class ArtefactService(Protocol):
    """What these routes need of the agent."""

    def artefacts(self) -> HeldArtefacts:
        """The files that are here."""

    def receive(self, digest: str, fence: int, declared: int | None) -> Arrival:
        """A place for a file; raises a problem that says why not."""


def add_artefact_routes(api: FastAPI, agent_of: Callable[[Request], ArtefactService]) -> None:
    """GET and PUT of artefacts; who may ask is the application's rule."""

    @api.get("/v1/artefacts")
    def artefacts(request: Request) -> HeldArtefacts:
        return agent_of(request).artefacts()

    @api.put("/v1/artefacts/{digest}", status_code=204)
    async def put_artefact(request: Request, digest: str) -> Response:
        if not is_digest(digest):
            raise _bad("path.digest", "a digest is needed: sha256: and 64 hexadecimal digits")
        try:
            place = await run_in_threadpool(agent_of(request).receive, digest, _fence(request), _declared(request))
            await _take(place, request)
        except AgentProblem:
            await _drain(request)
            raise
        return Response(status_code=204)


async def _take(place: Arrival, request: Request) -> None:
    """Disk work happens in a thread, a part at a time: other requests are answered meanwhile."""
    with place:
        waiting = b""
        try:
            async for part in request.stream():
                waiting += part
                if len(waiting) >= PART_BYTES:
                    await run_in_threadpool(place.write, waiting)
                    waiting = b""
        except ClientDisconnect:
            raise BadOrder("The sender hung up before the file's end. Nothing was stored.") from None
        await run_in_threadpool(place.write, waiting)
        await run_in_threadpool(place.finish)


async def _drain(request: Request) -> None:
    """Read what is left of a refused file, within bounds, so that its sender lives to see why."""
    left = 2 * MOST_BYTES
    try:
        async for part in request.stream():
            left -= len(part)
            if left < 0:
                return
    except (ClientDisconnect, RuntimeError):
        return


def _fence(request: Request) -> int:
    text = request.headers.get(FENCE, "")
    if not text.isascii() or not text.isdecimal() or len(text) > 18:
        raise _bad(f"header.{FENCE}", "the fence of the claim under which the file is sent is needed, a whole number")
    return int(text)


def _declared(request: Request) -> int | None:
    text = request.headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else None


def _bad(field: str, message: str) -> BadOrder:
    return BadOrder(f"{field}: {message}. Nothing was stored.", errors=(FieldError(field=field, message=message),))
