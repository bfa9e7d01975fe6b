"""What tests of the fleet's metrics share: a world in which every family has a series, and a reader of the answer."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import httpx
from alert_world import a_running_chain
from console_world import a_batch
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families
from sextant_backend.kit import tallies
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.telemetry import service as telemetry
from sqlalchemy import text

METRICS = "/api/v1/metrics"
_numbers = count(1)

Series = Mapping[tuple[str, frozenset[tuple[str, str]]], float]


def scraped(answer: httpx.Response) -> Series:
    """Name and labels of every series -> its value."""
    assert answer.status_code == 200, answer.text
    families = text_string_to_metric_families(answer.text)
    return {(one.name, frozenset(one.labels.items())): one.value for family in families for one in family.samples}


def read(client: TestClient) -> Series:
    """The fleet's metrics as they are now."""
    client.app.state.fleet_metrics._until = 0.0  # type: ignore[attr-defined] # not those of a test's step before
    return scraped(client.get(METRICS))


def value(series: Series, metric: str, /, **labels: str) -> float | None:
    """Of one series; None where it is not there."""
    return series.get((metric, frozenset(labels.items())))


def named(series: Series, *metrics: str) -> list[str]:
    """Which of these have a series."""
    return sorted({name for name, _ in series} & set(metrics))


def reported(**changes: Any) -> None:
    """edge-1 measures web-edge: 0.5 Mpps offered, 0.4 delivered, and all that counters can tell."""
    chain = {
        "chain": "web-edge",
        "offered_mpps": 0.5,
        "delivered_mpps": 0.4,
        "drop_mpps": 0.06,
        "filtered_mpps": 0.04,
        "p50_us": 40.0,
        "p95_us": 120.0,
        "p99_us": 250.0,
        "p999_us": 480.0,
        "delivered_gbps": 0.8,
    }
    nf = {
        "nf_id": "web-edge.router",
        "chain": "web-edge",
        "core": 1,
        "restarts": 2,
        "rx_mpps": 0.5,
        "tx_mpps": 0.44,
        "drop_mpps": 0.06,
        "cpu_percent": 100.0,
        "utilisation_percent": 62.5,
        "utilisation_basis": "busy-time",
        "headroom_mpps": 0.3,
    }
    node = {"node": 0, "memory_bytes_per_s": 2e9, "memory_load_percent": 12.5, "link_load_percent": 4.0}
    cores = [{"core": 0, "busy_percent": 30.0}, {"core": 1, "busy_percent": 95.0}]
    batch = {"chains": [chain], "nfs": [nf], "nodes": [node], "cores": cores, **changes}
    with session_scope() as session:
        telemetry.ingest(session, a_batch(next(_numbers), **batch))
    tallies.flush(every_s=0.0)


def everything() -> None:
    """On edge-1, which is enrolled: a chain with both objectives and a prediction, an operation that ended, policies,
    minutes of its error budget, a control law that was evaluated, something in every queue."""
    a_running_chain()
    reported()
    begins = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=60)
    rows(
        "slo_minutes",
        (
            {"chain": "web-edge", "minute": begins + timedelta(minutes=n), "measured": 60, "missed": 3}
            for n in range(61)
        ),
    )
    plan = {"kind": "apply", "subject": "web-edge", "intent": "{}", "solving": "{}", "created_by": "ada"}
    common = {"chains": [], "hosts": [], "source": "fleet", "changes": 0, "moves": 0, "placed": 0, "rejected": 0}
    zeros = {"rejected_value": 0.0, "tested": True, "tries": 0, "version": 1}
    rows("plans", ({**plan, **common, **zeros, "state": state} for state in ("applied", "planning")))
    operation = {
        "kind": "apply",
        "state": "COMPLETED",
        "title": "web-edge starts",
        "fence": 1,
        "queued": False,
        "attempts": 1,
        "cancel_requested": False,
        "requested_by": "ada",
        "version": 1,
    }
    ended = datetime.now(UTC)
    with session_scope() as session:
        plan_id = session.execute(text("SELECT min(id) FROM plans")).scalar_one()
    rows(
        "operations",
        [{**operation, "plan_id": plan_id, "created_at": ended - timedelta(seconds=4), "finished_at": ended}],
    )
    prediction = {
        "chain": "web-edge",
        "predictor": "octans",
        "plan_id": plan_id,
        "host_id": "edge-1",
        "generation": 0,
        "host_model": "test-cpu 1x2",
        "nf_id": "web-edge.router",
        "nf_type": "router",
        "version": "1",
        "predicted_mpps": 0.5,
        "low_mpps": 0.45,
        "high_mpps": 0.55,
        "interval_source": "held-out",
        "provenance": "predicted",
        "capacity_mpps": 0.5,
        "window_from": ended - timedelta(seconds=60),
        "measured": 1,
    }
    rows("tested_predictions", [prediction])
    for _ in range(9):
        reported(applied_generation=0)
    law = {"law": "octans", "memory": "{}", "status": "nothing to gain", "version": 1, "evaluated_at": ended}
    rows("control_laws", [{**law, "host": ""}])
    policy = {"law": "octans", "scope": "host", "name": "edge-1", "mode": "manual", "changed_by": "ada", "version": 1}
    rows("policies", [policy])
    rows("alert_clock", [{"id": 1, "evaluated_at": ended}])


def rows(table: str, values: Iterable[Mapping[str, Any]]) -> None:
    """Written straight into a table."""
    with session_scope() as session:
        for row in values:
            columns, parameters = ", ".join(row), ", ".join(f":{name}" for name in row)
            session.execute(text(f"INSERT INTO {table} ({columns}) VALUES ({parameters})"), dict(row))
