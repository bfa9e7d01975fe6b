"""Simulated hosts in a fleet: one token for all, one process that serves them, orders by name, faults on demand."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_peer import chain_json
from console_world import wait_until
from enrolment_world import Listener, audited, listening
from fastapi.testclient import TestClient
from fleet_world import apply, plan, work
from sextant_backend.agents.client import AgentClient, agent_for
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.plans import planner
from sextant_backend.settings import Settings
from sextant_domain.chains.chain import Egress, Ingress
from sextant_domain.chains.match import Match
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import (
    DesiredChain,
    DesiredHostConfig,
    DesiredNf,
    DesiredStateOrder,
    HostContent,
    Phase,
)
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import Plan
from simulated_world import simulated_hosts
from sqlalchemy import text


@pytest.fixture
def fleet(clean: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    with listening(tmp_path, monkeypatch) as listener:
        yield listener


@pytest.fixture
def twins(fleet: Listener, tmp_path: Path) -> Iterator[Path]:
    """demo-1 to demo-3, enrolled in one go and served by one process; the folder has its log."""
    with simulated_hosts(fleet, tmp_path):
        yield tmp_path


def reporting() -> list[str]:
    with session_scope() as session:
        return [host.host_id for host in hosts.every(session) if host.provenance == "simulated"]


def client_of(host_id: str) -> AgentClient:
    with session_scope() as session:
        return agent_for(host_id, hosts.reach(session, host_id))


def web(host_id: str) -> DesiredStateOrder:
    nf = DesiredNf(nf_id="web.router", nf_type="router", nf_version=1, config={}, core=6)
    chain = DesiredChain(
        chain="web",
        nfs=(nf,),
        ingress=Ingress(match=Match(dst_port=None)),
        egress=Egress(),
        traffic=Traffic(rate_mpps=0.5, packet_bytes=64, flows=100),
    )
    desired = DesiredHostConfig.of(1, HostContent(host_id=host_id, chains=(chain,)))
    return DesiredStateOrder(desired=desired, operation_id=1, fence=1)


def test_they_join_report_obey_and_fail_on_demand(twins: Path, fleet: Listener, client: TestClient) -> None:
    wait_until(lambda: reporting() == ["demo-1", "demo-2", "demo-3"])
    assert client_of("demo-2").put(web("demo-2")).host_id == "demo-2"
    wait_until(lambda: client_of("demo-2").actual().phase is Phase.CONVERGED)
    assert client_of("demo-1").actual().nfs == ()
    wait_until(delivered)

    fault = {"fault": {"kind": "nf-crash", "nf_id": "web.router"}}
    answer = client.post("/api/v1/hosts/demo-2/faults", json=fault)
    assert (answer.status_code, answer.json()["faults"][0]["fault"]) == (202, fault["fault"])
    assert audited("host.fault") == [("ada", "host/demo-2", fault["fault"])]
    wait_until(lambda: client.get("/api/v1/hosts/demo-2/faults").json() == {"faults": []})
    wait_until(lambda: client_of("demo-2").actual().nfs[0].restarts == 1)

    refused = client.post("/api/v1/hosts/demo-1/faults", json=fault)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "fault.nf_id")
    assert len(audited("host.fault")) == 1, "what was refused did not happen"
    assert client.post("/api/v1/hosts/nobody/faults", json=fault).status_code == 404
    assert client.post("/api/v1/hosts/demo-1/faults", json={"fault": {"kind": "flood"}}).status_code == 422


def delivered() -> bool:
    with session_scope() as session:
        query = text("SELECT max(delivered_mpps) FROM chain_samples WHERE host_id = 'demo-2'")
        return 0.45 < (session.execute(query).scalar_one() or 0.0) < 0.55


def test_two_chains_share_the_only_core_once_an_operator_lets_them(
    twins: Path, fleet: Listener, client: TestClient
) -> None:
    """Of demo-1, core 6 alone is left to NFs. With one slot a second chain has no room; with two, both run on it."""
    wait_until(lambda: "demo-1" in reporting())
    cores = [core["id"] for core in client.get(HOST).json()["inventory"]["cores"] if core["slots"] and core["id"] != 6]
    put(client, "reserved-cores", {"cores": cores, "reason": "the test"})
    assert work(apply(client, asked(client, "first")).id).state is OperationState.COMPLETED
    refused = asked(client, "refused").body
    assert refused is not None and refused.rejected[0].relax is not None
    assert "`sextant hosts slots demo-1 2 --reason ...` lets 2 NFs share a core" in refused.rejected[0].relax

    put(client, "core-slots", {"slots": 2, "reason": "the test"})
    assert work(apply(client, asked(client, "second")).id).state is OperationState.COMPLETED
    found = client_of("demo-1").actual().nfs
    assert sorted((nf.nf_id, nf.core) for nf in found) == [("first.router", 6), ("second.router", 6)]
    wait_until(lambda: carried() == {"first": 0.5, "second": 0.5})


HOST = "/api/v1/hosts/demo-1"


def put(client: TestClient, what: str, body: dict[str, object]) -> None:
    tag = client.get(HOST).headers["ETag"]
    answer = client.put(f"{HOST}/{what}", json=body, headers={"If-Match": tag})
    assert answer.status_code == 200, answer.text


def asked(client: TestClient, name: str) -> Plan:
    """The plan for a chain of one router at demo-1."""
    chain = {**chain_json(name, "router", rate_mpps=0.5), "ingress": {"host": "demo-1"}}
    answer = client.post("/api/v1/chains", json=chain)
    assert answer.status_code == 201, answer.text
    planner.make(answer.json()["plan_id"])
    return plan(client, answer.json()["plan_id"])


def carried() -> dict[str, float]:
    """By chain, of a simulated second."""
    with session_scope() as session:
        query = text("SELECT chain, round(max(delivered_mpps)::numeric, 1) FROM chain_samples GROUP BY chain")
        return {name: float(mpps or 0) for name, mpps in session.execute(query)}
