"""Plans applied on edge-1 and what is measured of their chains, for tests of outcomes and predictions."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from agent_peer import chain_json
from console_world import a_batch
from fastapi.testclient import TestClient
from fleet_world import API, apply, plan, work
from model_world import stored
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.models import promotion, repository
from sextant_backend.modules.models.fit_inputs import nf_versions
from sextant_backend.modules.plans import planner
from sextant_backend.modules.predictions import tasks
from sextant_backend.modules.telemetry import service as telemetry
from sextant_domain.console.access import Role
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import Plan
from sqlalchemy import text

ADA = Principal("ada", Role.OPERATOR)
_sequence = iter(range(1, 10_000))


def promoted(ideals: dict[str, float]) -> int:
    made = stored(ideals)
    with session_scope() as session:
        row = repository.get(session, made, lock=True, body=True)
        assert row is not None
        promotion.promote(session, row, None, nf_versions(session), ADA)
    return made


def placed(client: TestClient, name: str = "web", rate: float = 9.0, *nfs: str) -> Plan:
    """On core 1 of edge-1, applied."""
    spec = chain_json(name, *(nfs or ("router", "firewall")))
    spec["traffic"] = {**spec["traffic"], "rate_mpps": rate}
    answer = client.post(f"{API}/chains", json=spec)
    assert answer.status_code == 201, answer.text
    planner.make(answer.json()["plan_id"])
    made = plan(client, answer.json()["plan_id"])
    assert work(apply(client, made).id).state is OperationState.COMPLETED
    judge()  # takes the plan up
    return made


def generation() -> int:
    with session_scope() as session:
        return int(session.execute(text("SELECT desired_generation FROM hosts")).scalar_one())


def measured(
    seconds: int,
    delivered: float,
    offered: float = 9.0,
    chain: str = "web",
    dropping: Mapping[str, tuple[float, float]] | None = None,
    **more: Any,
) -> None:
    """So many batches of a second each, the newest of now, after which the window that is due is the last ten.

    `dropping`: NF -> Mpps that it takes and drops."""
    now = datetime.now(UTC)
    nfs = [
        {
            "nf_id": f"{chain}.{name}",
            "chain": chain,
            "core": 1,
            "rx_mpps": rx,
            "tx_mpps": rx,
            "drop_mpps": drop,
            "cpu_percent": 50,
        }
        for name, (rx, drop) in (dropping or {}).items()
    ]
    with session_scope() as session:
        for back in range(seconds, 0, -1):
            sample = {"chain": chain, "offered_mpps": offered, "delivered_mpps": delivered, "drop_mpps": 0.0, **more}
            batch = a_batch(
                next(_sequence),
                taken_at=now - timedelta(seconds=back),
                applied_generation=generation(),
                chains=[sample],
                nfs=nfs,
            )
            telemetry.ingest(session, batch)
        begins = now - timedelta(seconds=13.5)  # not by the clock: on a busy machine storing them took seconds
        session.execute(text("UPDATE tested_predictions SET window_from = :begins"), {"begins": begins})


def no_samples() -> None:
    """As though nothing had been measured so far."""
    with session_scope() as session:
        session.execute(text("DELETE FROM chain_samples"))


def judge() -> int:
    with session_scope() as session:
        return tasks.turn(session)
