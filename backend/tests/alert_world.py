"""What tests of alerts are made of: a running chain with an objective, what its host measures, rounds of evaluation."""

from datetime import UTC, datetime
from itertools import count
from typing import Any

from console_world import a_batch
from fastapi.testclient import TestClient
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.alerts import evaluation
from sextant_backend.modules.chains.models import ChainRow, PlacedNfRow
from sextant_backend.modules.telemetry import service as telemetry
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.console.alerts import Alert, AlertCounts, AlertKind
from sextant_domain.console.views import Page
from sqlalchemy import text

API = "/api/v1"
_numbers = count(1)


def a_running_chain(name: str = "web-edge", host: str = "edge-1", **changes: Any) -> None:
    """Runs on core 1 of the host; its objectives are 0.45 Mpps and a p95 of 1 ms."""
    values = {
        "name": name,
        "nfs": ["router"],
        "traffic": {"rate_mpps": 0.5, "packet_bytes": 256},
        "slo": {"min_throughput_mpps": 0.45, "max_p95_ms": 1.0},
    }
    spec = ChainSpec.model_validate(values | changes)
    with session_scope() as session:
        session.add(ChainRow(name=name, spec=spec.model_dump(mode="json"), state="running", created_by="ada"))
        seat = {"host_id": host, "node": 0, "core": 1, "slot": 0, "plan_id": 1}
        session.add(PlacedNfRow(nf_id=f"{name}.router", chain=name, position=0, nf_type="router", **seat))


def measured(chain: str = "web-edge", host: str = "edge-1", **changes: Any) -> None:
    """The host reports this of the chain: unless told otherwise 0.5 Mpps carried of 0.5, with a p95 of 0.12 ms."""
    figures = {"offered_mpps": 0.5, "delivered_mpps": 0.5, "drop_mpps": 0.0, "p95_us": 120.0}
    reported([{"chain": chain, **figures, **changes}], host)


def reported(chains: list[dict[str, Any]], host: str = "edge-1", **batch: Any) -> None:
    """The host reports these chains and no other."""
    with session_scope() as session:
        sent = {"host_id": host, "chains": chains, "nfs": [], "taken_at": datetime.now(UTC), **batch}
        telemetry.ingest(session, a_batch(next(_numbers), **sent))


def silent(host: str = "edge-1") -> None:
    """As if it had reported a minute ago for the last time, and the watch had noticed."""
    with session_scope() as session:
        session.execute(text("UPDATE latest_hosts SET heard_at = now() - interval '1 minute'"))
        session.execute(
            text(
                "UPDATE hosts SET status = 'unreachable', status_reason = 'last heard a minute ago' WHERE host_id = :h"
            ),
            {"h": host},
        )


def a_round(*, after_s: float = 0.0) -> None:
    """Every rule is evaluated; to the alerts it seems that so many seconds have passed."""
    with session_scope() as session:
        for column in ("bad_since", "seen_at", "good_since", "unknown_since", "announced_at"):
            moved = f"UPDATE alerts SET {column} = {column} - make_interval(secs => :s) WHERE state <> 'resolved'"
            session.execute(text(moved), {"s": after_s})
    with session_scope() as session:
        assert evaluation.evaluate(session, every_s=0.0)


def alerts(client: TestClient, **query: Any) -> list[Alert]:
    """Without the one that no worker evaluates control laws, unless it is asked for: there is none in tests."""
    answer = client.get(f"{API}/alerts", params=query)
    assert answer.status_code == 200, answer.text
    found = Page[Alert].model_validate_json(answer.content).items
    return [alert for alert in found if alert.kind is not AlertKind.LAW_STOPPED or "kind" in query]


def counts() -> AlertCounts:
    """As consoles were last told."""
    with session_scope() as session:
        row = session.execute(text("SELECT counts, revision FROM alert_clock")).one()
    return AlertCounts.model_validate({**row.counts, "revision": row.revision})


def set_rule(client: TestClient, kind: str, **changes: Any) -> dict[str, Any]:
    path = f"{API}/alert-rules/{kind}"
    answer = client.patch(path, json=changes, headers={"If-Match": client.get(path).headers["ETag"]})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())
