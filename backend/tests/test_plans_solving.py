"""How a plan is found: asked for with the plan, reported while it is made, stopped when nobody wants it any more."""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import large_world
import pytest
from agent_peer import chain_json
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, placed, plan, submit
from sextant_backend.kit import queue
from sextant_backend.kit.db import read_snapshot, session_scope
from sextant_backend.modules.plans import planner, repository
from sextant_backend.modules.plans.models import PlanRow
from sextant_backend.modules.snapshots import service as snapshots
from sextant_backend.modules.snapshots.current_fleet import CurrentFleet
from sextant_backend.settings import Settings
from sextant_domain.hosts.host import HostInventory
from sextant_domain.plans.evidence import Algorithm, Doubt, PlanProgress, Solving
from sextant_domain.plans.intents import Intent
from sextant_domain.plans.plan import PlanBody, PlanState
from sextant_domain.plans.snapshot import HostSnapshot
from sextant_engine.fleet_view import FleetView
from sextant_engine.plan import make_plan_on
from sqlalchemy import text, update
from sqlalchemy.orm import Session

REPLACE = {"kind": "replace"}


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


def ask(client: TestClient, **how: object) -> dict[str, Any]:
    answer = client.post(f"{API}/plans", json={"intent": REPLACE, **how})
    assert answer.status_code == 202, answer.text
    return dict(answer.json())


def published_plans() -> list[dict[str, Any]]:
    """Every plan event so far."""
    events = [json.loads(fields[b"e"]) for _, fields in queue.client().xrange(queue.STREAM)]
    return [event["plan"] for event in events if event["event"] == "plan"]


def test_a_plan_says_how_it_shall_be_found(client: TestClient, fleet: Fleet) -> None:
    how = {"algorithm": "octans", "time_limit_s": 2, "seed": 7, "max_moves": 3}
    asked = ask(client, **how)
    assert asked["solving"] == {**how, "time_limit_s": 2.0}
    assert (asked["source"], asked["comparison_id"], asked["progress"]) == ("fleet", None, None)
    [listed] = client.get(f"{API}/plans").json()["items"]
    assert (listed["algorithm"], listed["status"], listed["gap"]) == ("octans", None, None)


def test_without_a_wish_the_engine_chooses_and_has_ten_seconds(client: TestClient, fleet: Fleet) -> None:
    assert ask(client)["solving"] == {"algorithm": None, "time_limit_s": 10.0, "seed": 0, "max_moves": None}


@pytest.mark.parametrize(
    ("how", "field", "says"),
    [
        ({"algorithm": "magic"}, "algorithm", ", ".join(f"'{one}'" for one in list(Algorithm)[:-1])),
        ({"algorithm": 3}, "algorithm", "'exact'"),
        ({"time_limit_s": 601}, "time_limit_s", "at most 600"),
        ({"time_limit_s": -1}, "time_limit_s", "at least 0"),
        ({"time_limit_s": "10"}, "time_limit_s", "number"),
        ({"seed": 2**31}, "seed", "less than"),
        ({"max_moves": -1}, "max_moves", "at least 0"),
        ({"max_moves": 1.5}, "max_moves", "whole number"),
    ],
)
def test_what_does_not_fit_is_refused_by_field(
    client: TestClient, fleet: Fleet, how: dict[str, object], field: str, says: str
) -> None:
    answer = client.post(f"{API}/plans", json={"intent": REPLACE, **how})
    assert answer.status_code == 422
    [error] = answer.json()["errors"]
    assert error["field"] == field
    assert says in error["message"]


def test_a_plan_without_time_is_a_plan(client: TestClient, fleet: Fleet) -> None:
    submit(client, "web-edge")
    made_by = ask(client, time_limit_s=0)["id"]
    planner.make(made_by)
    made = plan(client, made_by)
    assert made.state is PlanState.PROPOSED, made.error
    assert made.body is not None
    assert all(finding.ok for finding in made.body.checks)
    assert {change.chain for change in made.body.changes} == {"web-edge"}


def test_lists_show_what_was_found_without_reading_a_body(
    client: TestClient, fleet: Fleet, count_queries: Callable[[], AbstractContextManager[list[str]]]
) -> None:
    made = submit(client, "web-edge")
    assert made.body is not None
    with count_queries() as seen:
        [listed] = client.get(f"{API}/plans").json()["items"]
    evidence = made.body.evidence
    assert (listed["status"], listed["gap"], listed["doubt"]) == (evidence.status, evidence.gap, "untested")
    assert evidence.doubt is Doubt.UNTESTED, "the cores of edge-1 are shared, and nothing is predicted"
    assert not [statement for statement in seen if "plans.body" in statement]


def test_a_body_of_an_earlier_version_is_filled_in(client: TestClient, fleet: Fleet) -> None:
    """Version 0002 knew no evidence by host: what is read has the empty list, and what is stored stays as it was."""
    made = submit(client, "web-edge")
    assert made.body is not None
    old = made.body.model_dump(mode="json")
    for name in ("hosts", "frontier", "solving", "stopped", "exchanges"):
        del old["evidence"][name]
    older = json.dumps(old)
    with session_scope() as session:
        session.execute(update(PlanRow).values(body=older, status=None))
    assert plan(client, made.id).body == made.body.model_copy(
        update={"evidence": made.body.evidence.model_copy(update={"hosts": (), "frontier": (), "solving": None})}
    )
    with session_scope() as session:
        row = repository.get(session, made.id, body=True)
        assert row is not None and row.body == older


class Search:
    """An engine that stands in the middle of its search until the test has looked, and then asks whether to go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(planner, "PROGRESS_EVERY_S", 0.0)
        monkeypatch.setattr("sextant_engine.plan.make_plan_on", self)
        self.stands, self.go_on = threading.Event(), threading.Event()
        self.stopped: bool | None = None
        self.solving: Solving | None = None

    def __call__(
        self,
        fleet: FleetView,
        intent: Intent,
        solving: Solving,
        watch: Callable[[PlanProgress], bool],
        _: object,
    ) -> PlanBody:
        self.solving = solving
        watch(PlanProgress(stage="solving", done=1, total=4, best=9.0, bound=12.0, evaluations=50, seconds=0.5))
        self.stands.set()
        assert self.go_on.wait(60)
        self.stopped = watch(PlanProgress(stage="solving", done=2, total=4))
        return make_plan_on(fleet, intent, solving)


@pytest.fixture
def search(monkeypatch: pytest.MonkeyPatch) -> Search:
    return Search(monkeypatch)


def being_planned(plan_id: int, search: Search) -> threading.Thread:
    thread = threading.Thread(target=planner.make, args=(plan_id,))
    thread.start()
    assert search.stands.wait(60)
    return thread


def test_progress_is_reported_while_a_plan_is_made_and_gone_after_it(
    client: TestClient, fleet: Fleet, search: Search
) -> None:
    plan_id = ask(client, algorithm="brute", max_moves=2)["id"]
    worker = being_planned(plan_id, search)
    shown = plan(client, plan_id)
    assert shown.progress == PlanProgress(
        stage="solving", done=1, total=4, best=9.0, bound=12.0, evaluations=50, seconds=0.5
    )
    assert [one["progress"] and one["progress"]["stage"] for one in published_plans()] == [None, "reading", "solving"]
    search.go_on.set()
    worker.join()
    assert search.stopped is False
    assert search.solving == Solving(algorithm=Algorithm.BRUTE, max_moves=2)
    made = plan(client, plan_id)
    assert (made.state, made.progress) == (PlanState.PROPOSED, None)
    assert published_plans()[-1]["progress"] is None


def test_rejecting_a_plan_in_the_making_ends_its_search(client: TestClient, fleet: Fleet, search: Search) -> None:
    plan_id = ask(client)["id"]
    worker = being_planned(plan_id, search)
    answer = client.post(f"{API}/plans/{plan_id}/reject")
    assert (answer.status_code, answer.json()["state"], answer.json()["progress"]) == (200, "rejected", None)
    search.go_on.set()
    worker.join()
    assert search.stopped is True
    left = plan(client, plan_id)
    assert (left.state, left.body, left.progress) == (PlanState.REJECTED, None, None)
    assert published_plans()[-1]["state"] == "rejected"
    actions = [entry["action"] for entry in client.get(f"{API}/audit").json()["items"] if "plan/" in entry["subject"]]
    assert actions == ["plan.cancel", "plan.ask"]


@pytest.mark.parametrize("stage", ["choosing", "explaining", "checking"])
def test_a_plan_rejected_while_it_is_made_is_made_no_further(
    client: TestClient, fleet: Fleet, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    """Rejected when the engine enters a stage: no further stage is reported, and nothing is stored."""
    monkeypatch.setattr(planner, "PROGRESS_EVERY_S", 0.0)
    chain = submit(client, "web-edge").id
    client.post(f"{API}/plans/{chain}/reject")
    plan_id, seen = ask(client)["id"], list[str]()

    class Rejecting(planner.Watch):
        def __call__(self, now: PlanProgress) -> bool:
            if now.stage == stage and now.stage not in seen:
                client.post(f"{API}/plans/{plan_id}/reject").raise_for_status()
            seen.append(now.stage)
            return super().__call__(now)

    monkeypatch.setattr(planner, "Watch", Rejecting)
    planner.make(plan_id)
    assert seen.count(stage) == 1 and seen[-1] == stage
    left = plan(client, plan_id)
    assert (left.state, left.body, left.error) == (PlanState.REJECTED, None, None)


def test_a_search_that_was_taken_over_ends(client: TestClient, fleet: Fleet, search: Search) -> None:
    plan_id = ask(client)["id"]
    worker = being_planned(plan_id, search)
    with session_scope() as session:
        session.execute(update(PlanRow).values(claim_token="another worker's"))
    search.go_on.set()
    worker.join()
    assert search.stopped is True
    assert plan(client, plan_id).state is PlanState.PLANNING


def test_a_re_placement_that_is_only_proposed_changes_no_chain(client: TestClient, fleet: Fleet) -> None:
    placed(client, "web-edge")
    before = client.get(f"{API}/chains/web-edge").json()
    planner.make(ask(client)["id"])
    assert client.get(f"{API}/chains/web-edge").json()["plan_id"] == before["plan_id"]


@pytest.mark.parametrize("placed", [True, False])
def test_a_snapshot_needs_as_many_queries_for_sixty_hosts_as_for_two(
    clean: Settings, count_queries: Callable[[], AbstractContextManager[list[str]]], placed: bool
) -> None:
    asked = []
    for hosts in (2, 60):
        with session_scope() as session:
            session.execute(text("TRUNCATE hosts, chains, placed_nfs CASCADE"))
        large_world.fill(hosts, hosts * 5, placed=placed)
        with count_queries() as seen, session_scope() as session:
            snapshot = snapshots.take(session)
        assert (len(snapshot.hosts), len(snapshot.chains)) == (hosts, hosts * 5)
        assert sum(len(host.content.chains) for host in snapshot.hosts) == (hosts * 5 if placed else 0)
        asked.append(len(seen))
    # Time, hosts, chains, what hops cost, fitted costs, NF types, models, outcomes by model, by host model.
    assert asked[0] == asked[1] <= 9


def test_a_plan_reads_again_only_what_has_changed_since_the_one_before(
    client: TestClient, clean: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of forty hosts the first plan of a process reads all, the next one none, and the one after that the host that was
    cordoned meanwhile."""
    large_world.fill(40, 80, placed=True)
    monkeypatch.setattr(planner, "_fleet", CurrentFleet())
    names = [host.host_id for host in _hosts_read(client, "first")]
    assert len(names) == 40
    assert _hosts_read(client, "second") == []
    assert client.post(f"{API}/hosts/h0007/cordon", json={"reason": "a new fan"}).status_code == 200
    assert [host.host_id for host in _hosts_read(client, "third")] == ["h0007"]


def test_a_process_that_got_ready_waits_for_nothing_but_its_first_search(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What every plan asks of a host is known before anybody asks for one; what changes meanwhile is read."""
    large_world.fill(40, 200, placed=True)
    monkeypatch.setattr(planner, "_fleet", CurrentFleet())
    planner.get_ready()
    with session_scope() as session, read_snapshot(session):
        view = planner._fleet.read(session)
    assert all("layout" in vars(host.cores) and "_room" in vars(host) for host in view.hosts.values())
    assert len(view.specs) == 200, "the chain that was placed for it is nowhere"
    assert client.post(f"{API}/hosts/h0007/cordon", json={"reason": "a new fan"}).status_code == 200
    assert [host.host_id for host in _hosts_read(client, "first")] == ["h0007"]


def _hosts_read(client: TestClient, name: str) -> list[HostInventory]:
    """The hosts whose inventories were read for a plan of a new chain, which is proposed."""
    plan_id = client.post(f"{API}/chains", json=chain_json(name)).json()["plan_id"]
    read: list[HostInventory] = []
    stored = snapshots.hosts_as_stored

    def noted(session: Session, names: Sequence[str]) -> dict[str, HostSnapshot]:
        found = stored(session, names)
        read.extend(host.inventory for host in found.values())
        return found

    with patch.object(snapshots, "hosts_as_stored", noted):
        planner.make(plan_id)
    assert plan(client, plan_id).state == "proposed"
    return read
