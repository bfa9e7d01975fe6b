"""What each kind of alert sees: a chain that misses its objective, a host that is silent, an operation that failed."""

from datetime import timedelta

import pytest
from alert_world import a_round, a_running_chain, alerts, counts, measured, reported, set_rule, silent
from fastapi.testclient import TestClient
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_domain.console.alerts import AlertKind, AlertSeverity, AlertState
from sextant_domain.hosts.host import HostInventory
from sqlalchemy import text
from sqlalchemy.orm import Session


def test_a_missed_objective_fires_after_thirty_seconds_and_ends_after_sixty(
    client: TestClient, edge: HostInventory
) -> None:
    a_running_chain()
    measured(delivered_mpps=0.4, drop_mpps=0.1)
    a_round()
    assert alerts(client) == []
    [pending] = alerts(client, state="pending")
    assert (pending.kind, pending.object_name, pending.fired_at) == (AlertKind.SLO_VIOLATED, "web-edge", None)

    measured(delivered_mpps=0.4, drop_mpps=0.1)
    a_round(after_s=30)
    [alert] = alerts(client)
    assert (alert.id, alert.state, alert.severity) == (pending.id, AlertState.FIRING, AlertSeverity.CRITICAL)
    assert alert.summary == "web-edge misses its objective"
    assert "carries 0.40 Mpps, the objective is at least 0.45; 0.50 Mpps are offered. It drops 0.10" in alert.cause
    assert (counts().critical, counts().silenced) == (1, 0)

    measured()
    a_round()
    measured()
    a_round(after_s=59)
    assert alerts(client)[0].state is AlertState.FIRING
    measured()
    a_round(after_s=1)
    [over] = alerts(client)
    assert (over.state, over.resolved_because) == (AlertState.RESOLVED, "the condition has ended")
    assert counts().critical == 0


def test_a_throughput_counts_as_met_from_98_percent_on_as_on_every_page(
    client: TestClient, edge: HostInventory
) -> None:
    """0.45 x 0.98 = 0.441: 0.442 is enough, 0.440 is not."""
    a_running_chain()
    measured(delivered_mpps=0.442)
    a_round()
    assert alerts(client, state="pending") == []
    measured(delivered_mpps=0.440)
    a_round()
    assert len(alerts(client, state="pending")) == 1


@pytest.mark.parametrize(
    ("figures", "cause"),
    [
        ({"p95_us": 1500.0}, "has a p95 of 1.500 ms, the objective is at most 1.000"),
        ({"delivered_mpps": 0.0, "p95_us": None}, "delivers no packet, so that it has no latency"),
    ],
)
def test_latency_is_judged_and_packets_that_stand_still_are_no_good_latency(
    client: TestClient, edge: HostInventory, figures: dict[str, float], cause: str
) -> None:
    a_running_chain(slo={"max_p95_ms": 1.0})
    measured(**figures)
    a_round()
    [alert] = alerts(client, state="pending")
    assert cause in alert.cause


def test_nobody_offers_packets_is_no_violation_of_a_latency(client: TestClient, edge: HostInventory) -> None:
    a_running_chain(slo={"max_p95_ms": 1.0})
    measured(offered_mpps=0.0, delivered_mpps=0.0, p95_us=None)
    a_round()
    assert alerts(client, state="pending") == []


def test_a_chain_that_its_host_does_not_report_is_not_well(client: TestClient, edge: HostInventory) -> None:
    a_running_chain()
    reported([])
    a_round()
    [alert] = alerts(client, state="pending")
    assert alert.summary == "web-edge is not measured"


@pytest.mark.parametrize("changes", [{"slo": {}}, {"paused": True}])
def test_a_chain_without_objective_or_paused_misses_nothing(
    client: TestClient, edge: HostInventory, changes: dict[str, object]
) -> None:
    a_running_chain(**changes)
    measured(delivered_mpps=0.0, drop_mpps=0.5, paused="paused" in changes)
    a_round()
    assert alerts(client, state="pending") == []


def test_while_a_host_is_silent_its_chain_is_unknown_and_its_alert_stays(
    client: TestClient, edge: HostInventory
) -> None:
    a_running_chain()
    measured(delivered_mpps=0.1)
    a_round()
    measured(delivered_mpps=0.1)
    a_round(after_s=30)
    silent()
    a_round(after_s=600)
    [chain] = alerts(client, object_kind="chain")
    assert (chain.state, chain.unknown_since is None) == (AlertState.FIRING, False)
    a_round(after_s=15)
    [host] = alerts(client, kind="host_stale")
    assert host.summary.startswith("edge-1 is unreachable since ")
    assert counts().critical == 2


def test_a_chain_that_is_deleted_ends_its_alert(client: TestClient, edge: HostInventory) -> None:
    a_running_chain()
    measured(delivered_mpps=0.1)
    a_round()
    measured(delivered_mpps=0.1)
    a_round(after_s=30)
    with session_scope() as session:
        session.execute(text("UPDATE chains SET deleted_at = now()"))
    a_round()
    [alert] = alerts(client)
    assert (alert.state, alert.resolved_because) == (
        AlertState.RESOLVED,
        "it is no more, or is not judged any more",
    )


def test_a_chain_under_an_operation_is_unknown(client: TestClient, edge: HostInventory) -> None:
    a_running_chain()
    measured(delivered_mpps=0.1)
    a_round()
    with session_scope() as session:
        session.execute(text("UPDATE chains SET state = 'applying'"))
    a_round(after_s=600)
    [alert] = alerts(client, state="pending")
    assert alert.unknown_since is not None


def test_a_host_that_reports_again_ends_its_alert_after_fifteen_seconds(
    client: TestClient, edge: HostInventory
) -> None:
    reported([])
    silent()
    a_round()
    a_round(after_s=15)
    assert [alert.state for alert in alerts(client)] == [AlertState.FIRING]
    reported([])
    a_round()
    a_round(after_s=15)
    assert [alert.state for alert in alerts(client)] == [AlertState.RESOLVED]


def test_a_host_that_was_revoked_is_silent_on_purpose(client: TestClient, edge: HostInventory) -> None:
    silent()
    a_round()
    a_round(after_s=15)
    with session_scope() as session:
        session.execute(text("UPDATE hosts SET revoked_at = now()"))
    a_round()
    assert [alert.state for alert in alerts(client)] == [AlertState.RESOLVED]


def test_a_thousand_chains_that_are_well_cost_as_many_statements_as_one(
    client: TestClient, session: Session, edge: HostInventory, count_queries: object
) -> None:
    """And a hundred that are not cost no more but for the one that stores them."""
    assert callable(count_queries)
    a_running_chain("chain-0")
    reported([])
    with count_queries() as first:
        a_round()
    for number in range(1, 100):
        a_running_chain(f"chain-{number}")
    with count_queries() as hundred:
        a_round()
    assert len(alerts(client, state="pending", kind="slo_violated", limit=200)) == 100
    assert len(hundred) <= len(first) + 1


def test_an_operation_that_waits_for_somebody_fires_at_once(client: TestClient, edge: HostInventory) -> None:
    with session_scope() as session:
        session.execute(text("SET LOCAL session_replication_role = replica"))  # without the plan that it carries out
        session.execute(
            text(
                "INSERT INTO operations (kind, state, plan_id, title, fence, queued, attempts, cancel_requested,"
                " requested_by, version, error) VALUES ('apply', 'FAILED_TEMP', 1, 'apply plan 1', 0, false, 3, false,"
                ' \'ada\', 1, \'{"type": "urn:sextant:problem:agent", "title": "No answer", "status": 502,'
                ' "detail": "edge-1 does not answer"}\')'
            )
        )
    a_round()
    [alert] = alerts(client)
    assert (alert.state, alert.object_name) == (AlertState.FIRING, "1")
    assert (alert.summary, alert.cause) == ("Operation 1 (apply plan 1) waits for somebody", "edge-1 does not answer")
    with session_scope() as session:
        session.execute(text("UPDATE operations SET state = 'FAILED', finished_at = now() - interval '59 minutes'"))
    a_round()
    assert alerts(client)[0].state is AlertState.FIRING, "it has failed, and is shown for an hour"
    with session_scope() as session:
        session.execute(text("UPDATE operations SET finished_at = now() - interval '61 minutes'"))
    a_round()
    assert alerts(client)[0].state is AlertState.RESOLVED


def test_a_kind_that_cannot_be_evaluated_leaves_its_alerts_and_the_others_alone(
    client: TestClient, edge: HostInventory
) -> None:
    """A specification that no statement can read fails that rule; hosts are judged all the same."""
    a_running_chain()
    measured(delivered_mpps=0.1)
    a_round()
    with session_scope() as session:
        changed = "UPDATE chains SET spec = jsonb_set(spec, '{slo,min_throughput_mpps}', '\"many\"')"
        session.execute(text(changed))
    silent()
    a_round()
    a_round(after_s=15)
    [host] = alerts(client)
    assert host.kind is AlertKind.HOST_STALE
    [chain] = alerts(client, state="pending")
    assert chain.unknown_since is not None


@pytest.mark.as_admin
def test_a_rule_that_is_switched_off_ends_its_alerts(client: TestClient, edge: HostInventory) -> None:
    silent()
    a_round()
    a_round(after_s=15)
    set_rule(client, "host_stale", enabled=False)
    a_round()
    assert [alert.state for alert in alerts(client)] == [AlertState.RESOLVED]


def test_a_round_that_is_not_due_yet_does_nothing(session: Session, edge: HostInventory) -> None:
    from sextant_backend.modules.alerts import evaluation

    assert evaluation.evaluate(session)
    session.commit()
    assert not evaluation.evaluate(session)
    assert timedelta(seconds=evaluation.EVERY_S) == timedelta(seconds=5)
    assert hosts.one(session, "edge-1").host_id == "edge-1"


def test_a_miss_that_the_twin_computed_says_so(client: TestClient, edge: HostInventory) -> None:
    a_running_chain()
    late = {"chain": "web-edge", "offered_mpps": 0.5, "delivered_mpps": 0.4, "drop_mpps": 0.1, "p95_us": 120.0}
    reported([late], provenance="simulated")
    a_round()
    [pending] = alerts(client, state="pending")
    assert pending.cause.startswith("On edge-1 (simulated) it carries 0.40 Mpps")
