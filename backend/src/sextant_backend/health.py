"""GET /healthz, /readyz, /metrics: for supervisors and Prometheus, without sign-in and without secrets."""

from typing import Literal

import redis
from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST, Gauge, generate_latest
from pydantic import Field
from sextant_domain.base import Frozen
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from sextant_backend.kit import queue
from sextant_backend.kit.db import session_factory
from sextant_backend.kit.routes import LateRoute
from sextant_backend.kit.tasks import Queue
from sextant_backend.kit.version import VERSION

router = APIRouter(tags=["health"], route_class=LateRoute)
_build = Gauge("sextant_build_info", "Always 1: what this process is", ["process", "version"])
_build.labels("console", VERSION).set(1)
_ready = Gauge("sextant_ready", "1 while what the console needs is there, as /readyz says", ["check"])
_DOES = {
    Queue.PLAN: "been there to make plans",
    Queue.CONTROL: "been there to evaluate control laws",
    Queue.OPERATE: "been there to carry operations out",
    Queue.PROFILE: "been there to profile NFs",
    Queue.STUDY: "been there to run studies",
    Queue.WATCH: "watched hosts and operations",
}


class Alive(Frozen):
    """The process answers."""

    status: Literal["ok"] = "ok"
    version: str


class Check(Frozen):
    """One thing the console needs."""

    ok: bool
    detail: str


class WorkersCheck(Check):
    """Of all queues."""

    silent: tuple[Queue, ...] = Field(default=(), exclude_if=lambda queues: not queues)
    """Queues whose workers do not report; `watch` where no sweep runs."""


class Checks(Frozen):
    """The state of everything that the console needs."""

    database: Check
    queue: Check
    workers: WorkersCheck


class Readiness(Frozen):
    """Whether the console can serve all requests."""

    ready: bool
    checks: Checks


@router.get("/healthz", operation_id="getHealth")
def healthz() -> Alive:
    """The process answers; says nothing of what it needs."""
    return Alive(version=VERSION)


@router.get("/readyz", operation_id="getReadiness", responses={503: {"model": Readiness}})
def readyz(response: Response) -> Readiness:
    """Database, queue and workers."""
    checks = _checks()
    ready = checks.database.ok and checks.queue.ok and checks.workers.ok
    response.status_code = 200 if ready else 503
    return Readiness(ready=ready, checks=checks)


@router.get("/metrics", include_in_schema=False)
def metrics() -> Response:
    """Of this process, as Prometheus reads it; what is known of the fleet needs a sign-in: `/api/v1/metrics`."""
    for name, check in _checks():
        _ready.labels(name).set(check.ok)
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)


def _checks() -> Checks:
    return Checks(database=_database(), queue=_queue(), workers=_workers())


def _database() -> Check:
    try:
        with session_factory()() as session:
            session.execute(text("SELECT 1"))
    except SQLAlchemyError:
        return Check(ok=False, detail="PostgreSQL does not answer; its log says why")
    return Check(ok=True, detail="PostgreSQL answers")


def _queue() -> Check:
    try:
        queue.client().ping()
    except (redis.RedisError, OSError):
        return Check(ok=False, detail="Valkey does not answer; its log says why")
    return Check(ok=True, detail="Valkey answers")


def _workers() -> WorkersCheck:
    try:
        stamps = queue.client().mget([queue.alive_key(name) for name in Queue])
    except (redis.RedisError, OSError):
        return WorkersCheck(ok=False, detail="unknown while Valkey does not answer")
    silent = tuple(name for name, alive in zip(Queue, stamps, strict=True) if alive is None)
    if silent:
        what = ", ".join(_DOES[name] for name in silent)
        detail = f"nobody has {what} for {queue.WORKER_ALIVE_S} s; the log of that worker says why"
        return WorkersCheck(ok=False, detail=detail, silent=silent)
    return WorkersCheck(ok=True, detail="workers plan, evaluate control laws, operate, profile, run studies and watch")
