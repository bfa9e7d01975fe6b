"""Profiling jobs on the tests' hosts, driven without a queue: turns until a job ends or waits for an operator."""

import time
from typing import Any

from fastapi.testclient import TestClient
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.profiling import claim_next, service, tasks
from sextant_domain.profiling.job import STANDING_JOB_STATES, ProfileOrder, ProfilingJob, ProfilingPoint
from sqlalchemy import text

API = "/api/v1"
JOBS = f"{API}/profiling/jobs"


def an_ask(host: str = "edge-1", nf_type: str = "firewall", **more: Any) -> dict[str, Any]:
    """On a host of two cores and one node: ten points, `firewall` and `router` alone first."""
    return {"nf_type": nf_type, "host": host, "competitors": ["router"], **more}


def started(client: TestClient, **ask: Any) -> ProfilingJob:
    """A job that waits for a worker."""
    answer = client.post(JOBS, json=an_ask(**ask))
    assert answer.status_code == 202, answer.text
    job = ProfilingJob.model_validate_json(answer.content)
    assert answer.headers["Location"] == f"{JOBS}/{job.id}"
    return job


def turn(job_id: int) -> ProfilingJob:
    """One task: how the job is then."""
    tasks.measure(job_id)
    return now(job_id)


def now(job_id: int) -> ProfilingJob:
    with session_scope() as session:
        return service.one(session, job_id)


def work(job_id: int, limit_s: float = 60.0) -> ProfilingJob:
    """Turns until the job has ended or is paused."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        job = turn(job_id)
        if job.state in STANDING_JOB_STATES:
            return job
        time.sleep(0.01)
    raise AssertionError(f"job {job_id} is still {job.state} after {limit_s} s: {job.note}")


def due_now(job_id: int, waiting_s: float = 0.0) -> None:
    """The wait is over; it began so long ago."""
    with session_scope() as session:
        session.execute(
            text(
                "UPDATE profiling_jobs SET next_attempt_at = NULL, waiting_since = waiting_since - :s * interval '1 s'"
                " WHERE id = :id"
            ),
            {"id": job_id, "s": waiting_s},
        )


def lease_over(job_id: int) -> None:
    """The worker that holds the job is dead, or was cut off for so long."""
    with session_scope() as session:
        session.execute(
            text("UPDATE profiling_jobs SET lease_until = now() - interval '1 s' WHERE id = :id"), {"id": job_id}
        )


def points(client: TestClient, job_id: int) -> list[ProfilingPoint]:
    answer = client.get(f"{JOBS}/{job_id}/points", params={"limit": 200})
    assert answer.status_code == 200, answer.text
    return [ProfilingPoint.model_validate(one) for one in answer.json()["items"]]


def steer(client: TestClient, job_id: int, action: str) -> ProfilingJob:
    answer = client.post(f"{JOBS}/{job_id}/actions", json={"action": action})
    assert answer.status_code == 202, answer.text
    return ProfilingJob.model_validate_json(answer.content)


def records(client: TestClient, **query: Any) -> list[dict[str, Any]]:
    answer = client.get(f"{API}/profiling/records", params={"limit": 200, **query})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def note(job: ProfilingJob) -> str:
    assert job.note is not None
    return job.note


def order_of(taken: claim_next.ClaimedPoint) -> ProfileOrder:
    return ProfileOrder(key=taken.key, request=taken.request)
