"""Channels over the API: who may, what is shown of secrets and addresses, what is refused and audited, the test."""

from typing import Any

import pytest
from console_world import SignIn
from enrolment_world import audited
from fastapi.testclient import TestClient
from notification_world import API, SECRET, a_receiver, a_webhook, allow, deliveries, sent
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.principal import Role
from sextant_backend.modules.notifications.signing import signature
from sextant_backend.modules.secrets import service as secrets
from sqlalchemy import text

CHANNELS = f"{API}/notification-channels"
HOOK = {"kind": "webhook", "url": "https://hooks.example.org/services/T00/very-secret-path"}
MAIL = {
    "kind": "email",
    "server": "mail.example.org",
    "sender": "sextant@example.org",
    "recipients": ["noc@example.org"],
    "username": "sextant",
    "password": "correct horse battery",
}


def create(client: TestClient, **body: Any) -> dict[str, Any]:
    answer = client.post(CHANNELS, json={"name": "ops", "target": HOOK, **body})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


@pytest.mark.as_admin
def test_a_secret_is_made_shown_once_and_stored_sealed(client: TestClient) -> None:
    made = create(client)
    assert made["secret"].startswith("whsec_")
    assert made["channel"]["target"] == "https://hooks.example.org/…"
    for path in (CHANNELS, f"{CHANNELS}/{made['channel']['id']}", f"{API}/audit", f"{API}/notification-deliveries"):
        shown = client.get(path).text
        assert made["secret"] not in shown
        assert "very-secret-path" not in shown
    with session_scope() as session:
        stored = session.execute(text("SELECT config::text FROM notification_channels")).scalar_one()
    assert made["secret"] not in stored
    assert '"secret": "secret:' in stored


@pytest.mark.as_admin
def test_a_given_secret_and_a_password_are_never_shown(client: TestClient) -> None:
    assert create(client, target={**HOOK, "secret": SECRET})["secret"] is None
    made = create(client, name="mail", target=MAIL)
    assert made["channel"]["target"] == "noc@example.org by mail.example.org:587"
    for path in (CHANNELS, f"{API}/audit"):
        shown = client.get(path).text
        assert SECRET not in shown
        assert "correct horse battery" not in shown
    assert [(actor, subject) for actor, subject, _ in audited("channel.create")] == [
        ("ada", "channel/ops"),
        ("ada", "channel/mail"),
    ]


@pytest.mark.as_admin
def test_a_secret_in_use_is_not_forgotten(client: TestClient) -> None:
    create(client)
    with session_scope() as session:
        secrets.forget_unused(session)
        session.execute(text("UPDATE secrets SET unused_since = unused_since - interval '8 days'"))
        assert secrets.forget_unused(session) == 0
    [channel] = client.get(CHANNELS).json()["items"]
    assert client.delete(f"{CHANNELS}/{channel['id']}", headers={"If-Match": '"1"'}).status_code == 204
    with session_scope() as session:
        secrets.forget_unused(session)
        session.execute(text("UPDATE secrets SET unused_since = unused_since - interval '8 days'"))
        assert secrets.forget_unused(session) == 1


@pytest.mark.as_admin
def test_another_secret_signs_from_now_on(client: TestClient) -> None:
    allow(client, "127.0.0.0/8")
    with a_receiver() as receiver:
        channel = a_webhook(client, receiver)["channel"]
        made = client.post(f"{CHANNELS}/{channel['id']}/secret").json()
        assert made["channel"]["version"] == 2
        assert client.post(f"{CHANNELS}/{channel['id']}/test").status_code == 202
        sent(after_s=0)
        [request] = receiver.received
        headers = request.headers
        signed = signature(made["secret"], int(headers["Sextant-Timestamp"]), headers["Sextant-Delivery"], request.body)
        assert (headers["Sextant-Signature"], headers["Sextant-Event"]) == (signed, "test")
    assert len(audited("channel.secret")) == 1
    mail = create(client, name="mail", target=MAIL)["channel"]
    assert client.post(f"{CHANNELS}/{mail['id']}/secret").status_code == 404


@pytest.mark.as_admin
def test_a_channel_is_changed_switched_off_and_deleted(client: TestClient) -> None:
    path = f"{CHANNELS}/{create(client)['channel']['id']}"
    changed = client.patch(path, json={"enabled": False, "least_severity": "critical"}, headers={"If-Match": '"1"'})
    assert (changed.json()["enabled"], changed.json()["least_severity"]) == (False, "critical")
    assert client.patch(path, json={"enabled": True}, headers={"If-Match": '"1"'}).status_code == 412
    other = {"target": {"kind": "webhook", "url": "https://other.example.org/x"}}
    moved = client.patch(path, json=other, headers={"If-Match": '"2"'})
    assert moved.json()["target"] == "https://other.example.org/…"
    with session_scope() as session:
        stored = session.execute(text("SELECT config->>'secret' FROM notification_channels")).scalar_one()
    assert stored.startswith("secret:"), "it keeps the one it has"
    assert client.delete(path, headers={"If-Match": '"3"'}).status_code == 204
    assert client.get(path).status_code == 404
    assert create(client)["channel"]["name"] == "ops", "its name is free"
    details = [detail for _, _, detail in audited("channel.change")]
    assert details[0] == {"enabled": "True -> False", "least_severity": "warning -> critical"}
    assert details[1]["address"] == "given again"


@pytest.mark.as_admin
def test_a_test_says_what_came_of_it(client: TestClient) -> None:
    allow(client, "127.0.0.0/8")
    with a_receiver() as receiver:
        receiver.answers = [(500, {})]
        channel = a_webhook(client, receiver)["channel"]
        made = client.post(f"{CHANNELS}/{channel['id']}/test")
        assert made.headers["Location"] == f"{API}/notification-deliveries/{made.json()['id']}"
        sent(after_s=0)
        assert client.get(made.headers["Location"]).json()["error"] == "it answered 500"
        assert client.get(f"{CHANNELS}/{channel['id']}").json()["last_error"] == "it answered 500"
        sent()
        shown = client.get(f"{CHANNELS}/{channel['id']}").json()
        assert (shown["last_error"], shown["last_delivered_at"] is None) == (None, False)
    [done] = deliveries(client, channel="ops", state="delivered")
    assert [one.status for one in done.log] == [500, 204]
    assert deliveries(client, channel="other") == []


@pytest.mark.as_admin
def test_channels_and_messages_are_sorted_by_what_is_shown_of_them(client: TestClient) -> None:
    allow(client, "127.0.0.0/8")
    with a_receiver() as receiver:
        receiver.answers = [(500, {})]
        for name in ("ops", "noc"):
            channel = a_webhook(client, receiver, name)["channel"]
            client.post(f"{CHANNELS}/{channel['id']}/test")
            sent(after_s=0)
        sent()
    assert [one.channel for one in deliveries(client)] == ["noc", "ops"]
    assert [one.channel for one in deliveries(client, sort="-channel")] == ["ops", "noc"]
    assert [(one.channel, one.attempts) for one in deliveries(client, sort="-attempts")] == [("ops", 2), ("noc", 1)]
    away = create(client, name="away")["channel"]
    client.patch(f"{CHANNELS}/{away['id']}", json={"enabled": False}, headers={"If-Match": '"1"'})
    by = {sort: client.get(CHANNELS, params={"sort": sort}).json()["items"] for sort in ("enabled", "-target")}
    assert [one["name"] for one in by["enabled"]] == ["away", "noc", "ops"]
    assert [one["name"] for one in by["-target"]] == ["away", "ops", "noc"]


@pytest.mark.as_admin
@pytest.mark.parametrize(
    ("target", "status", "says"),
    [
        ({**HOOK, "url": "ftp://hooks.example.org/"}, 422, "target"),
        ({**HOOK, "url": "https://user@hooks.example.org/"}, 422, "without user name"),
        ({**HOOK, "url": "https://hooks.example.org:99999/"}, 422, "its port is none"),
        ({**HOOK, "url": "https://10.0.0.1/"}, 422, "is private"),
        ({**HOOK, "url": "https://169.254.169.254/latest"}, 422, "metadata"),
        ({**HOOK, "url": "https://[::ffff:127.0.0.1]/"}, 422, "is private"),
        ({**HOOK, "url": "http://93.184.215.14/"}, 422, "without encryption"),
        ({**HOOK, "secret": "short"}, 422, "secret"),
        ({**MAIL, "server": "127.0.0.1"}, 422, "is private"),
    ],
)
def test_a_target_that_cannot_be_is_refused_with_its_field(
    client: TestClient, target: dict[str, Any], status: int, says: str
) -> None:
    answer = client.post(CHANNELS, json={"name": "ops", "target": target})
    assert (answer.status_code, says in answer.text) == (status, True), answer.text
    assert "correct horse battery" not in answer.text
    assert client.get(CHANNELS).json()["items"] == []


@pytest.mark.as_admin
def test_a_name_is_taken_once_and_there_are_twenty_at_most(client: TestClient) -> None:
    create(client)
    assert client.post(CHANNELS, json={"name": "ops", "target": HOOK}).json()["type"].endswith("name-taken")
    for number in range(19):
        create(client, name=f"ops-{number}")
    full = client.post(CHANNELS, json={"name": "more", "target": HOOK})
    assert (full.status_code, full.json()["type"]) == (409, "urn:sextant:problem:channels-full")


@pytest.mark.as_admin
def test_networks_are_allowed_by_an_administrator_and_audited(client: TestClient) -> None:
    assert client.get(f"{API}/notification-settings").json()["allowed_networks"] == []
    shown = allow(client, "10.20.0.0/16", "fd00::/8")
    assert (shown["allowed_networks"], shown["changed_by"]) == (["10.20.0.0/16", "fd00::/8"], "ada")
    path = f"{API}/notification-settings"
    wrong = client.put(path, json={"allowed_networks": ["10.20.0.1/16"]}, headers={"If-Match": '"2"'})
    assert wrong.status_code == 422
    assert client.put(path, json={"allowed_networks": []}).status_code == 428
    [(actor, _, detail)] = audited("notifications.allow")
    assert (actor, detail) == ("ada", {"before": "none", "after": "10.20.0.0/16, fd00::/8"})


def test_operators_see_channels_and_may_not_make_them(client: TestClient) -> None:
    assert client.get(CHANNELS).status_code == 200
    assert client.get(f"{API}/notification-deliveries").status_code == 200
    assert client.post(CHANNELS, json={"name": "ops", "target": HOOK}).status_code == 403
    settings = client.put(f"{API}/notification-settings", json={"allowed_networks": []}, headers={"If-Match": '"1"'})
    assert settings.status_code == 403


def test_a_viewer_may_not_test(sign_in: SignIn) -> None:
    assert sign_in(Role.VIEWER, "vera").post(f"{CHANNELS}/1/test").status_code == 403
