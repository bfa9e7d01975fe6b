"""Traces: a request of a browser, followed through console, workers and an agent, which are processes of their own."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from console_world import wait_until
from enrolment_world import listening
from fastapi.testclient import TestClient
from fleet_world import API, operation, plan
from otlp_world import Collector, Received, collecting
from secrets_world import chain_with_key
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.settings import Settings
from sextant_domain import tracing
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import PlanState
from simulated_world import simulated_hosts
from sqlalchemy import text
from worker_world import Processes

CANARY = "c0ffee" * 6 + "c0de"
"""A VPN's key."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    """Traces of this process's console are sent to it, too."""
    with collecting() as made:
        tracing.start("console", "0.1.0", made.url)
        yield made
        tracing.stop()


@pytest.fixture
def workers(
    clean: Settings, collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Processes]:
    """A worker, a planner, the watch, and demo-1 in an agent's process: all of them send traces."""
    monkeypatch.setenv("SEXTANT_TRACES_URL", collector.url)
    with listening(tmp_path, monkeypatch) as fleet, ExitStack() as stack:
        stack.enter_context(simulated_hosts(fleet, tmp_path, 1, SEXTANT_TRACES_URL=collector.url))
        made = Processes(tmp_path, 3000)
        for queues in (("operate",), ("plan",), ("watch",)):
            stack.callback(made.kept(*queues).end)
        wait_until(_reports)
        yield made


def _reports() -> bool:
    with session_scope() as session:
        return any(host.sampled_at is not None for host in hosts.every(session))


def _way_up(spans: list[Received], of: Received) -> list[str]:
    """From a span to the one that it all began with."""
    by_id = {one.span_id: one for one in spans}
    way = [of]
    while way[-1].parent_id in by_id:
        way.append(by_id[way[-1].parent_id])
    return [f"{one.service}: {one.name}" for one in way]


def test_an_order_is_followed_from_the_browser_to_the_agent(
    collector: Collector, workers: Processes, client: TestClient
) -> None:
    """The browser made up trace 11... and span 22...; what it asked for is one trace with what came of it."""
    answer = client.post(f"{API}/chains", json=chain_with_key("web", CANARY), headers=_browser("11" * 16))
    assert answer.status_code == 201, answer.text
    plan_id = answer.json()["plan_id"]
    wait_until(lambda: plan(client, plan_id).state is PlanState.PROPOSED)
    made = plan(client, plan_id)
    headers = {**_browser("33" * 16), "If-Match": f'"{made.digest}"'}
    applied = client.post(f"{API}/plans/{plan_id}/apply", headers=headers)
    assert applied.status_code == 202, applied.text
    wait_until(lambda: operation(client, applied.json()["id"]).state is OperationState.COMPLETED)
    tracing.stop()

    wait_until(lambda: {one.service for one in collector.spans("11" * 16)} == {"console", "worker"})
    planned = collector.spans("11" * 16)
    asked = next(one for one in planned if one.service == "console")
    assert (asked.name, asked.parent_id) == ("POST /api/v1/chains", "22" * 8)
    assert asked.attributes["http.response.status_code"] == 201
    made_it = next(one for one in planned if one.name == "plan")
    assert _way_up(planned, made_it) == ["worker: plan", "console: POST /api/v1/chains"]
    assert made_it.attributes["sextant.plan"] == plan_id

    wait_until(lambda: "apply" in {one.name for one in collector.spans("33" * 16) if one.service == "agent"})
    wait_until(lambda: "operate" in {one.name for one in collector.spans("33" * 16)})
    spans = collector.spans("33" * 16)
    carried_out = next(one for one in spans if (one.service, one.name) == ("agent", "apply"))
    assert _way_up(spans, carried_out) == [
        "agent: apply",
        "agent: PUT /v1/desired",
        "worker: PUT /v1/desired",
        "worker: put",
        "worker: operate",
        "console: POST /api/v1/plans/{plan_id}/apply",
    ]
    statements = [one for one in spans if one.service == "worker" and "db.query.text" in one.attributes]
    assert {one.name for one in statements} >= {"SELECT", "UPDATE"}
    assert not any(one.failed for one in spans)

    with session_scope() as session:
        kept = [*session.execute(text("SELECT traceparent FROM plans UNION ALL SELECT traceparent FROM operations"))]
    assert sorted(row.traceparent[3:35] for row in kept) == ["11" * 16, "33" * 16]
    secret = (CANARY, client.headers["X-CSRF-Token"], *client.cookies.values())
    assert not [one for one in secret if one.encode() in collector.raw]


def _browser(trace_id: str) -> dict[str, str]:
    return {tracing.HEADER: f"00-{trace_id}-{'22' * 8}-01"}


SPAN = {
    "traceparent": f"00-{'44' * 16}-{'55' * 8}-01",
    "method": "GET",
    "path": f"{API}/hosts/{{host_id}}",
    "begun_at": "2026-11-26T10:00:00.250Z",
    "duration_s": 0.5,
    "status": 200,
}


def test_what_a_browser_reports_is_the_first_span_of_its_trace(collector: Collector, client: TestClient) -> None:
    """The request itself, which the console makes a span of, stands below it."""
    client.get(f"{API}/hosts", headers={tracing.HEADER: SPAN["traceparent"]})
    lost = {**SPAN, "traceparent": f"00-{'66' * 16}-{'55' * 8}-01", "status": None}
    answer = client.post(f"{API}/browser-spans", json={"spans": [SPAN, lost]})
    assert answer.status_code == 204, answer.text
    tracing.stop()
    first, below = sorted(collector.spans("44" * 16), key=lambda one: one.parent_id)
    assert (first.service, first.name, first.parent_id) == ("browser", f"GET {API}/hosts/{{host_id}}", "")
    assert (below.service, below.parent_id) == ("console", first.span_id)
    assert not first.failed
    [without_answer] = collector.spans("66" * 16)
    assert (without_answer.failed, without_answer.attributes["error.type"]) == (True, "no_answer")


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"path": f"{API}/hosts/vm"}, "spans.0.path"),
        ({"method": "DELETE", "path": f"{API}/plans"}, "spans.0.path"),
        ({"traceparent": "00-44-55-01"}, "spans.0.traceparent"),
        ({"duration_s": 1e9}, "spans.0.duration_s"),
        ({"status": 42}, "spans.0.status"),
        ({"begun_at": "9999-12-31T23:59:59Z"}, "spans.0.begun_at"),
        ({"begun_at": "0001-01-01T00:00:00Z"}, "spans.0.begun_at"),
        ({"begun_at": "2026-11-26T10:00:00"}, "spans.0.begun_at"),
        ({"name": "x"}, "spans.0.name"),
    ],
)
def test_a_browsers_span_that_names_what_is_not_there(
    collector: Collector, client: TestClient, changed: dict[str, Any], field: str
) -> None:
    answer = client.post(f"{API}/browser-spans", json={"spans": [{**SPAN, **changed}]})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field)
    assert client.post(f"{API}/browser-spans", json={"spans": [SPAN] * 101}).status_code == 422
    tracing.stop()
    assert collector.spans("44" * 16) == []


def test_while_traces_are_off_a_browsers_spans_go_nowhere(client: TestClient) -> None:
    assert client.post(f"{API}/browser-spans", json={"spans": [SPAN]}).status_code == 204


def test_browsers_are_told_whether_to_begin_traces(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "traces" not in client.get(f"{API}/auth/session").json()
    with collecting() as made:
        tracing.start("console", "0.1.0", made.url)
        assert client.get(f"{API}/auth/session").json()["traces"] is True
        tracing.stop()


def test_what_somebody_sends_is_in_no_span(collector: Collector, client: TestClient) -> None:
    """Names, queries, headers and texts of refusals: a span has the template of the path."""
    sent = f"canary-{CANARY[:20]}"
    client.get(f"{API}/hosts/{sent}", params={"x": sent}, headers={"User-Agent": sent, "X-Request-ID": "r1"})
    client.post(f"{API}/chains", json={"name": sent})
    client.get(f"/{sent}")
    tracing.stop()
    names = [one.name for one in collector.spans()]
    assert "GET /api/v1/hosts/{host_id}" in names and "POST /api/v1/chains" in names
    assert sent.encode() not in collector.raw


@pytest.mark.parametrize(
    "header",
    [
        *("", "x", "00-" + "0" * 32 + "-" + "2" * 16 + "-01", "00-" + "1" * 32 + "-" + "0" * 16 + "-01"),
        *("01-" + "1" * 32 + "-" + "2" * 16 + "-01", "00-" + "G" * 32 + "-" + "2" * 16 + "-01"),
        "00-" + "1" * 32 + "-" + "2" * 16 + "-01-more",
    ],
)
def test_what_is_no_traceparent_begins_a_trace_of_its_own(header: str, collector: Collector) -> None:
    with tracing.span("one", parent=header):
        known = tracing.current()
    assert known is not None and "1" * 32 not in known
    tracing.stop()
    assert [one.parent_id for one in collector.spans()] == [""]


def test_a_span_whose_block_fails_says_which_error_and_not_its_text(collector: Collector) -> None:
    with pytest.raises(ValueError, match="secret"), tracing.span("one"):
        raise ValueError("a secret")
    tracing.stop()
    (found,) = collector.spans()
    assert found.failed and found.attributes == {"error.type": "ValueError"}
    assert b"secret" not in collector.raw


def test_a_share_of_nothing_sends_nothing() -> None:
    with collecting() as made:
        tracing.start("console", "0.1.0", made.url, 0.0)
        with tracing.span("one"):
            assert (tracing.current() or "").endswith("-00")
        tracing.stop()
        assert made.spans() == []


def test_while_traces_are_off_nothing_of_them_is_imported_and_no_thread_is_there() -> None:
    """Of the programs that are forked (decision 66) none may have a thread before the fork."""
    code = (
        "import sys, threading\n"
        "from sextant_backend import app, serve\n"
        "from sextant_worker import processes\n"
        "from sextant_domain import tracing\n"
        "tracing.start('console', '0', None)\n"
        "with tracing.span('one', parent='x') as opened: opened.note({'a': 1}); opened.failed('E')\n"
        "assert tracing.current() is None and not tracing.is_on()\n"
        "bad = ('opentelemetry.sdk', 'opentelemetry.exporter', 'opentelemetry.proto', 'google.protobuf', 'requests')\n"
        "loaded = [name for name, module in sys.modules.items() if module and name.startswith(bad)]\n"
        "print(loaded, threading.active_count())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.strip() == "[] 1", done.stderr
