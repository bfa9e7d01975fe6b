"""The watch's own process finds that a promoted network does worse than round robin would, and reverts it.

Cores 1 and 2 are open to NFs, of which the network takes the first: two firewalls that ask for 80 % of a core each.
"""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from agent_peer import chain_json
from fastapi.testclient import TestClient
from fleet_world import API, a_fleet, apply, plan, work
from network_world import NETWORKS, PROMOTIONS, trained
from outcome_world import measured, promoted
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.networks.models import PromotionRow
from sextant_backend.modules.plans import planner
from sextant_backend.modules.telemetry.models import LatestHost, chain_samples
from sextant_domain.plans.operation import OperationState
from sqlalchemy import insert, select, update
from worker_world import Processes, eventually

RATE, CARRIED = 4.0, 2.4
SPANS = 3
OTHERS = 0.288
"""Of the core that packets of both chains come and go on: round robin puts one of them there."""


def assigned(client: TestClient, name: str) -> int:
    """By the network; the core."""
    assert client.post(f"{API}/chains", json=chain_json(name, "firewall", rate_mpps=RATE)).status_code == 201
    asked = {"intent": {"kind": "place", "chain": name}, "algorithm": "network"}
    made = client.post(f"{API}/plans", json=asked).json()["id"]
    planner.make(made)
    assert work(apply(client, plan(client, made)).id).state is OperationState.COMPLETED
    nfs = {nf["nf_id"]: nf["seat"]["core"] for nf in client.get(f"{API}/nfs").json()["items"]}
    core: int = nfs[f"{name}.firewall"]
    return core


def since() -> datetime | None:
    """From when on samples count."""
    with session_scope() as session:
        watched = session.scalars(select(PromotionRow.watched)).one()
        return datetime.fromisoformat(watched["edge-1"]["since"]) if "edge-1" in watched else None


def ended() -> str | None:
    with session_scope() as session:
        return session.scalars(select(PromotionRow.ended)).one()


def test_the_watch_reverts_a_network_that_is_worse(client: TestClient, tmp_path: Path) -> None:
    with a_fleet(tmp_path, "edge-1", cores=3):
        promoted({"router": 10.0, "firewall": 5.0})
        assert client.put(f"{NETWORKS}/{trained(3, first_core=True)}/promotion").status_code == 200
        assert assigned(client, "a") == assigned(client, "b") == 1
        for chain in ("a", "b"):
            measured(2, CARRIED, RATE, chain)
        with session_scope() as session:  # as though it had been silent since, so that what comes is of the past
            session.execute(update(LatestHost).values(taken_at=LatestHost.taken_at - timedelta(minutes=2)))
        watch = Processes(tmp_path, stale_after_s=3000).kept("watch")
        try:
            eventually(lambda: since() is not None, 60)
            begin = since()
            assert begin is not None
            first = begin.replace(microsecond=0) + timedelta(seconds=10 - begin.second % 10)
            until = first + timedelta(seconds=10 * SPANS)
            row = {"host_id": "edge-1", "offered_mpps": RATE, "delivered_mpps": CARRIED, "drop_mpps": RATE - CARRIED}
            rows = [
                {**row, "chain": chain, "filtered_mpps": 0.0, "ts": first + timedelta(seconds=second + 0.5)}
                for chain in ("a", "b")
                for second in range(10 * SPANS)
            ]
            with session_scope() as session:
                session.execute(insert(chain_samples), rows)
                session.execute(update(LatestHost).values(taken_at=until))
            eventually(lambda: ended() == "worse", 60)
        finally:
            watch.end()
    found = client.get(PROMOTIONS).json()["items"][0]
    assert (found["ended_by"], found["verdict"]["host"]) == ("system", "edge-1")
    assert found["verdict"]["served"] == pytest.approx(0.6)
    assert found["verdict"]["round_robin"] == pytest.approx((1 + 0.97 / (0.8 + OTHERS)) / 2, rel=1e-3)
