"""A host that runs something else than it was ordered: seen, repaired by an ordinary plan, or accepted."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from console_world import SignIn, a_batch
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, placed, plan, submit, work
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.principal import Role
from sextant_backend.modules.drift import marks, repository
from sextant_backend.modules.drift.repository import NfCounts
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.plans import planner
from sextant_backend.modules.telemetry import service as telemetry
from sextant_domain.hosts.desired import DesiredHostConfig, HostContent
from sextant_domain.hosts.drift import DriftReport
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import Plan
from sqlalchemy import text

HOST = f"{API}/hosts/edge-1"


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1", "edge-2") as made:
        yield made


def drift(client: TestClient, host: str = "edge-1") -> DriftReport:
    answer = client.get(f"{API}/hosts/{host}/drift")
    assert answer.status_code == 200, answer.text
    return DriftReport.model_validate_json(answer.content)


def ask(client: TestClient, action: str, host: str = "edge-1") -> Plan:
    answer = client.post(f"{API}/hosts/{host}/drift/{action}")
    assert answer.status_code == 202, answer.text
    assert answer.headers["Location"] == f"{API}/plans/{answer.json()['id']}"
    planner.make(answer.json()["id"])
    return plan(client, answer.json()["id"])


def refusal(client: TestClient, action: str, host: str = "edge-1") -> dict[str, Any]:
    answer = client.post(f"{API}/hosts/{host}/drift/{action}")
    assert answer.status_code == 409, answer.text
    return dict(answer.json())


def ended(client: TestClient, made: Plan) -> None:
    done = work(apply(client, made).id)
    assert done.state is OperationState.COMPLETED, done.error


def rows(report: DriftReport) -> list[tuple[str, str, str, str]]:
    return [(one.kind.value, one.subject, one.ordered, one.runs) for one in report.differences]


def test_a_host_as_ordered_has_nothing_to_end(client: TestClient, fleet: Fleet) -> None:
    placed(client, "web", "router")
    report = drift(client)
    assert (report.drifted, report.held_as_ordered, rows(report)) == (False, True, [])
    assert (report.repair.possible, report.accept.possible) == (False, False)
    for action in ("repair", "accept"):
        assert refusal(client, action)["type"] == "urn:sextant:problem:no-drift"


def test_a_lost_ledger_is_repaired_by_the_same_order_under_the_next_number(client: TestClient, fleet: Fleet) -> None:
    placed(client, "web", "router")
    ordered = fleet.edge.ledger
    fleet.edge.ledger = DesiredHostConfig.of(0, HostContent(host_id="edge-1"))
    report = drift(client)
    assert (report.ordered_generation, report.held_generation, report.held_as_ordered) == (1, 0, False)
    assert rows(report) == [("not-running", "web.router", "core 1", "nothing")]
    made = ask(client, "repair")
    assert made.body is not None and made.body.changes == () and made.applicable
    assert [one.kind.value for one in made.intent.differences] == ["not-running"]  # type: ignore[union-attr]
    ended(client, made)
    assert (fleet.edge.ledger.generation, fleet.edge.ledger.digest) == (2, ordered.digest)
    assert not drift(client).drifted
    audited = client.get(f"{API}/audit", params={"actor": "ada"}).json()["items"]
    assert [one["action"] for one in audited if one["action"].startswith("plan.")][:2] == ["plan.apply", "plan.ask"]


def test_a_lost_ledger_is_accepted_and_the_chain_waits_again(client: TestClient, fleet: Fleet) -> None:
    placed(client, "web", "router")
    fleet.edge.ledger = DesiredHostConfig.of(0, HostContent(host_id="edge-1"))
    assert drift(client).accept.reasons == ("takes web off this host, to wait for a place again",)
    ended(client, ask(client, "accept"))
    assert client.get(f"{API}/chains/web").json()["state"] == "submitted"
    assert client.get(f"{API}/nfs").json()["items"] == []
    assert not drift(client).drifted


def test_an_nf_on_another_core_is_accepted_where_it_runs(client: TestClient, fleet: Fleet) -> None:
    placed(client, "web", "router")
    fleet.edge.misplaced = True
    report = drift(client)
    assert rows(report) == [("core", "web.router", "core 1", "core 0")]
    assert (report.repair.possible, report.accept.possible) == (True, True)
    made = ask(client, "accept")
    assert made.body is not None
    [change] = made.body.changes
    assert (change.kind.value, change.target and change.target.core) == ("move", 0)
    ended(client, made)
    [nf] = client.get(f"{API}/nfs").json()["items"]
    assert nf["seat"]["core"] == 0
    assert not drift(client).drifted


def test_other_settings_are_accepted_as_they_are(client: TestClient, fleet: Fleet) -> None:
    """A host without control of CPU shares: ordered none, its NFs have weight 300."""
    placed(client, "web", "router")
    fleet.edge.given = {"cpu_share": 300}
    assert rows(drift(client)) == [("resources", "web.router", "CPU share 100", "CPU share 300")]
    ended(client, ask(client, "accept"))
    assert client.get(f"{API}/nfs").json()["items"][0]["seat"]["cpu_share"] == 300
    assert not drift(client).drifted


def test_nothing_is_accepted_onto_a_reserved_core(client: TestClient, fleet: Fleet) -> None:
    placed(client, "web", "router")
    tag = client.get(HOST).headers["ETag"]
    body = {"cores": [0], "reason": "console"}
    assert client.put(f"{HOST}/reserved-cores", json=body, headers={"If-Match": tag}).status_code == 200
    fleet.edge.misplaced = True
    refused = refusal(client, "accept")
    assert refused["type"] == "urn:sextant:problem:drift-not-acceptable"
    assert "web.router: core 0 is reserved by an operator, so it cannot be ordered there" in refused["detail"]
    assert next(one.get("command") for one in refused["next_actions"]) == "sextant hosts repair edge-1"


def test_a_core_reserved_under_an_nf_is_a_difference_that_re_placing_ends(client: TestClient, fleet: Fleet) -> None:
    placed(client, "web", "router")
    tag = client.get(HOST).headers["ETag"]
    body = {"cores": [1], "reason": "console"}
    assert client.put(f"{HOST}/reserved-cores", json=body, headers={"If-Match": tag}).status_code == 200
    report = drift(client)
    assert rows(report) == [("seat", "web.router", "core 1", "core 1 is reserved by an operator")]
    assert (report.repair.possible, report.accept.possible) == (False, False)
    refused = refusal(client, "repair")
    assert "re-placing moves NFs off them: sextant plans ask --host edge-1" in refused["detail"]


def test_an_order_that_this_console_never_gave_is_repaired_past_its_number(client: TestClient, fleet: Fleet) -> None:
    """Its ledger is at generation 9 with nothing to run: an order of generation 2 would be refused."""
    placed(client, "web", "router")
    fleet.edge.ledger = DesiredHostConfig.of(9, HostContent(host_id="edge-1"))
    assert (drift(client).held_generation, drift(client).held_as_ordered) == (9, False)
    ended(client, ask(client, "repair"))
    assert fleet.edge.ledger.generation == 11
    assert not drift(client).drifted
    [raised] = client.get(f"{API}/audit", params={"action": "host.renumber"}).json()["items"]
    assert (raised["before"], raised["after"]) == ({"generation": 1}, {"generation": 10})


def test_a_chain_that_another_host_was_ordered_to_run_is_not_accepted(client: TestClient, fleet: Fleet) -> None:
    """edge-1 comes back with its order of before the chain moved to edge-2."""
    placed(client, "web", "router")
    old = fleet.edge.ledger
    asked = client.post(f"{API}/plans", json={"intent": {"kind": "relocate", "chain": "web", "host": "edge-2"}})
    planner.make(asked.json()["id"])
    ended(client, plan(client, asked.json()["id"]))
    fleet.edge.ledger = old
    report = drift(client)
    assert rows(report) == [("foreign", "web.router", "not ordered", "router on core 1")]
    assert report.repair.reasons == ("stops web",)
    assert report.accept.reasons == ("web: ordered to run on edge-2; two hosts would run it. Repair stops it here",)
    assert "two hosts would run it" in refusal(client, "accept")["detail"]
    ended(client, ask(client, "repair"))
    assert fleet.edge.ledger.content.chains == ()
    assert [nf["seat"]["host"] for nf in client.get(f"{API}/nfs").json()["items"]] == ["edge-2"]


def test_a_chain_placed_elsewhere_after_the_plan_was_made_is_not_accepted(client: TestClient, fleet: Fleet) -> None:
    """The database was restored from before the chain was ordered to edge-1, which runs it; then it is placed anew."""
    placed(client, "web", "router")
    ledger = fleet.edge.ledger
    fleet.edge.ledger = DesiredHostConfig.of(1, HostContent(host_id="edge-1"))
    ended(client, ask(client, "accept"))
    fleet.edge.ledger = DesiredHostConfig.of(7, ledger.content)
    made = ask(client, "accept")
    assert made.body is not None and [change.kind.value for change in made.body.changes] == ["start"]
    cordon = client.post(f"{HOST}/cordon", json={"reason": "test"})
    assert cordon.status_code == 200
    asked = client.post(f"{API}/plans", json={"intent": {"kind": "place", "chain": "web"}})
    planner.make(asked.json()["id"])
    ended(client, plan(client, asked.json()["id"]))
    client.post(f"{HOST}/uncordon")
    answer = client.post(f"{API}/plans/{made.id}/apply", headers={"If-Match": f'"{made.digest}"'})
    assert answer.status_code == 409
    assert "web was ordered to run on edge-2 since the plan was made: two hosts would run it" in answer.json()["detail"]


def test_a_chain_of_nobody_is_not_accepted_and_an_absent_agent_is_named(client: TestClient, fleet: Fleet) -> None:
    other = submit(client, "web", "router")
    assert other.body is not None
    [target] = other.body.target
    renamed = target.content.model_dump_json().replace('"web', '"shadow')
    fleet.edge.ledger = DesiredHostConfig.of(3, HostContent.model_validate_json(renamed))
    report = drift(client)
    assert rows(report) == [("foreign", "shadow.router", "not ordered", "router on core 1")]
    assert report.accept.reasons == (
        "shadow: no chain of this console; repair stops it, or submit it under another name first",
    )
    fleet.edge.stop()
    answer = client.get(f"{HOST}/drift")
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:sextant:problem:agent-unreachable")


def test_a_viewer_sees_and_does_not_act(client: TestClient, fleet: Fleet, sign_in: SignIn) -> None:
    viewer = sign_in(Role.VIEWER, "vera")
    assert viewer.get(f"{HOST}/drift").status_code == 200
    assert viewer.post(f"{HOST}/drift/repair").status_code == 403
    assert viewer.post(f"{HOST}/drift/accept").status_code == 403
    assert client.get(f"{API}/hosts/nowhere/drift").status_code == 404


def test_reports_mark_a_host_once_the_difference_lasts(client: TestClient, fleet: Fleet) -> None:
    placed(client, "web-edge", "router")
    sample = a_batch().nfs[0].model_copy(update={"nf_id": "web-edge.router", "core": 0})
    heard(1, [sample])
    assert evaluated() == 0 and client.get(HOST).json()["drift"] is None, "seen for the first time"
    longer_ago()
    assert evaluated() == 1
    mark = client.get(HOST).json()["drift"]
    assert mark["summary"] == "1 NF on another core than ordered"
    heard(2, [])
    assert evaluated() == 1
    assert client.get(HOST).json()["drift"] == mark | {"summary": "1 NF does not run"}
    assert drift(client).since is not None
    heard(3, [sample.model_copy(update={"core": 1})])
    assert evaluated() == 1
    assert client.get(HOST).json()["drift"] is None
    assert evaluated() == 0, "nothing has changed"


def test_a_host_of_which_no_report_is_there_any_more_is_not_marked(client: TestClient, fleet: Fleet) -> None:
    """After a crash of PostgreSQL, until the host reports again."""
    placed(client, "web-edge", "router")
    heard(1, [a_batch().nfs[0].model_copy(update={"nf_id": "web-edge.router", "core": 1})])
    with session_scope() as session:
        session.execute(text("TRUNCATE latest_nfs"))
        assert repository.nf_counts(session) == {}
    heard(2, [])
    with session_scope() as session:
        assert repository.nf_counts(session) == {"edge-1": NfCounts(not_running=1)}


def heard(sequence: int, nfs: list[Any]) -> None:
    with session_scope() as session:
        telemetry.ingest(session, a_batch(sequence, nfs=nfs))


def evaluated() -> int:
    with session_scope() as session:
        return marks.evaluate(session)


def longer_ago() -> None:
    """As if it had been seen an hour before."""
    with session_scope() as session:
        host = session.get(Host, "edge-1")
        assert host is not None and host.drift is not None
        host.drift = {**host.drift, "since": "2026-01-01T00:00:00+00:00"}
