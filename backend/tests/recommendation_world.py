"""A fleet of one host with two nodes, and a chain on it whose firewall stands on the far one."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agent_peer import chain_json
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, plan, work
from large_world import CORES_A_NODE, a_numa_host
from model_world import stored
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.control import evaluation
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.models import promotion
from sextant_backend.modules.models import repository as models
from sextant_backend.modules.models.fit_inputs import nf_versions
from sextant_backend.modules.outcomes.models import JudgedRow, OutcomeRow
from sextant_backend.modules.plans import planner
from sextant_domain.console.access import Role
from sextant_domain.laws.recommendation import Recommendation, RecommendationPolicy
from sextant_domain.plans.operation import Operation, OperationState
from sextant_engine.parameters import assumed_models
from sqlalchemy import text

FAR_CORE = CORES_A_NODE
"""The first of node 1; packets arrive on node 0."""
HOST_MODEL = "xeon-2x16"
AT_ONCE = {"hold_s": 0.0, "rest_s": 0.0}


@contextmanager
def a_far_firewall(client: TestClient, folder: Path) -> Iterator[Fleet]:
    """9 Mpps through a router on node 0 and a firewall on node 1: by the assumed models 8.2 (1 - .2) = 6.56 Mpps, and
    9.0 with the firewall at home."""
    with a_fleet(folder, "edge-1") as fleet:
        with session_scope() as session:
            hosts.register(session, a_numa_host("edge-1"), fleet.edge.url)
        spec = chain_json("web", "router", "firewall")
        spec["traffic"] = {**spec["traffic"], "rate_mpps": 9.0}
        answer = client.post(f"{API}/chains", json=spec)
        assert answer.status_code == 201, answer.text
        carried_out(client, answer.json()["plan_id"])
        move(client, FAR_CORE)
        yield fleet


def move(client: TestClient, core: int, nf_id: str = "web.firewall") -> Operation:
    """The firewall to another core, as an operator may."""
    intent = {"kind": "migrate", "nf_id": nf_id, "host": "edge-1", "core": core}
    answer = client.post(f"{API}/plans", json={"intent": intent})
    assert answer.status_code == 202, answer.text
    return carried_out(client, answer.json()["id"])


def carried_out(client: TestClient, plan_id: int) -> Operation:
    planner.make(plan_id)
    done = work(apply(client, plan(client, plan_id)).id)
    assert done.state is OperationState.COMPLETED, done.error
    return done


def tick(*, after_s: float = 0.0) -> None:
    """A tick of every law, which is due; to the laws it seems that so many seconds have passed."""
    with session_scope() as session:
        session.execute(text("UPDATE control_laws SET evaluated_at = NULL"))
        for name in ("since_s", "rests_until_s"):
            moved = f"jsonb_build_object('{name}', (memory->>'{name}')::float - :s)"
            later = f"UPDATE control_laws SET memory = memory || {moved} WHERE memory ? '{name}'"
            session.execute(text(later), {"s": after_s})
    evaluation.tick()


def set_policy(client: TestClient, **changes: Any) -> dict[str, Any]:
    found = client.get(f"{API}/policy")
    body = {**found.json()["policy"], **changes}
    answer = client.put(f"{API}/policy", json=body, headers={"If-Match": found.headers["ETag"]})
    assert answer.status_code == 200, answer.text
    assert RecommendationPolicy.model_validate(answer.json()["policy"])
    return dict(answer.json())


def came_of_predictions(nf_type: str, measured_mpps: float, count: int = 3) -> None:
    """Informative outcomes of 5 Mpps predicted with the assumed model of the far firewall's host, one a plan."""
    with session_scope() as session:
        session.add_all(
            OutcomeRow(
                plan_id=number,
                chain="web",
                host_id="edge-1",
                host_model="xeon-2x16",
                nf_id=f"web.{nf_type}",
                nf_type=nf_type,
                predictor="octans",
                version="assumed-1",
                predicted_mpps=5.0,
                measured_mpps=measured_mpps,
                offered_mpps=9.0,
                test="informative",
                seconds=10.0,
                provenance="simulated",
                judged=[
                    JudgedRow(
                        place=0,
                        nf_id=f"web.{nf_type}",
                        nf_type=nf_type,
                        host_model="xeon-2x16",
                        predictor="octans",
                        version="assumed-1",
                        predicted_mpps=5.0,
                        counts=True,
                    )
                ],
            )
            for number in range(count)
        )


def a_web_fit(nf_type: str, ideal: float) -> int:
    """A fit of that NF type on the far firewall's host model, promoted: drops as assumed, another throughput alone."""
    model = next(one for one in assumed_models(HOST_MODEL) if one.nf_type == nf_type)
    made = stored({nf_type: ideal}, **{nf_type: {"host_model": HOST_MODEL}})
    changes = {"version": f"fit-{made}", "nf_version": 1, "ideal_mpps": {"local": ideal, "remote": ideal}}
    with session_scope() as session:
        session.execute(text("UPDATE fits SET host_model = :name"), {"name": HOST_MODEL})
        session.execute(
            text("UPDATE model_versions SET host_model = :name, model = :model"),
            {"name": HOST_MODEL, "model": json.dumps({**model.model_dump(mode="json"), **changes})},
        )
        row = models.get(session, made, lock=True, body=True)
        assert row is not None
        promotion.promote(session, row, None, nf_versions(session), Principal("ada", Role.OPERATOR))
    return made


def status(client: TestClient) -> str:
    return str(client.get(f"{API}/policy").json()["status"])


def recommendations(client: TestClient) -> list[Recommendation]:
    found = client.get(f"{API}/recommendations").json()["items"]
    return [Recommendation.model_validate_json(json.dumps(one)) for one in found]


def decided(client: TestClient, recommendation_id: int, action: str) -> Recommendation:
    answer = client.post(f"{API}/recommendations/{recommendation_id}/actions", json={"action": action})
    assert answer.status_code == 200, answer.text
    return Recommendation.model_validate_json(answer.content)


def audited(session: Any) -> list[str]:
    return [str(row[0]) for row in session.execute(text("SELECT action FROM audit_entries ORDER BY id"))]
