"""Alerts over the API: filters, acknowledgement, silences, rules; who may, what is audited, what consoles hear."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from alert_world import API, a_round, a_running_chain, alerts, counts, measured, set_rule, silent
from console_world import SignIn
from enrolment_world import audited
from fastapi.testclient import TestClient
from sextant_backend.kit import queue
from sextant_backend.kit.principal import Role
from sextant_domain.console.alerts import Alert, AlertState
from sextant_domain.hosts.host import HostInventory


@pytest.fixture
def firing(client: TestClient, edge: HostInventory) -> Alert:
    """Chain web-edge misses its objective."""
    a_running_chain()
    measured(delivered_mpps=0.1)
    a_round()
    measured(delivered_mpps=0.1)
    a_round(after_s=30)
    [alert] = alerts(client)
    return alert


def in_hours(hours: float) -> str:
    return (datetime.now(UTC) + timedelta(hours=hours)).isoformat()


def silence(client: TestClient, **matcher: Any) -> dict[str, Any]:
    body = {"reason": "maintenance", "until": in_hours(1), **matcher}
    answer = client.post(f"{API}/alert-silences", json=body)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def test_alerts_are_filtered_by_state_severity_kind_and_object(client: TestClient, firing: Alert) -> None:
    for query in (
        {"state": "firing"},
        {"severity": "critical"},
        {"kind": "slo_violated"},
        {"object_kind": "chain", "object_name": "web-edge"},
    ):
        assert [alert.id for alert in alerts(client, **query)] == [firing.id], query
    for query in (
        {"state": "resolved"},
        {"severity": "warning"},
        {"kind": "host_stale"},
        {"object_name": "other"},
    ):
        assert alerts(client, **query) == [], query
    assert client.get(f"{API}/alerts/{firing.id}").json()["summary"] == firing.summary
    assert client.get(f"{API}/alerts/9999").status_code == 404


def test_an_acknowledged_alert_goes_on_firing_and_is_counted_apart(client: TestClient, firing: Alert) -> None:
    answer = client.post(f"{API}/alerts/{firing.id}/acknowledge", json={"note": "moving its nids"})
    assert answer.status_code == 200, answer.text
    shown = Alert.model_validate_json(answer.content)
    assert shown.acknowledged is not None
    assert (shown.acknowledged.by, shown.acknowledged.note, shown.state) == (
        "ada",
        "moving its nids",
        AlertState.FIRING,
    )
    assert (counts().critical, counts().acknowledged) == (0, 1)
    [(actor, subject, detail)] = audited("alert.acknowledge")
    assert (actor, subject, detail["note"]) == ("ada", f"alert/{firing.id}", "moving its nids")


def test_what_has_ended_cannot_be_acknowledged(client: TestClient, firing: Alert) -> None:
    measured()
    a_round()
    measured()
    a_round(after_s=60)
    answer = client.post(f"{API}/alerts/{firing.id}/acknowledge", json={})
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:alert-over")


def test_a_silence_holds_back_what_fits_until_it_is_ended(client: TestClient, firing: Alert) -> None:
    made = silence(client, kind="slo_violated", object_name="web-*")
    assert made["active"] is True
    assert alerts(client)[0].silence_id == made["id"]
    assert (counts().critical, counts().silenced) == (0, 1)

    ended = client.post(f"{API}/alert-silences/{made['id']}/end").json()
    assert (ended["active"], ended["ended_by"]) == (False, "ada")
    assert alerts(client)[0].silence_id is None
    assert (counts().critical, counts().silenced) == (1, 0)
    again = client.post(f"{API}/alert-silences/{made['id']}/end").json()
    assert again["ended_at"] == ended["ended_at"], "one that is over stays as it is"
    [(_, _, detail)] = audited("alert.silence")
    assert (detail["kind"], detail["object_name"], detail["reason"]) == ("slo_violated", "web-*", "maintenance")
    assert len(audited("alert.unsilence")) == 1
    assert [one["id"] for one in client.get(f"{API}/alert-silences").json()["items"]] == [made["id"]]


def test_a_silence_whose_time_is_over_holds_back_nothing(client: TestClient, firing: Alert) -> None:
    from sextant_backend.kit.db import session_scope
    from sqlalchemy import text

    silence(client, severity="critical")
    with session_scope() as session:
        session.execute(text("UPDATE alert_silences SET until = now() - interval '1 second'"))
    measured(delivered_mpps=0.1)
    a_round()
    assert alerts(client)[0].silence_id is None
    assert counts().critical == 1


@pytest.mark.parametrize(
    ("matcher", "fits"),
    [
        ({"object_name": "web-edge"}, True),
        ({"object_name": "web"}, False),
        ({"object_name": "*"}, True),
        ({"object_name": "*-e*e"}, True),
        ({"object_name": "web.edge"}, False),
        ({"object_kind": "host"}, False),
        ({"kind": "slo_violated", "severity": "warning"}, False),
        ({"kind": "slo_violated", "severity": "critical", "object_kind": "chain"}, True),
    ],
)
def test_every_field_that_is_given_must_fit(
    client: TestClient, firing: Alert, matcher: dict[str, str], fits: bool
) -> None:
    silence(client, **matcher)
    assert (alerts(client)[0].silence_id is not None) is fits


@pytest.mark.parametrize(
    "wrong",
    [
        {"reason": "no matcher", "until": in_hours(1)},
        {"reason": "past", "until": in_hours(-1), "kind": "host_stale"},
        {"reason": "too long", "until": in_hours(24 * 31), "kind": "host_stale"},
        {"reason": "no zone", "until": "2999-01-01T00:00:00", "kind": "host_stale"},
        {"reason": " ", "until": in_hours(1), "kind": "host_stale"},
        {"reason": "bad name", "until": in_hours(1), "object_name": "[a-z]"},
    ],
)
def test_a_silence_that_cannot_be_is_refused(client: TestClient, edge: HostInventory, wrong: dict[str, str]) -> None:
    assert client.post(f"{API}/alert-silences", json=wrong).status_code == 422
    assert client.get(f"{API}/alert-silences").json()["items"] == []


def test_viewers_see_and_may_not_act(edge: HostInventory, sign_in: SignIn) -> None:
    viewer = sign_in(Role.VIEWER, "vera")
    assert viewer.get(f"{API}/alerts").status_code == 200
    assert viewer.get(f"{API}/alert-rules").status_code == 200
    assert viewer.post(f"{API}/alerts/1/acknowledge", json={}).status_code == 403
    body = {"reason": "quiet", "until": in_hours(1), "kind": "host_stale"}
    assert viewer.post(f"{API}/alert-silences", json=body).status_code == 403


def test_rules_are_an_administrators(client: TestClient) -> None:
    answer = client.patch(f"{API}/alert-rules/host_stale", json={"enabled": False}, headers={"If-Match": '"0"'})
    assert answer.status_code == 403


@pytest.mark.as_admin
def test_a_rule_is_changed_audited_and_in_force_at_once(client: TestClient, edge: HostInventory) -> None:
    shipped = client.get(f"{API}/alert-rules/host_stale").json()
    assert (shipped["version"], shipped["changed_by"], shipped["fire_after_s"]) == (0, None, 15.0)
    changed = set_rule(client, "host_stale", severity="warning", fire_after_s=0)
    assert (changed["severity"], changed["fire_after_s"], changed["version"]) == ("warning", 0.0, 1)
    assert set_rule(client, "host_stale", severity="warning")["version"] == 1, "nothing has changed"
    silent()
    a_round()
    [alert] = alerts(client)
    assert (alert.state, alert.severity.value) == (AlertState.FIRING, "warning")
    assert (counts().critical, counts().warning) == (0, 1)
    [(actor, subject, detail)] = audited("alert-rule.change")
    assert (actor, subject) == ("ada", "alert-rule/host_stale")
    assert detail == {"severity": "critical -> warning", "fire_after_s": "15.0 -> 0.0"}
    set_rule(client, "host_stale", severity="info")
    a_round()
    assert alerts(client)[0].severity.value == "info", "what fires follows its rule"


@pytest.mark.as_admin
def test_thresholds_have_names_and_bounds(client: TestClient) -> None:
    changed = set_rule(client, "operation_failed", parameters={"ended_minutes": 5})
    assert [(one["name"], one["value"], one["default"]) for one in changed["parameters"]] == [("ended_minutes", 5, 60)]
    for wrong in ({"minutes": 5}, {"ended_minutes": -1}, {"ended_minutes": 20_000}):
        path = f"{API}/alert-rules/operation_failed"
        answer = client.patch(path, json={"parameters": wrong}, headers={"If-Match": '"1"'})
        assert answer.status_code == 422, wrong
    assert client.patch(path, json={"enabled": False}).status_code == 428
    assert client.patch(path, json={"enabled": False}, headers={"If-Match": '"0"'}).status_code == 412


def test_consoles_hear_of_every_change_and_a_snapshot_has_the_counts(client: TestClient, firing: Alert) -> None:
    from sextant_backend.modules.events.snapshot import snapshot_json
    from sextant_domain.console.live import SnapshotEvent

    before = counts().revision
    client.post(f"{API}/alerts/{firing.id}/acknowledge", json={})
    events = [entry[1][b"e"] for entry in queue.client().xrange(queue.STREAM)]
    heard = [body for body in events if body.startswith(b'{"event":"alerts"')]
    assert len(heard) == 2, "it fires; it is acknowledged"
    shown = SnapshotEvent.model_validate_json(snapshot_json()).alerts
    assert (shown.acknowledged, shown.revision) == (1, before + 1)
