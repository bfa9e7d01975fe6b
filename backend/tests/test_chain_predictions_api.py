"""POST /chains/predictions: what a chain would do that nobody has submitted. Nothing is planned, nothing is stored."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import large_world
import pytest
from agent_peer import chain_json
from console_world import SignIn
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, placed, submit
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from model_world import HOST_MODEL
from outcome_world import promoted
from sextant_backend.kit.admission import Admission
from sextant_backend.kit.db import read_snapshot, session_scope
from sextant_backend.modules.chain_requests import new_chain
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.snapshots import service as snapshots
from sextant_backend.modules.snapshots.current_fleet import CurrentFleet
from sextant_backend.settings import Settings
from sextant_domain.console.access import Role
from sextant_domain.hosts.host import HostInventory
from sextant_domain.plans.new_chain import NewChainPrediction
from sextant_engine.fleet_view import FleetView
from sqlalchemy import text, update

PATH = f"{API}/chains/predictions"
Counting = Callable[[], AbstractContextManager[list[str]]]


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


def predicted(client: TestClient, name: str, *nfs: str, **fields: Any) -> NewChainPrediction:
    answer = client.post(PATH, json={**chain_json(name, *nfs), **fields})
    assert answer.status_code == 200, answer.text
    return NewChainPrediction.model_validate_json(answer.content)


def stored() -> dict[str, int]:
    """Rows of all that a submit would write."""
    with session_scope() as session:
        tables = ("chains", "plans", "audit_entries", "idempotency_keys", "secrets", "profiling_jobs")
        return {name: session.execute(text(f"SELECT count(*) FROM {name}")).scalar_one() for name in tables}


def test_it_is_what_the_plan_of_the_submitted_chain_says(client: TestClient, fleet: Fleet) -> None:
    promoted({"router": 10.0, "firewall": 5.0})
    placed(client, "old", "router")
    answer = predicted(client, "web", "router", "firewall")
    made = submit(client, "web", "router", "firewall")
    assert made.body is not None
    assert answer.prediction == next(one for one in made.body.predictions if one.chain == "web")
    assert answer.prediction.throughput_mpps is not None and answer.prediction.predictor == "time-sharing"
    assert {nf.nf_id: nf.seat for nf in answer.nfs} == {change.nf_id: change.target for change in made.body.changes}
    assert {one.chain: one.longer for one in answer.affected} == {one.chain: one.detail for one in made.body.worse}


def test_nothing_is_stored_and_a_viewer_may_ask(sign_in: SignIn, tmp_path: Path) -> None:
    client = sign_in(Role.VIEWER)
    with a_fleet(tmp_path, "edge-1"):
        before = stored()
        answer = predicted(client, "web", "router", "vpn")
        assert answer.host == "edge-1"
        keyed = client.post(PATH, json=chain_json("web"), headers={"Idempotency-Key": "again-and-again"})
        assert keyed.status_code == 200
        assert stored() == before


def test_what_was_never_measured_is_named_with_what_to_do(client: TestClient, fleet: Fleet) -> None:
    answer = predicted(client, "web", "router", "firewall")
    assert answer.prediction is not None and answer.prediction.throughput_mpps is None
    assert answer.unmeasured == ("firewall", "router")
    assert [one.command for one in answer.next_actions] == [
        "sextant profile start firewall --host edge-1",
        "sextant profile start router --host edge-1",
    ]


def test_a_job_that_measures_it_already_is_to_be_waited_for_or_resumed(client: TestClient, fleet: Fleet) -> None:
    jobs = {}
    for nf_type in ("firewall", "router"):
        asked = client.post(f"{API}/profiling/jobs", json={"nf_type": nf_type, "host": "edge-1", "most_competitors": 0})
        assert asked.status_code == 202, asked.text
        jobs[nf_type] = asked.json()["id"]
    paused = client.post(f"{API}/profiling/jobs/{jobs['router']}/actions", json={"action": "pause"})
    assert paused.status_code == 202, paused.text
    expected = [f"sextant profile watch {jobs['firewall']}", f"sextant profile resume {jobs['router']}"]
    assert [one.command for one in predicted(client, "web", "router", "firewall").next_actions] == expected


def test_what_fits_nowhere_says_why(client: TestClient, fleet: Fleet) -> None:
    answer = predicted(client, "web", *["router"] * 11)
    assert (answer.host, answer.nfs, answer.prediction) == (None, (), None)
    assert answer.rejected is not None and "edge-1 has 10 of 11 free" in answer.rejected.reason


def test_no_host_is_reported(client: TestClient) -> None:
    answer = predicted(client, "web")
    assert answer.rejected is not None and answer.rejected.reason == "the fleet has no host"


@pytest.mark.parametrize(
    ("change", "status", "field"),
    [
        ({"nfs": ["router"] * 500}, 422, "nfs"),
        ({"nfs": []}, 422, "nfs"),
        ({"nfs": ["router", "warp-drive"]}, 422, "nfs.1.type"),
        ({"nfs": [{"type": "router", "name": "r", "config": {"warp": 9}}]}, 422, "nfs.0.config"),
        ({"traffic": {"rate_mpps": 1e300, "packet_bytes": 64}}, 422, "traffic.rate_mpps"),
        ({"traffic": {"rate_mpps": 1, "packet_bytes": 10**30}}, 422, "traffic.packet_bytes"),
        ({"value": -1}, 422, "value"),
        ({"ingress": {"host": "nowhere"}}, 422, "ingress.host"),
        ({"name": "../../etc"}, 422, "name"),
        ({"name": "taken"}, 409, "name"),
    ],
)
def test_what_submitting_would_refuse_is_refused_by_the_same_field(
    client: TestClient, fleet: Fleet, change: dict[str, Any], status: int, field: str
) -> None:
    if change == {"name": "taken"}:
        assert client.post(f"{API}/chains", json=chain_json("taken")).status_code == 201
    body = {**chain_json("web"), **change}
    refused, submitted = client.post(PATH, json=body), client.post(f"{API}/chains", json=body)
    assert (refused.status_code, submitted.status_code) == (status, status), refused.text
    assert refused.json()["errors"] == submitted.json()["errors"]
    assert field in {error["field"] for error in refused.json()["errors"]}


_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    field=st.sampled_from(["name", "nfs", "traffic", "ingress", "slo", "value", "execution", "more"]), value=_ANYTHING
)
def test_whatever_comes_is_answered_or_refused_with_its_field(client: TestClient, field: str, value: object) -> None:
    body = {**chain_json("web"), field: value}
    try:
        answer = client.post(PATH, json=body)
    except ValueError:  # no JSON: NaN and its like, a lone half of a character
        return
    assert answer.status_code in (200, 400, 422), answer.text
    if answer.status_code == 422:
        assert all(error["field"].split(".")[0] == field for error in answer.json()["errors"]), answer.text


def test_those_who_draw_wait_for_each_other_and_for_nobody_else(
    client: TestClient, fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where as many compute as may, and as many wait, the next one learns when to try again; a list is answered."""
    monkeypatch.setattr(
        client.app.state.new_chain_predictor,  # type: ignore[attr-defined]
        "admission",
        Admission(at_once=0, most_waiting=0),
    )
    answer = client.post(PATH, json=chain_json("web"))
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:sextant:problem:unavailable")
    assert answer.headers["Retry-After"]
    assert client.get(f"{API}/chains").status_code == 200


def test_what_takes_too_long_is_refused(client: TestClient, fleet: Fleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(new_chain, "LIMIT_S", -1.0)
    assert client.post(PATH, json=chain_json("web")).status_code == 503


def test_it_needs_as_many_queries_for_sixty_hosts_as_for_two(
    client: TestClient, clean: Settings, count_queries: Counting
) -> None:
    """The second time fewer than the first: hosts and chains that have not changed are not read again."""
    asked = []
    for hosts in (2, 60):
        with session_scope() as session:
            session.execute(text("TRUNCATE hosts, chains, placed_nfs CASCADE"))
        large_world.fill(hosts, hosts * 5, placed=True)
        for _ in range(2):
            with count_queries() as seen:
                predicted(client, "web")
            asked.append(len(seen))
            again = [one for one in seen if "hosts.inventory," in one or one.startswith("SELECT chains.spec")]
        assert again == []
    assert asked[0] == asked[2] and asked[1] == asked[3] == asked[0] - 2
    assert asked[0] <= 20


def test_what_hosts_have_in_common_is_asked_once(
    client: TestClient, clean: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not of each host again with every request: sixty that have not changed are asked as little as two."""
    asked: list[str] = []
    shares, cannot = HostInventory.shares_cores, HostInventory.cannot_run

    def noted_shares(inventory: HostInventory) -> bool:
        asked.append("shares_cores")
        return bool(shares.__get__(inventory))

    def noted_cannot(inventory: HostInventory, nf_type: str) -> bool:
        asked.append("cannot_run")
        return cannot(inventory, nf_type)

    monkeypatch.setattr(HostInventory, "shares_cores", property(noted_shares))
    monkeypatch.setattr(HostInventory, "cannot_run", noted_cannot)
    counts = []
    for hosts in (2, 60):
        with session_scope() as session:
            session.execute(text("TRUNCATE hosts, chains, placed_nfs CASCADE"))
        large_world.fill(hosts, hosts * 5, placed=True)
        held = CurrentFleet()
        for _ in range(2):
            asked.clear()
            with session_scope() as session, read_snapshot(session):
                held.read(session)
        counts.append(len(asked))
    assert counts[0] == counts[1] > 0


def test_models_are_tested_in_as_many_queries_for_six_as_for_one(
    client: TestClient, fleet: Fleet, count_queries: Counting
) -> None:
    """Of each model in use two queries were asked: of its newest outcomes, and of the last one."""
    placed(client, "old", "router")
    predicted(client, "web")
    asked = []
    for names in (["router"], ["router", "firewall", "basic-monitor", "nat", "vpn", "bubble"]):
        with session_scope() as session:
            session.execute(text("TRUNCATE outcomes, judged_models"))
            outcome = session.execute(text(_OUTCOME), {"host_model": HOST_MODEL}).scalar_one()
            for place, name in enumerate(names):
                values = {"outcome": outcome, "place": place, "nf_type": name, "host_model": HOST_MODEL}
                session.execute(text(_JUDGED), values)
        with count_queries() as seen, session_scope() as session:
            snapshot = snapshots.take(session)
        assert {one.nf_type for one in snapshot.trust} == set(names)
        assert all(one.last is not None and one.informative == 1 for one in snapshot.trust)
        asked.append(len(seen))
    assert asked[0] == asked[1]


_OUTCOME = """
    INSERT INTO outcomes (plan_id, chain, host_id, host_model, nf_id, nf_type, predictor, version,
        predicted_mpps, measured_mpps, offered_mpps, test, seconds, provenance)
    VALUES (1, 'old', 'edge-1', :host_model, 'old.router', 'router', 'time-sharing', 'assumed-1', 1, 1, 1,
        'informative', 10, 'measured') RETURNING id"""
_JUDGED = """
    INSERT INTO judged_models (outcome_id, place, nf_id, nf_type, host_model, predictor, version, predicted_mpps,
        counts)
    VALUES (:outcome, :place, 'old.router', :nf_type, :host_model, 'time-sharing', 'assumed-1', 1, true)"""


def test_what_is_held_in_memory_is_what_the_database_has(client: TestClient, fleet: Fleet) -> None:
    """After every change that concerns planning: of a chain, an order, a host's state, a model, a host that is new."""
    held = CurrentFleet()

    def same() -> FleetView:
        with session_scope() as session, read_snapshot(session):
            view, truth = held.read(session), snapshots.take(session)
        assert view.snapshot == truth
        assert {name: host.snapshot for name, host in view.hosts.items()} == {
            host.inventory.host_id: host for host in truth.hosts
        }
        return view

    same()
    placed(client, "old", "router")
    assert same().hosts["edge-1"].chains.keys() == {"old"}
    promoted({"router": 10.0})
    assert same().hosts["edge-1"].models["router"].ideal_known
    first = same()
    assert same().hosts["edge-1"] is first.hosts["edge-1"], "nothing has changed"
    with session_scope() as session:
        session.execute(update(Host).values(status="stale"))
    assert not same().hosts["edge-1"].up
    with session_scope() as session:
        session.execute(update(Host).values(status="up"))
        session.execute(
            text(
                "UPDATE latest_hosts SET heard_at = clock_timestamp(), other_work = '[[1, 60.0, 30.0], [0, 5.0, 30.0]]'"
            )
        )
    work = same().hosts["edge-1"].snapshot.other_work
    assert [(one.core, one.percent) for one in work] == [(1, 60.0)]
    client.delete(f"{API}/chains/old", headers={"If-Match": "*"})
    large_world.fill(2, 4, placed=True)
    assert len(same().hosts) == 3
    with session_scope() as session:
        session.execute(text("DELETE FROM hosts WHERE host_id = 'h0000'"))
    assert len(same().hosts) == 2
