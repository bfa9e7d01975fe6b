"""Links that hosts' agents took for chains by themselves, in Automation's timeline, and an alert where none is left."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from fleet_world import API
from sextant_backend.kit.db import db_now, session_scope
from sextant_backend.laws.srv6.rerouted import WayTimeline
from sextant_backend.modules.alerts.kinds.frame import Look
from sextant_backend.modules.alerts.kinds.way_cut import observe
from sextant_backend.modules.chains.models import ChainRow
from sextant_backend.modules.control import each_second
from sextant_backend.modules.telemetry import service as telemetry
from sextant_domain.chains.chain_file import ChainFile
from sextant_domain.hosts.chain_way import ChainWay, WayChange, WayChangeKind, WayState
from sextant_domain.hosts.telemetry import ChainSample, TelemetryBatch
from srv6_world import HOST, placed

pytestmark = pytest.mark.as_admin
NIDS = "web-part-2.nids"
CUT, RETURNED, LOST = WayChangeKind.CUT, WayChangeKind.RETURNED, WayChangeKind.LOST
NO_CARRIER = "lab-2 has no carrier"


@pytest.fixture
def began(client: TestClient) -> datetime:
    """Now, by the database; no chain of these hosts has quota bounds that anybody reports."""
    placed()
    with session_scope() as session:
        return db_now(session)


def change(at: datetime, kind: WayChangeKind = CUT, chain: str = "web", **changes: Any) -> WayChange:
    told = {"before": "lab-2", "after": "lab-3", "cause": NO_CARRIER, "to": NIDS, "took_us": 800} | changes
    return WayChange.model_validate({"at": at, "chain": chain, "kind": kind, **told})


def report(at: datetime, *changes: WayChange, ways: tuple[ChainWay, ...] = ()) -> None:
    """Of HOST at that time, and the laws have a turn."""
    sample = ChainSample(chain="over", offered_mpps=0.01, delivered_mpps=0.01, drop_mpps=0, ways=ways)
    with session_scope() as session:
        batch = TelemetryBatch(
            host_id=HOST, epoch="e1", sequence=int(at.timestamp() * 1000), taken_at=at, interval_s=1.0,
            provenance="measured", applied_generation=1, phase="converged", chains=(sample,), way_changes=changes,
        )  # fmt: skip
        telemetry.ingest(session, batch)
    each_second.tick()


def entries(client: TestClient) -> list[dict[str, Any]]:
    found = client.get(f"{API}/automation/timeline?law=srv6").json()["items"]
    return [one for one in found if one["event"] == "chain.rerouted"]


def looked(timeline: WayTimeline, now: datetime) -> None:
    with session_scope() as session:
        timeline.enter(session, now)


def test_a_cut_is_in_the_timeline_a_turn_later_though_no_chain_has_quota_bounds(
    client: TestClient, began: datetime
) -> None:
    report(began, change(began))
    [entry] = entries(client)
    assert (entry["actor"], entry["law"]) == (f"host/{HOST}", "srv6")
    assert entry["text"] == f"{HOST}: to {NIDS} over lab-3 instead of lab-2: {NO_CARRIER}"
    report(began + timedelta(seconds=1), change(began))
    assert len(entries(client)) == 1


def test_what_follows_within_a_minute_is_one_entry_that_ends_with_the_latest(
    client: TestClient, began: datetime
) -> None:
    """One at once; of the nine that follow in its minute one a minute later, with the last six in words."""
    timeline = WayTimeline()
    changes = [change(began)]
    report(began, *changes)
    looked(timeline, began)
    for step in range(1, 10):
        at = began + timedelta(seconds=step / 100)
        kind, cause = (RETURNED, "well again") if step % 2 else (CUT, NO_CARRIER)
        ends = {"before": "lab-3", "after": "lab-2"} if step % 2 else {}
        changes.append(change(at, kind, cause=cause, **ends))
    report(began + timedelta(milliseconds=100), *changes)
    looked(timeline, began + timedelta(seconds=30))
    assert len(entries(client)) == 1
    looked(timeline, began + timedelta(seconds=61))
    newest, _ = entries(client)
    assert newest["text"].startswith(f"{HOST}: 3 more before; then to {NIDS} over lab-3")
    assert newest["text"].endswith(f"; then to {NIDS} over lab-2 instead of lab-3: well again")


def test_each_chain_has_an_entry_of_its_own_and_a_way_that_is_lost_says_so(client: TestClient, began: datetime) -> None:
    lost = change(
        began, LOST, "dns", before="lab-2", after="lab-2", cause="none of lab-2, lab-3 has a carrier", to=None
    )
    report(began, change(began), lost)
    assert {one["text"] for one in entries(client)} == {
        f"{HOST}: to {NIDS} over lab-3 instead of lab-2: {NO_CARRIER}",
        f"{HOST}: its way to its end is cut: none of lab-2, lab-3 has a carrier",
    }


def test_whoever_has_the_next_turn_enters_nothing_twice_and_nothing_of_long_ago(
    client: TestClient, began: datetime
) -> None:
    old = change(began - timedelta(hours=2))
    report(began, old, change(began, RETURNED, before="lab-3", after="lab-2", cause="well again"))
    looked(WayTimeline(), began + timedelta(minutes=5))
    [entry] = entries(client)
    assert entry["text"] == f"{HOST}: to {NIDS} over lab-2 instead of lab-3: well again"


@pytest.mark.parametrize(
    ("state", "is_bad", "is_unknown"),
    [(WayState.CUT, True, False), (WayState.OTHER, False, False), (WayState.UNKNOWN, False, True)],
)
def test_a_part_whose_way_is_cut_is_an_alert(began: datetime, state: WayState, is_bad: bool, is_unknown: bool) -> None:
    file = {
        "apiVersion": "sextant/v1", "kind": "Chain", "name": "over",
        "traffic": {"rate_mpps": 0.01, "packet_bytes": 600},
        "path": [{"nfs": ["router"], "host": HOST}, {"nfs": ["firewall"], "host": "edge-2"}],
    }  # fmt: skip
    spec = ChainFile.model_validate(file).specs()[0]
    with session_scope() as session:
        session.add(ChainRow(name="over", spec=spec.model_dump(mode="json"), state="running", created_by="ada"))
    way = ChainWay(to=NIDS, links=("lab-2", "lab-3"), link="lab-3", state=state, since=began, why="none has a carrier")
    report(began, ways=(way,))
    with session_scope() as session:
        found = observe(session, Look(db_now(session), ["over"], {}))
    assert (set(found.bad), found.unknown, found.gone) == (
        {"over"} if is_bad else set(), frozenset({"over"} if is_unknown else ()), frozenset()
    )  # fmt: skip
    if is_bad:
        said = found.bad["over"]
        assert said.summary == f"over is cut on its way from {HOST}"
        assert said.cause == f"Packets for {NIDS} are lost on {HOST}: none has a carrier."
        assert said.next_step == f"See to lab-2 or lab-3 of {HOST}, or name another [[link]] in its srv6.toml"
