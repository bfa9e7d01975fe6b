"""The fleet's metrics, as Prometheus reads them."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from alert_world import a_running_chain, silent
from console_world import SignIn
from fastapi.testclient import TestClient
from large_world import fill
from metrics_world import METRICS, everything, named, read, reported, scraped, value
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families
from sextant_backend.kit import outbox, queue, tallies
from sextant_backend.kit.db import session_scope
from sextant_backend.migrate import MIGRATIONS
from sextant_backend.modules.metrics import catalogue
from sextant_backend.modules.metrics.frame import Found, Group
from sextant_backend.modules.metrics.registry import FAMILIES
from sextant_backend.modules.metrics.service import bounded
from sextant_backend.modules.metrics.sources import chains, hosts, nfs
from sextant_backend.settings import get_settings
from sextant_domain.console.access import Role
from sextant_domain.hosts.host import HostInventory
from sqlalchemy import text

GUIDE = MIGRATIONS.parent / "docs" / "guides" / "metrics.md"
EDGE = {"host": "edge-1", "provenance": "measured"}
WEB = {"chain": "web-edge", **EDGE}
ROUTER = {"nf": "web-edge.router", **WEB}


def test_a_stranger_learns_no_name_of_the_fleet(app_client: TestClient) -> None:
    assert app_client.get(METRICS).status_code == 401
    assert "sextant_host" not in app_client.get("/metrics").text


def test_a_viewers_token_is_enough(sign_in: SignIn) -> None:
    client = sign_in(Role.VIEWER)
    made = client.post("/api/v1/auth/tokens", json={"name": "prometheus", "days": 90})
    assert made.status_code == 201, made.text
    client.cookies.clear()
    answer = client.get(METRICS, headers={"Authorization": f"Bearer {made.json()['secret']}"})
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert value(scraped(answer), "sextant_metrics_series_limit") == 150_000


def test_what_a_chain_carries_is_shown_in_base_units(client: TestClient, edge: HostInventory) -> None:
    a_running_chain()
    reported()
    found = read(client)
    assert value(found, "sextant_chain_offered_packets_per_second", **WEB) == 500_000
    assert value(found, "sextant_chain_delivered_packets_per_second", **WEB) == 400_000
    assert value(found, "sextant_chain_dropped_packets_per_second", **WEB) == pytest.approx(60_000)
    assert value(found, "sextant_chain_filtered_packets_per_second", **WEB) == pytest.approx(40_000)
    assert value(found, "sextant_chain_delivered_bytes_per_second", **WEB) == 0.8e9 / 8
    assert value(found, "sextant_chain_latency_seconds", **WEB, quantile="0.95") == pytest.approx(120e-6)
    assert value(found, "sextant_nf_utilisation_ratio", **ROUTER) == 0.625
    assert value(found, "sextant_nf_restarts_total", **ROUTER) == 2
    assert value(found, "sextant_nf_info", **ROUTER, type="router", node="0", core="1") == 1
    assert value(found, "sextant_host_busy_cores", **EDGE) == pytest.approx(0.3 + 0.95)
    assert value(found, "sextant_host_memory_bandwidth_bytes_per_second", **EDGE, node="0") == 2e9
    # One of its two cores has an NF, none is reserved.
    uses = {use: value(found, "sextant_host_cores", **EDGE, use=use) for use in ("nf", "reserved", "free")}
    assert uses == {"nf": 1, "reserved": 0, "free": 1}


def test_objectives_are_judged_as_on_every_page(client: TestClient, edge: HostInventory) -> None:
    """0.45 Mpps are wanted; 0.4 delivered and 0.04 filtered are 0.44, less than 0.98 x 0.45 = 0.441. Of the allowed
    1 ms, 0.12 are taken."""
    a_running_chain()
    reported()
    found = read(client)
    by = {"chain": "web-edge", "objective": "throughput"}
    assert value(found, "sextant_chain_slo_violated", **by) == 1
    assert value(found, "sextant_chain_slo_margin_ratio", **by) == pytest.approx((0.44 - 0.45) / 0.45)
    assert value(found, "sextant_chain_objective_packets_per_second", chain="web-edge") == 450_000
    by["objective"] = "latency"
    assert value(found, "sextant_chain_slo_violated", **by) == 0
    assert value(found, "sextant_chain_slo_margin_ratio", **by) == pytest.approx(0.88)
    assert value(found, "sextant_chains_by_slo", slo="violated") == 1
    assert value(found, "sextant_chains", state="running") == 1


def test_a_silent_host_shows_no_rate_of_the_past(client: TestClient, edge: HostInventory) -> None:
    """What remains: that it is unreachable, since when, and that its chain's objectives are not judged."""
    everything()
    before = read(client)
    silent()
    after = read(client)
    gone = {name for name, _ in before} - {name for name, _ in after}
    measured = {
        family.name for family in (*hosts.FAMILIES, *chains.FAMILIES, *nfs.FAMILIES) if "silent" in family.meaning
    }
    assert measured <= gone and len(measured) > 15
    assert gone - measured == {
        *("sextant_chain_slo_violated", "sextant_chain_slo_margin_ratio"),
        *("sextant_chain_prediction_difference_ratio", "sextant_chain_prediction_holds"),
        *("sextant_host_memory_load_ratio", "sextant_host_link_load_ratio"),
    }
    assert value(after, "sextant_host_status", **EDGE, status="unreachable") == 1
    assert value(after, "sextant_host_status", **EDGE, status="up") == 0
    heard = value(after, "sextant_host_last_report_timestamp_seconds", **EDGE)
    now = value(after, "sextant_metrics_collected_timestamp_seconds")
    assert heard is not None and now is not None and now - heard >= 60
    assert value(after, "sextant_chain_last_sample_timestamp_seconds", **WEB) is not None
    for objective in ("throughput", "latency"):
        assert value(after, "sextant_chain_slo_judged", chain="web-edge", objective=objective) == 0
    assert value(after, "sextant_chains_by_slo", slo="no_data") == 1


def test_a_host_whose_certificates_are_revoked_is_silent_on_purpose(client: TestClient, edge: HostInventory) -> None:
    reported()
    silent()
    with session_scope() as session:
        session.execute(text("UPDATE hosts SET revoked_at = now()"))
    found = read(client)
    statuses = {one: value(found, "sextant_host_status", **EDGE, status=one) for one in hosts.STATUSES}
    assert statuses == {"up": 0, "stale": 0, "unreachable": 0, "revoked": 1}
    assert value(found, "sextant_hosts", status="revoked", provenance="measured") == 1


def test_every_console_says_the_same(client: TestClient, edge: HostInventory) -> None:
    """Each reads for itself; what differs is when, and how long it took."""
    everything()
    one, other = read(client), read(client)
    own = ("sextant_metrics_collected_timestamp_seconds", "sextant_metrics_collection_duration_seconds")
    assert {key: value for key, value in one.items() if key[0] not in own} == {
        key: value for key, value in other.items() if key[0] not in own
    }


def test_a_host_that_repeats_an_old_sample_is_not_taken_for_one_that_measures(
    client: TestClient, edge: HostInventory
) -> None:
    """It is heard all the time, and its newest sample is six minutes old: older than a wrong clock may make it."""
    a_running_chain()
    reported()
    with session_scope() as session:
        for table in ("latest_hosts", "latest_chains", "latest_nfs"):
            session.execute(text(f"UPDATE {table} SET taken_at = taken_at - interval '6 minutes'"))
    found = read(client)
    assert named(found, "sextant_chain_delivered_packets_per_second", "sextant_nf_sent_packets_per_second") == []
    assert named(found, "sextant_host_busy_cores", "sextant_chain_slo_violated") == []


def test_what_is_simulated_says_so(client: TestClient, edge: HostInventory) -> None:
    a_running_chain()
    reported(provenance="simulated")
    labelled = [labels for (_, labels) in read(client) if ("host", "edge-1") in labels]
    assert len(labelled) > 30
    assert all(("provenance", "simulated") in labels for labels in labelled)


def test_a_prediction_stands_beside_what_is_measured(client: TestClient, edge: HostInventory) -> None:
    """0.5 Mpps predicted, 0.45 to 0.55; 0.44 measured (0.40 delivered, 0.04 filtered): 12 % less, and outside."""
    everything()
    found = read(client)
    predicted = {**WEB, "provenance": "predicted"}
    assert value(found, "sextant_chain_predicted_low_packets_per_second", **predicted) == 450_000
    assert value(found, "sextant_chain_prediction_difference_ratio", **predicted) == pytest.approx(-0.12)
    assert value(found, "sextant_chain_prediction_holds", **predicted) == 0
    results = [value(found, "sextant_predictions", result=one) for one in ("inside", "outside", "untested")]
    assert results == [0, 1, 0]


def test_the_burn_rate_is_that_of_the_rule(client: TestClient, edge: HostInventory) -> None:
    """3 of 60 s missed in every minute: 5 %, of which 0.1 % may be: 50 times too fast."""
    everything()
    found = read(client)
    for window in ("long", "short"):
        assert value(found, "sextant_chain_slo_burn_rate", chain="web-edge", window=window) == pytest.approx(50)
    assert value(found, "sextant_slo_burn_rate_threshold") == 14.4
    assert value(found, "sextant_slo_burn_rate_window_seconds", window="long") == 3600


def test_an_operation_that_took_four_seconds_is_in_every_wider_bucket(client: TestClient, edge: HostInventory) -> None:
    everything()
    found = read(client)
    by = {"kind": "apply", "state": "COMPLETED"}
    metric = "sextant_operation_duration_seconds"
    counts = {bound: value(found, f"{metric}_bucket", **by, le=bound) for bound in ("1", "2.5", "5", "10", "+Inf")}
    assert counts == {"1": 0, "2.5": 0, "5": 1, "10": 1, "+Inf": 1}
    assert value(found, f"{metric}_sum", **by) == pytest.approx(4.0, abs=0.01)
    assert value(found, "sextant_operations", state="FAILED_TEMP") == 0


def test_what_waits_shows_since_when(client: TestClient, edge: HostInventory) -> None:
    """Of two plans that are to be made a worker is at one; the other waits since a minute ago."""
    everything()
    with session_scope() as session:
        session.execute(text("UPDATE plans SET created_at = now() - interval '60 s' WHERE state = 'planning'"))
    found = read(client)
    assert value(found, "sextant_queue_entries", queue="plans") == 1
    since = value(found, "sextant_queue_oldest_entry_timestamp_seconds", queue="plans")
    now = value(found, "sextant_metrics_collected_timestamp_seconds")
    assert since is not None and now is not None and now - since == pytest.approx(60, abs=5)
    assert value(found, "sextant_queue_entries", queue="operations") == 0
    assert value(found, "sextant_queue_oldest_entry_timestamp_seconds", queue="operations") is None

    with session_scope() as session:
        session.execute(text("UPDATE plans SET claim_token = 'x', lease_until = now() + interval '1 h'"))
    assert value(read(client), "sextant_queue_entries", queue="plans") == 0


def test_batches_are_counted_once_they_are_stored(client: TestClient, edge: HostInventory) -> None:
    """The second time a batch comes it is known; one that is rolled back was never stored."""
    a_running_chain()
    reported()
    first = read(client)
    assert value(first, "sextant_telemetry_batches_total", outcome="stored") == 1
    assert value(first, "sextant_telemetry_samples_total", of="core") == 2
    with pytest.raises(RuntimeError), session_scope() as session:
        outbox.count(session, "telemetry_batches", 1, "stored")
        session.execute(text("SELECT 1"))
        raise RuntimeError
    tallies.flush(every_s=0.0)
    assert value(read(client), "sextant_telemetry_batches_total", outcome="stored") == 1


def test_without_valkey_what_it_counts_is_absent_and_the_rest_is_there(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "client", lambda: queue._client("redis://127.0.0.1:1"))
    found = read(client)
    assert named(found, "sextant_telemetry_batches_total", "sextant_doorbell_messages") == []
    assert value(found, "sextant_queue_entries", queue="plans") == 0


def test_every_family_exists_with_the_labels_it_declares(client: TestClient, edge: HostInventory) -> None:
    """What rules, dashboards and the guide are held to is what a console really shows; both ways."""
    everything()
    read(client)
    families = text_string_to_metric_families(client.get(METRICS).text)
    shown = {
        family.name + ("_total" if family.type == "counter" else ""): (
            family.type,
            {frozenset(sample.labels.keys() - {"le"}) for sample in family.samples},
        )
        for family in families
    }
    declared = {family.name: (family.kind, {frozenset(family.labels)}) for family in FAMILIES}
    assert shown == declared


def test_the_guide_lists_every_family(client: TestClient) -> None:
    """`python -m sextant_backend.modules.metrics.catalogue` writes what has to stand there."""
    client.get("/api/v1/nothing")
    assert catalogue.as_markdown() in GUIDE.read_text()
    declared = {family.name.removesuffix("_total") for family in catalogue.PROCESS}
    assert declared == {metric.name for metric in REGISTRY.collect() if metric.name.startswith("sextant_")}


def test_the_number_of_statements_does_not_grow_with_the_fleet(
    client: TestClient, count_queries: Callable[[], AbstractContextManager[list[str]]]
) -> None:
    fill(2, 4, placed=True)
    read(client)
    with count_queries() as few:
        read(client)
    with session_scope() as session:
        session.execute(text("DELETE FROM placed_nfs"))
        session.execute(text("DELETE FROM chains"))
        session.execute(text("DELETE FROM hosts"))
    fill(20, 80, placed=True)
    with count_queries() as many:
        found = read(client)
    assert len(many) == len(few) < 40
    assert value(found, "sextant_nfs") == 240


def test_answers_are_kept_for_a_few_seconds(
    client: TestClient, count_queries: Callable[[], AbstractContextManager[list[str]]]
) -> None:
    read(client)
    with count_queries() as seen:
        assert client.get(METRICS).status_code == 200
    assert not [statement for statement in seen if "placed_nfs" in statement]


def test_too_many_series_are_left_out_by_whole_groups(client: TestClient) -> None:
    """3 of hosts, 4 of chains, 5 of NFs and one of the fleet: 13 in all."""
    found = Found()
    found.add(hosts.HOSTS_CORDONED, 0)
    for family, number in ((hosts.CORDONED, 3), (chains.RUNNING, 4), (nfs.INFO, 5)):
        for at in range(number):
            found.add(family, 1, *[str(at)] * len(family.labels))
    assert [bounded(found, most)[1] for most in (13, 12, 8, 7, 3, 0)] == [
        frozenset(),
        frozenset({Group.NF}),
        frozenset({Group.NF}),
        frozenset({Group.NF, Group.CHAIN}),
        frozenset({Group.NF, Group.CHAIN, Group.HOST}),
        frozenset({Group.NF, Group.CHAIN, Group.HOST}),
    ]
    shown, _ = bounded(found, 0)
    assert [shown.series(group) for group in Group] == [1, 0, 0, 0]


def test_a_console_says_what_it_left_out(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, edge: HostInventory
) -> None:
    everything()
    narrow = get_settings().model_copy(update={"metrics_max_series": 10})
    monkeypatch.setattr("sextant_backend.modules.metrics.endpoints.get_settings", lambda: narrow)
    monkeypatch.setattr("sextant_backend.modules.metrics.service._LEFT_OUT_FIRST", (Group.NF,))
    found = read(client)
    assert not [name for name, _ in found if name.startswith("sextant_nf_")]
    assert value(found, "sextant_metrics_left_out", group="nf") == 1
    assert value(found, "sextant_metrics_left_out", group="chain") == 0
    assert (value(found, "sextant_metrics_series", group="nf") or 0) >= 6
    assert value(found, "sextant_nfs") == 1


def test_hostile_names_stay_inside_their_label(client: TestClient, edge: HostInventory) -> None:
    hostile = 'x"} 1\nsextant_ready{check="database"} 0\\'
    with session_scope() as session:
        update = "UPDATE hosts SET inventory = jsonb_set(inventory, '{host_model}', to_jsonb(CAST(:model AS text)))"
        session.execute(text(update), {"model": hostile})
    found = read(client)
    assert value(found, "sextant_host_info", **EDGE, host_model=hostile, driver="testbed", agent_version="0.1.0") == 1
    assert named(found, "sextant_ready") == []


def test_requests_are_counted_by_the_template_of_their_path(client: TestClient) -> None:
    client.get("/api/v1/hosts/one")
    client.get("/api/v1/hosts/two")
    client.get("/api/v1/no-such-path/three")
    lines = client.get("/metrics").text.splitlines()
    counted = [line for line in lines if line.startswith("sextant_http_requests_total{")]
    assert any('route="/api/v1/hosts/{host_id}",status_class="4xx"' in line for line in counted)
    assert any('route="none"' in line for line in counted)
    assert not any(name in line for line in counted for name in ("/one", "/two", "three"))
    assert any(line.startswith("sextant_http_request_duration_seconds_bucket{") for line in lines)
    assert any(line.startswith('sextant_build_info{process="console"') for line in lines)
