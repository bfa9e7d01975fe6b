"""Alerts on their way to a webhook: one message for many, signed, tried again, silenced; at least once."""

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from alert_world import a_round, a_running_chain, alerts, measured, set_rule, silent
from console_world import an_inventory
from fastapi.testclient import TestClient
from notification_world import (
    API,
    SECRET,
    Receiver,
    a_receiver,
    a_webhook,
    allow,
    deliveries,
    let_lease_run_out,
    sent,
)
from sextant_backend.faults import InjectedFaultError
from sextant_backend.kit import queue
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.notifications import tasks, webhooks
from sextant_backend.modules.notifications.signing import signature
from sextant_backend.settings import get_settings
from sextant_backend.sweep import due, sweep
from sextant_domain.console.alerts import AlertKind
from sextant_domain.console.notifications import DeliveryEvent, DeliveryState, Message
from sextant_domain.hosts.host import HostInventory
from sqlalchemy import text

pytestmark = pytest.mark.as_admin
"""Channels are an administrator's."""


@pytest.fixture
def receiver(client: TestClient) -> Iterator[Receiver]:
    """A receiver with a channel to it, in a network that is allowed."""
    allow(client, "127.0.0.0/8")
    with a_receiver() as made:
        a_webhook(client, made)
        yield made


def violated() -> None:
    """Chain web-edge misses its objective, and the rule has seen it for long enough."""
    a_running_chain()
    measured(delivered_mpps=0.1)
    a_round()
    measured(delivered_mpps=0.1)
    a_round(after_s=30)


def healed() -> None:
    measured()
    a_round()
    measured()
    a_round(after_s=60)


def faults(monkeypatch: pytest.MonkeyPatch, folder: Path, point: str, times: int = 1) -> None:
    """The process fails at that point, so many times."""
    file = folder / "faults.json"
    file.write_text(json.dumps({point: {"action": "raise", "times": times}}))
    monkeypatch.setenv("SEXTANT_FAULT_FILE", str(file))
    get_settings.cache_clear()


def test_a_violated_slo_reaches_a_webhook_signed(client: TestClient, edge: HostInventory, receiver: Receiver) -> None:
    violated()
    sent()
    [request] = receiver.received
    message = Message.model_validate_json(request.body)
    assert (message.event, message.channel) == (DeliveryEvent.FIRED, "ops")
    assert message.title == "critical: web-edge misses its objective"
    assert [(one.object_name, one.kind.value) for one in message.alerts] == [("web-edge", "slo_violated")]
    headers = request.headers
    assert headers["Sextant-Delivery"] == message.delivery_id
    assert (headers["Sextant-Event"], headers["Sextant-Attempt"]) == ("alert.fired", "1")
    timestamp = int(headers["Sextant-Timestamp"])
    assert headers["Sextant-Signature"] == signature(SECRET, timestamp, message.delivery_id, request.body)
    [shown] = deliveries(client)
    assert (shown.state, shown.attempts, shown.error) == (DeliveryState.DELIVERED, 1, None)
    assert [(one.status, one.error) for one in shown.log] == [(204, None)]
    assert deliveries(client, alert=message.alerts[0].id)[0].id == shown.id
    assert client.get(f"{API}/notification-deliveries/{shown.id}").json()["delivery_id"] == message.delivery_id


def test_its_end_is_sent_to_who_heard_of_it(client: TestClient, edge: HostInventory, receiver: Receiver) -> None:
    violated()
    sent()
    healed()
    sent()
    last = Message.model_validate_json(receiver.received[-1].body)
    assert (last.event, last.title) == (DeliveryEvent.RESOLVED, "resolved: web-edge misses its objective")
    assert last.alerts[0].resolved_because == "the condition has ended"


def still_violated(after_s: float) -> None:
    """It goes on for so long, and what is due is sent."""
    measured(delivered_mpps=0.1)
    a_round(after_s=after_s)
    sent()


def said(receiver: Receiver, channel: str = "ops") -> list[Message]:
    """What a channel was told of chains."""
    found = [Message.model_validate_json(one.body) for one in receiver.received]
    return [one for one in found if one.channel == channel and one.alerts[0].kind is AlertKind.SLO_VIOLATED]


def test_what_nobody_acknowledges_is_sent_again(client: TestClient, edge: HostInventory, receiver: Receiver) -> None:
    """Every five minutes: not after 299 s, once after 300 s, and not once more in the next second."""
    set_rule(client, "slo_violated", repeat_after_s=300)
    violated()
    sent()
    still_violated(after_s=299)
    assert len(said(receiver)) == 1
    still_violated(after_s=1)
    still_violated(after_s=1)
    assert [one.event for one in said(receiver)] == [DeliveryEvent.FIRED, DeliveryEvent.REPEATED]
    assert said(receiver)[-1].title == "critical, still: web-edge misses its objective"
    [firing] = alerts(client, kind="slo_violated")
    client.post(f"{API}/alerts/{firing.id}/acknowledge", json={})
    still_violated(after_s=600)
    assert len(said(receiver)) == 2, "somebody works on it"


def test_a_channel_that_was_made_later_hears_of_the_end_it_heard_of(
    client: TestClient, edge: HostInventory, receiver: Receiver
) -> None:
    """The new channel heard the second message only; the end is sent to both."""
    set_rule(client, "slo_violated", repeat_after_s=300)
    violated()
    sent()
    a_webhook(client, receiver, "late")
    still_violated(after_s=300)
    healed()
    sent()
    assert [one.event for one in said(receiver, "late")] == [DeliveryEvent.REPEATED, DeliveryEvent.RESOLVED]


@pytest.mark.parametrize(("repeat_after_s", "times"), [(0, 1), (14_400, 1), (7_200, 2)])
def test_it_is_sent_as_often_as_the_rule_says(
    client: TestClient, edge: HostInventory, receiver: Receiver, repeat_after_s: float, times: int
) -> None:
    set_rule(client, "slo_violated", repeat_after_s=repeat_after_s)
    violated()
    sent()
    still_violated(after_s=7200)
    assert len(said(receiver)) == times


def test_more_often_than_every_five_minutes_is_refused(client: TestClient, edge: HostInventory) -> None:
    path = f"{API}/alert-rules/slo_violated"
    answer = client.patch(path, json={"repeat_after_s": 299}, headers={"If-Match": client.get(path).headers["ETag"]})
    assert answer.status_code == 422
    assert [(one["field"], one["message"]) for one in answer.json()["errors"]] == [
        ("repeat_after_s", "must be 0 (sent once) or at least 300")
    ]


def test_once_silenced_nothing_is_sent_any_more(client: TestClient, edge: HostInventory, receiver: Receiver) -> None:
    """It was queued before the silence; it is not sent, and neither is its end."""
    violated()
    body = {"reason": "maintenance", "until": "2026-12-01T00:00:00Z", "object_name": "web-*"}
    with session_scope() as session:
        body["until"] = session.execute(text("SELECT now() + interval '1 hour'")).scalar_one().isoformat()
    assert client.post(f"{API}/alert-silences", json=body).status_code == 201
    sent()
    healed()
    sent()
    assert receiver.received == []
    assert [(one.state, one.error) for one in deliveries(client)] == [
        (DeliveryState.SUPPRESSED, "it was silenced before it was sent")
    ]


def test_what_still_fires_when_a_silence_ends_is_sent(
    client: TestClient, edge: HostInventory, receiver: Receiver
) -> None:
    with session_scope() as session:
        until = session.execute(text("SELECT now() + interval '1 hour'")).scalar_one().isoformat()
    made = client.post(f"{API}/alert-silences", json={"reason": "work", "until": until, "kind": "slo_violated"}).json()
    violated()
    sent()
    assert deliveries(client) == []
    client.post(f"{API}/alert-silences/{made['id']}/end")
    measured(delivered_mpps=0.1)
    a_round()
    sent()
    assert len(receiver.received) == 1


def test_many_hosts_that_fall_silent_are_one_message(client: TestClient, receiver: Receiver) -> None:
    """Sixty in one round, and one more in the next: one message, of which fifty are named."""
    with session_scope() as session:
        for number in range(61):
            hosts.enrol(session, f"edge-{number}", {})
            hosts.register(session, an_inventory(f"edge-{number}"), "https://127.0.0.1:9443")
        session.execute(text("UPDATE hosts SET status = 'stale' WHERE host_id <> 'edge-60'"))
    a_round()
    a_round(after_s=15)
    silent("edge-60")
    a_round()
    a_round(after_s=15)
    sent()
    [request] = receiver.received
    message = Message.model_validate_json(request.body)
    assert (len(message.alerts), message.more) == (50, 11)
    assert message.title.startswith("critical: 61 alerts, edge-")


def test_less_severe_alerts_and_ends_are_sent_only_where_they_are_wanted(
    client: TestClient, edge: HostInventory, receiver: Receiver
) -> None:
    path = f"{API}/alert-rules/slo_violated"
    client.patch(path, json={"severity": "warning"}, headers={"If-Match": '"0"'})
    with a_receiver() as pager:
        a_webhook(client, pager, "pager", least_severity="critical")
        with a_receiver() as begins:
            a_webhook(client, begins, "begins", send_resolved=False)
            violated()
            sent()
            healed()
            sent()
            assert (len(receiver.received), len(pager.received), len(begins.received)) == (2, 0, 1)


def test_a_receiver_that_fails_is_tried_again_with_the_same_message(
    client: TestClient, edge: HostInventory, receiver: Receiver
) -> None:
    receiver.answers = [(500, {}), (503, {"Retry-After": "600"})]
    violated()
    sent()
    [waiting] = deliveries(client)
    assert (waiting.state, waiting.attempts, waiting.error) == (DeliveryState.WAITING, 1, "it answered 500")
    sent(after_s=0)
    assert len(receiver.received) == 1, "it is not due yet"
    sent(after_s=10)
    sent(after_s=599)
    assert len(receiver.received) == 2, "it asked for ten minutes"
    sent(after_s=1)
    assert [one.headers["Sextant-Attempt"] for one in receiver.received] == ["1", "2", "3"]
    assert len({one.headers["Sextant-Delivery"] for one in receiver.received}) == 1
    assert len({one.body for one in receiver.received}) == 1
    [done] = deliveries(client)
    assert (done.state, [one.status for one in done.log]) == (DeliveryState.DELIVERED, [500, 503, 204])


def test_it_is_given_up_after_eight_attempts(client: TestClient, edge: HostInventory, receiver: Receiver) -> None:
    receiver.answers = [(500, {})] * 9
    violated()
    for _ in range(9):
        sent()
    [done] = deliveries(client)
    assert (done.state, done.attempts, len(receiver.received)) == (DeliveryState.FAILED, 8, 8)


@pytest.mark.parametrize(
    ("answer", "state", "error"),
    [
        ((410, {}), DeliveryState.FAILED, "it answered 410"),
        ((404, {}), DeliveryState.WAITING, "it answered 404"),
        (
            (302, {"Location": "http://169.254.169.254/"}),
            DeliveryState.WAITING,
            "it answered 302: redirects are not followed, give the final address",
        ),
    ],
)
def test_what_an_answer_means(
    client: TestClient, edge: HostInventory, receiver: Receiver, answer: tuple, state: DeliveryState, error: str
) -> None:
    receiver.answers = [answer]
    violated()
    sent()
    assert [(one.state, one.error) for one in deliveries(client)] == [(state, error)]
    assert len(receiver.received) == 1


def test_a_private_address_is_refused_once_its_network_is_not_allowed_any_more(
    client: TestClient, edge: HostInventory, receiver: Receiver
) -> None:
    allow(client)
    violated()
    sent()
    assert receiver.received == []
    [done] = deliveries(client)
    assert done.state is DeliveryState.FAILED
    assert done.error == "127.0.0.1 is private, and in none of the networks that are allowed"


def test_a_worker_that_dies_between_claim_and_sending_loses_nothing(
    client: TestClient,
    edge: HostInventory,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    faults(monkeypatch, tmp_path, "notify.claimed")
    violated()
    with pytest.raises(InjectedFaultError):
        sent()
    assert receiver.received == []
    tasks.turn()
    assert receiver.received == [], "another worker may be at it: its claim holds"
    let_lease_run_out()
    tasks.turn()
    [request] = receiver.received
    assert request.headers["Sextant-Attempt"] == "2"
    [done] = deliveries(client)
    assert (done.state, done.attempts, len(done.log)) == (DeliveryState.DELIVERED, 2, 1)


def test_a_worker_that_dies_after_sending_sends_again_under_the_same_id(
    client: TestClient,
    edge: HostInventory,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    faults(monkeypatch, tmp_path, "notify.before_store")
    violated()
    with pytest.raises(InjectedFaultError):
        sent()
    let_lease_run_out()
    tasks.turn()
    first, second = receiver.received
    assert first.headers["Sextant-Delivery"] == second.headers["Sextant-Delivery"]
    assert first.body == second.body
    assert deliveries(client)[0].state is DeliveryState.DELIVERED


def test_a_process_that_dies_in_every_attempt_does_not_try_for_ever(
    client: TestClient,
    edge: HostInventory,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    faults(monkeypatch, tmp_path, "notify.claimed", times=8)
    violated()
    for _ in range(8):
        with pytest.raises(InjectedFaultError):
            sent()
        let_lease_run_out()
    sent()
    [done] = deliveries(client)
    assert (done.state, receiver.received) == (DeliveryState.FAILED, [])
    assert done.error == "given up after 8 attempts; the last ones did not end"


def test_a_worker_that_was_taken_over_stores_nothing(
    client: TestClient, edge: HostInventory, receiver: Receiver
) -> None:
    """It has sent; meanwhile another one has claimed, sent and stored: there is one entry in the log."""
    violated()
    with session_scope() as session:
        session.execute(text("UPDATE notification_deliveries SET due_at = now() - interval '1 second'"))
    work = tasks.Delivering()
    with session_scope() as session:
        taken = work.take(session)
    assert taken is not None
    let_lease_run_out()
    tasks.turn()
    from sextant_backend.kit.leases.claims import ClaimLostError

    with pytest.raises(ClaimLostError), session_scope() as session:
        work.store(session, taken, tasks.Tried(webhooks.Outcome(204), 1))
    [done] = deliveries(client)
    assert (done.state, len(done.log)) == (DeliveryState.DELIVERED, 1)


def test_the_sweep_rings_for_what_is_due_and_for_nothing_else(
    client: TestClient, edge: HostInventory, receiver: Receiver
) -> None:
    violated()
    with session_scope() as session:
        assert not due(session).sweep, "it waits for others to join it"
        session.execute(text("UPDATE notification_deliveries SET due_at = now()"))
    with session_scope() as session:
        assert due(session).sweep
        sweep(session)
    assert any(b"sextant.notify" in entry for entry in queue.client().lrange("operate", 0, -1))


def test_a_receiver_that_drips_is_cut_off(
    client: TestClient, edge: HostInventory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sends a byte of its header whenever it is read: each read is in time, the whole is not."""
    monkeypatch.setattr(webhooks, "WHOLE_S", 0.5)
    from ipaddress import ip_network

    with socket.create_server(("127.0.0.1", 0)) as listener:
        ended = threading.Event()

        def drip() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65_536)
                while not ended.wait(0.05):
                    try:
                        connection.sendall(b"x")
                    except OSError:
                        return

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        allowed = (ip_network("127.0.0.0/8"),)
        outcome = webhooks.send(url, "s", b"{}", delivery_id="d", event="test", attempt=1, allowed=allowed)
        ended.set()
        thread.join()
    assert outcome.error in {"no whole answer within 0.5 s", "no answer in time (ReadTimeout)"}


def test_a_receiver_that_answers_without_end_is_cut_off_and_has_the_message(settings: object) -> None:
    from ipaddress import ip_network

    with socket.create_server(("127.0.0.1", 0)) as listener:

        def flood() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65_536)
                try:
                    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                    while True:
                        connection.sendall(b"x" * 65_536)
                except OSError:
                    return

        thread = threading.Thread(target=flood, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        allowed = (ip_network("127.0.0.0/8"),)
        outcome = webhooks.send(url, "s", b"{}", delivery_id="d", event="test", attempt=1, allowed=allowed)
        thread.join(timeout=60)
        assert not thread.is_alive()
    assert (outcome.status, outcome.error) == (200, None)
