"""The fleet at a moment, marks, compliance and sizes."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from console_world import a_batch, an_inventory
from fastapi.testclient import TestClient
from history_world import roll_up, store
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.alerts.models import AlertRow
from sextant_backend.modules.chains.models import ChainRow
from sextant_backend.modules.control.models import RecommendationRow
from sextant_backend.modules.hosts import service as host_service
from sextant_backend.modules.operations.models import OperationHostRow, OperationRow
from sextant_backend.modules.plans.models import PlanRow
from sextant_backend.modules.telemetry.intervals import start_of
from sextant_domain.hosts.host import HostInventory
from sqlalchemy import text
from sqlalchemy.orm import Session


@pytest.fixture
def start(edge: HostInventory) -> datetime:
    """The beginning of an interval four minutes ago."""
    return start_of(datetime.now(UTC) - timedelta(minutes=4))


def _get(client: TestClient, path: str, **query: Any) -> Any:
    given = {name: value.isoformat() if isinstance(value, datetime) else value for name, value in query.items()}
    answer = client.get(f"/api/v1/{path}", params=given)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_fleet_at_a_moment_is_what_was_reported_in_its_interval(client: TestClient, start: datetime) -> None:
    """At 0 s one core is 10 % busy, at 10 s 20 %: the moment 4 s lies in the first interval, 13 s in the second."""
    for number, busy in enumerate((10.0, 20.0)):
        at = start + timedelta(seconds=10 * number)
        store(a_batch(number, taken_at=at, cores=[{"core": 1, "busy_percent": busy}]))
    roll_up(start + timedelta(seconds=60))
    for seconds, busy in ((4, 10.0), (13, 20.0)):
        found = _get(client, "history/fleet", at=start + timedelta(seconds=seconds))
        (host,) = found["hosts"]
        assert (host["host_id"], host["throughput_mpps"]) == ("edge-1", pytest.approx(0.4))
        assert host["cores"] == [{"core": 1, "busy_percent": busy}]
        assert [(nf["nf_id"], nf["core"], nf["utilisation_percent"]) for nf in host["nfs"]] == [
            ("web-edge.router", 1, None)
        ]
        assert [(chain["chain"], chain["host"]) for chain in found["chains"]] == [("web-edge", "edge-1")]
        assert found["level"] == "10s"


def test_cpu_time_that_was_not_measured_is_none_of_the_moment_too(client: TestClient, start: datetime) -> None:
    nf = {"nf_id": "web-edge.nft", "chain": "web-edge", "core": 1, "rx_mpps": 0.5, "tx_mpps": 0.5, "drop_mpps": 0.0}
    store(a_batch(1, taken_at=start, nfs=[nf]))
    roll_up(start + timedelta(seconds=60))
    ((found,),) = (host["nfs"] for host in _get(client, "history/fleet", at=start)["hosts"])
    assert (found["nf_id"], found["rx_mpps"], found["cpu_percent"]) == ("web-edge.nft", 0.5, None)


def test_one_host_or_one_chain_is_read_alone(client: TestClient, edge: HostInventory, start: datetime) -> None:
    """edge-1 reports web-edge. A host or chain that did not report then is none, of whatever name."""
    store(a_batch(1, taken_at=start))
    roll_up(start + timedelta(seconds=60))
    for asked, hosts, chains in (
        ({"host": edge.host_id}, ["edge-1"], ["web-edge"]),
        ({"host": "edge-9"}, [], []),
        ({"chain": "web-edge"}, ["edge-1"], ["web-edge"]),
        ({"chain": "mail"}, [], []),
        ({"chain": "web-edge", "host": "edge-9"}, [], []),
    ):
        found = _get(client, "history/fleet", at=start, **asked)
        assert [host["host_id"] for host in found["hosts"]] == hosts
        assert [chain["chain"] for chain in found["chains"]] == chains


def test_hops_of_one_chain_are_what_its_packets_measured(client: TestClient, start: datetime) -> None:
    """Two seconds of 10 and 30 us are 20 us in the mean; of slowest packets, waits and queues the most counts. The
    second hop's packets did not depart in the first second."""
    router = {"device": "edge-1", "nf_id": "web-edge.router"}
    nids = {"device": "edge-1", "nf_id": "web-edge.nids", "queue_packets": 7}
    for number, path in enumerate(
        (
            [{**router, "latency_us": 10.0, "p95_us": 20.0, "most_us": 90.0}, {**nids, "waits_us": 500.0}],
            [
                {**router, "latency_us": 30.0, "p95_us": 40.0, "most_us": 60.0},
                {**nids, "latency_us": 5.0, "p95_us": 6.0, "most_us": 7.0, "queue_packets": 3},
            ],
        )
    ):
        chain = {"chain": "web-edge", "offered_mpps": 0.4, "delivered_mpps": 0.4, "drop_mpps": 0.0, "path": path}
        store(a_batch(number, taken_at=start + timedelta(seconds=number), chains=[chain]))
    roll_up(start + timedelta(seconds=60))
    assert _get(client, "history/fleet", at=start, chain="web-edge")["hops"] == [
        {**router, "latency_us": 20.0, "p95_us": 30.0, "most_us": 90.0, "waits_us": None, "queue_packets": None},
        {**nids, "latency_us": 5.0, "p95_us": 6.0, "most_us": 7.0, "waits_us": 500.0},
    ]
    assert _get(client, "history/fleet", at=start)["hops"] == []
    assert _get(client, "history/fleet", at=start + timedelta(seconds=20), chain="web-edge")["hops"] == []
    roll_up(start + timedelta(days=2))
    long_ago = _get(client, "history/fleet", at=start, chain="web-edge")
    assert [hop["most_us"] for hop in long_ago["hops"]] == [90.0, 7.0]


def test_a_host_that_did_not_report_is_absent(client: TestClient, start: datetime) -> None:
    store(a_batch(1, taken_at=start))
    roll_up(start + timedelta(seconds=60))
    found = _get(client, "history/fleet", at=start + timedelta(seconds=20))
    assert (found["hosts"], found["chains"]) == ([], [])


def test_a_moment_that_is_not_rolled_up_yet_is_the_newest_that_is(client: TestClient, start: datetime) -> None:
    store(a_batch(1, taken_at=start))
    roll_up(start + timedelta(seconds=15))  # until 10 s
    found = _get(client, "history/fleet", at=start + timedelta(minutes=3))
    assert datetime.fromisoformat(found["at"]) == start
    assert len(found["hosts"]) == 1


def test_a_chain_is_shown_as_far_as_its_own_host_is_rolled_up(
    client: TestClient, session: Session, start: datetime
) -> None:
    """edge-1 until 10 s, edge-2, which runs another chain, until 60 s: at 30 s the chain's newest interval is the
    first, though the fleet's is that of 30 s."""
    host_service.enrol(session, "edge-2", {})
    host_service.register(session, an_inventory("edge-2"), "https://127.0.0.1:9444")
    session.commit()
    store(a_batch(1, taken_at=start))
    mail = {"chain": "mail", "offered_mpps": 0.1, "delivered_mpps": 0.1, "drop_mpps": 0.0}
    store(a_batch(1, host_id="edge-2", taken_at=start, chains=[mail], nfs=[]))
    roll_up(start + timedelta(seconds=75))
    until = text("UPDATE latest_hosts SET rolled_until = :at WHERE host_id = 'edge-1'")
    session.execute(until, {"at": start + timedelta(seconds=10)})
    session.commit()
    at = start + timedelta(seconds=30)
    chain = _get(client, "history/fleet", at=at, chain="web-edge")
    assert datetime.fromisoformat(chain["at"]) == start and len(chain["hosts"]) == 1
    assert datetime.fromisoformat(_get(client, "history/fleet", at=at, host="edge-1")["at"]) == start
    for asked in ({}, {"chain": "mail"}, {"chain": "nobody"}):
        assert datetime.fromisoformat(_get(client, "history/fleet", at=at, **asked)["at"]) == at


def test_a_moment_of_last_month_comes_in_five_minutes(client: TestClient, start: datetime) -> None:
    then = start - timedelta(days=30)
    assert _get(client, "history/fleet", at=then)["level"] == "5min"


def test_a_deleted_host_was_there(client: TestClient, start: datetime) -> None:
    store(a_batch(1, taken_at=start))
    roll_up(start + timedelta(seconds=60))
    with session_scope() as session:
        session.execute(text("DELETE FROM hosts"))
    assert [host["host_id"] for host in _get(client, "history/fleet", at=start)["hosts"]] == ["edge-1"]


def test_two_moments_differ_in_what_chains_carried_and_where_nfs_stood(client: TestClient, start: datetime) -> None:
    """The router moved from core 1 to core 0 and lost half of its packets; mail came, old went."""
    nf = a_batch().nfs[0].model_dump(mode="json")
    chain = {"offered_mpps": 0.5, "drop_mpps": 0.0}
    first = [{**chain, "chain": "web-edge", "delivered_mpps": 0.4}, {**chain, "chain": "old", "delivered_mpps": 0.1}]
    then = [{**chain, "chain": "web-edge", "delivered_mpps": 0.2}, {**chain, "chain": "mail", "delivered_mpps": 0.3}]
    store(a_batch(1, taken_at=start, chains=first))
    store(a_batch(2, taken_at=start + timedelta(seconds=10), chains=then, nfs=[{**nf, "core": 0}]))
    roll_up(start + timedelta(seconds=60))
    found = _get(client, "history/differences", before=start, after=start + timedelta(seconds=12))
    carried = {
        one["chain"]: tuple(one[when] and one[when]["delivered_mpps"] for when in ("before", "after"))
        for one in found["chains"]
    }
    assert carried == {
        "mail": (None, pytest.approx(0.3)),
        "old": (pytest.approx(0.1), None),
        "web-edge": (pytest.approx(0.4), pytest.approx(0.2)),
    }
    assert found["nfs"] == [
        {"nf_id": "web-edge.router", "before": {"host": "edge-1", "core": 1}, "after": {"host": "edge-1", "core": 0}}
    ]
    gone = _get(client, "history/differences", before=start, after=start + timedelta(seconds=25))
    assert (gone["hosts_gone"], gone["hosts_new"]) == (["edge-1"], [])
    assert gone["nfs"][0]["after"] is None


def _operation(session: Any, title: str, began: datetime, ended: datetime | None, host: str, chain: str) -> None:
    plan = PlanRow(
        state="applied", kind="replace", subject="fleet", chains=[chain], hosts=[host], intent={}, solving={},
        source="fleet", digest="sha256:0", body="{}", changes=1, moves=1, placed=0, rejected=0, rejected_value=0,
        tested=True, tries=1, created_by="ada", version=1,
    )  # fmt: skip
    session.add(plan)
    session.flush()
    row = OperationRow(
        kind="apply", state="COMPLETED" if ended else "PROCESSING", plan_id=plan.id, title=title, requested_by="ada",
        created_at=began, started_at=began, finished_at=ended,
    )  # fmt: skip
    session.add(row)
    session.flush()
    session.add(
        OperationHostRow(
            operation_id=row.id, host_id=host, holding=False, chains=[chain], record={}, base="", target="", former=""
        )
    )
    if ended:
        session.add(
            RecommendationRow(
                law="octans", plan_id=plan.id, state="accepted", body={"hosts": [host], "chains": [chain], "moves": 2},
                created_at=began - timedelta(seconds=30), decided_at=began,
            )
        )  # fmt: skip


def test_marks_are_what_overlaps_the_range_oldest_first(client: TestClient, start: datetime) -> None:
    """The first operation ended before the range, the second lasts into it, the third goes on; the recommendation of
    the second came before it and ended when it began, before the range, too."""
    second = timedelta(seconds=1)
    with session_scope() as session:
        _operation(session, "over", start - 90 * second, start - 60 * second, "edge-1", "web")
        _operation(session, "lasts", start - 10 * second, start + 5 * second, "edge-1", "web")
        _operation(session, "goes on", start + 20 * second, None, "edge-2", "mail")
    found = _get(client, "history/marks", **{"from": start, "to": start + 60 * second})
    assert [(one["kind"], one["title"], one["state"]) for one in found["items"]] == [
        ("operation", "lasts", "COMPLETED"),
        ("operation", "goes on", "PROCESSING"),
    ]
    wider = _get(client, "history/marks", **{"from": start - 20 * second, "to": start + 60 * second})
    assert [one["title"] for one in wider["items"]] == ["octans: 2 moves recommended", "lasts", "goes on"]
    of_host = _get(client, "history/marks", **{"from": start, "to": start + 60 * second}, host="edge-2")
    assert [(one["title"], one["hosts"], one["chains"]) for one in of_host["items"]] == [
        ("goes on", ["edge-2"], ["mail"])
    ]
    of_chain = _get(client, "history/marks", **{"from": start, "to": start + 60 * second}, chain="web")
    assert [one["title"] for one in of_chain["items"]] == ["lasts"]
    assert not found["more"]


def _plan(session: Any, subject: str, made: datetime, **other: Any) -> None:
    given: dict[str, Any] = {
        "state": "rejected", "kind": "place", "subject": subject, "chains": [subject], "hosts": ["edge-1"],
        "intent": {}, "solving": {}, "created_by": "ada", "created_at": made, **other,
    }  # fmt: skip
    session.add(PlanRow(**given))


def test_plans_that_were_not_applied_are_marks(client: TestClient, start: datetime) -> None:
    """One was applied, which its operation marks; one is of a file, whose hosts are not the fleet's; one came later."""
    second = timedelta(seconds=1)
    with session_scope() as session:
        _plan(session, "web", start + second)
        _plan(session, "applied", start + second, state="applied", operation_id=1)
        _plan(session, "of-a-file", start + second, source="file")
        _plan(session, "later", start + 60 * second)
    found = _get(client, "history/marks", **{"from": start, "to": start + 60 * second})["items"]
    assert [(one["kind"], one["title"], one["state"], one["plan_id"] == one["id"]) for one in found] == [
        ("plan", "Place web", "rejected", True)
    ]
    assert _get(client, "history/marks", **{"from": start, "to": start + 60 * second}, host="edge-2")["items"] == []


def _alert(session: Any, chain: str, fired: datetime | None, resolved: datetime | None = None) -> None:
    seen = fired or resolved
    session.add(
        AlertRow(
            kind="slo_violated", severity="critical", object_kind="chain", object_name=chain, summary=f"{chain} misses",
            state="resolved" if resolved else "firing" if fired else "pending", cause="", next_step="",
            bad_since=seen or datetime.now(UTC), seen_at=seen or datetime.now(UTC),
            fired_at=fired, resolved_at=resolved,
        )
    )  # fmt: skip


def test_alerts_that_fired_are_marks_until_they_were_resolved(client: TestClient, start: datetime) -> None:
    second = timedelta(seconds=1)
    with session_scope() as session:
        _alert(session, "over", start - 20 * second, start - 10 * second)
        _alert(session, "web", start - 5 * second, start + 5 * second)
        _alert(session, "mail", start + 10 * second)
        _alert(session, "not-yet", None)
    found = _get(client, "history/marks", **{"from": start, "to": start + 60 * second})["items"]
    assert [(one["kind"], one["title"], one["state"], one["chains"]) for one in found] == [
        ("alert", "critical: web misses", "resolved", ["web"]),
        ("alert", "critical: mail misses", "firing", ["mail"]),
    ]


def test_compliance_tells_missed_from_not_measured(client: TestClient, start: datetime) -> None:
    """Of 40 s ten are met, five missed and five paused; twenty were not reported: 25, 12.5 and 62.5 %. Of what was
    measured, ten of fifteen."""
    with session_scope() as session:
        for name, slo in (("web", {"min_throughput_mpps": 1.0, "max_p95_ms": None}), ("mail", {})):
            created = start - timedelta(days=1)
            session.add(ChainRow(name=name, spec={"slo": slo}, created_by="ada", created_at=created, state="running"))
    for second in range(20):
        at = start + timedelta(seconds=second)
        delivered, paused = (1.0 if second < 10 else 0.5), second >= 15
        sample = {"chain": "web", "offered_mpps": 1.0, "delivered_mpps": delivered, "drop_mpps": 0, "paused": paused}
        store(a_batch(second, taken_at=at, chains=[sample]))
    roll_up(start + timedelta(seconds=60))
    asked = {"from": start, "to": start + timedelta(seconds=40)}
    (web,) = _get(client, "history/compliance", **asked)["items"]
    assert web["chain"] == "web"
    assert [web["met"], web["missed"], web["not_measured"]] == pytest.approx([0.25, 0.125, 0.625])
    assert web["of_measured"] == pytest.approx(10 / 15)
    assert web["provenance"] == "measured"
    assert _get(client, "chains/web/compliance", **asked)["items"] == [web]
    assert client.get("/api/v1/chains/nothing/compliance").status_code == 404


def test_compliance_begins_with_the_chain_and_ends_with_the_roll_up(client: TestClient, start: datetime) -> None:
    """Made 20 s in, and rolled up until 40 s: of these 20 s nothing is measured."""
    with session_scope() as session:
        spec = {"slo": {"min_throughput_mpps": 1.0, "max_p95_ms": None}}
        created = start + timedelta(seconds=20)
        session.add(ChainRow(name="web", spec=spec, created_by="ada", created_at=created, state="running"))
    for second in range(20, 40):
        sample = {"chain": "web", "offered_mpps": 1.0, "delivered_mpps": 1.0, "drop_mpps": 0}
        store(a_batch(second, taken_at=start + timedelta(seconds=second), chains=[sample]))
    roll_up(start + timedelta(seconds=45))
    found = _get(client, "history/compliance", **{"from": start, "to": start + timedelta(minutes=3)})
    assert datetime.fromisoformat(found["end"]) == start + timedelta(seconds=40)
    (web,) = found["items"]
    assert (web["met"], web["missed"], web["not_measured"]) == (1, 0, 0)


def test_sizes_of_all_levels(client: TestClient, start: datetime) -> None:
    store(a_batch(1, taken_at=start))
    roll_up(start + timedelta(seconds=60))
    found = _get(client, "history/size")
    assert [(level["level"], level["retention_days"]) for level in found["levels"]] == [
        ("1s", 1),
        ("10s", 7),
        ("5min", 366),
        ("1h", 366),
        ("1d", 366),
    ]
    assert found["bytes"] == sum(level["bytes"] for level in found["levels"]) > 0
    assert datetime.fromisoformat(found["rolled_until"]) == start + timedelta(seconds=50)
