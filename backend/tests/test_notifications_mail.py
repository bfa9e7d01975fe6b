"""Alerts by mail, to a real mail server on this machine: with and without encryption, with a password, and refused."""

import asyncio
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import SMTP, AuthResult, Envelope
from alert_world import a_round, a_running_chain, measured
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from fastapi.testclient import TestClient
from notification_world import API, allow, deliveries, sent
from sextant_backend.modules.notifications import mail
from sextant_backend.settings import Settings
from sextant_domain.console.notifications import DeliveryEvent, DeliveryState, EmailTarget, Message, SmtpSecurity
from sextant_domain.hosts.host import HostInventory

LOOPBACK = (ip_network("127.0.0.0/8"),)
MESSAGE = Message(
    delivery_id="0b9c",
    event=DeliveryEvent.TEST,
    channel="mail",
    title="test: messages to this channel arrive",
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
    alerts=(),
)


class Mailbox:
    """What the server took."""

    def __init__(self) -> None:
        self.mails: list[tuple[Envelope, EmailMessage]] = []
        self.answer = "250 taken"
        self.refuse: set[str] = set()
        self.encrypted: list[bool] = []
        self.port = 0

    async def handle_RCPT(  # noqa: N802 - the server's name for it
        self, server: Any, session: Any, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address in self.refuse:
            return "550 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Envelope) -> str:  # noqa: N802
        self.encrypted.append(session.ssl is not None)
        content = message_from_bytes(envelope.content, policy=policy.default)  # type: ignore[arg-type]
        assert isinstance(content, EmailMessage)
        if self.answer.startswith("250"):
            self.mails.append((envelope, content))
        return self.answer


@contextmanager
def a_server(ssl_context: ssl.SSLContext | None = None, **options: Any) -> Iterator[Mailbox]:
    """A mail server at a free port, in a thread of its own. (aiosmtpd's own Controller connects to a port that it must
    be told, and cannot begin with TLS.)"""
    box, loop = Mailbox(), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def listen() -> asyncio.Server:
        return await loop.create_server(
            lambda: SMTP(box, hostname="localhost", loop=loop, **options), "127.0.0.1", 0, ssl=ssl_context
        )

    async def close(server: asyncio.Server) -> None:
        server.close()
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

    server = asyncio.run_coroutine_threadsafe(listen(), loop).result(60)
    box.port = server.sockets[0].getsockname()[1]
    try:
        yield box
    finally:
        asyncio.run_coroutine_threadsafe(close(server), loop).result(60)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(60)
        loop.close()


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """A server's context for `localhost`, whose certificate this process trusts."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = tmp_path / "server.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    pem.write_bytes(signed.public_bytes(serialization.Encoding.PEM) + private)
    monkeypatch.setenv("SSL_CERT_FILE", str(pem))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    return context


def target(box: Mailbox, security: SmtpSecurity = SmtpSecurity.NONE, **changes: Any) -> EmailTarget:
    values: dict[str, Any] = {
        "server": "localhost",
        "port": box.port,
        "security": security,
        "sender": "sextant@example.org",
        "recipients": ("noc@example.org", "ada@example.org"),
    }
    return EmailTarget.model_validate(values | changes)


@pytest.mark.as_admin
def test_a_violated_slo_reaches_a_mailbox(client: TestClient, edge: HostInventory) -> None:
    allow(client, "127.0.0.0/8")
    with a_server() as box:
        body = {"name": "mail", "target": target(box).model_dump(mode="json")}
        made = client.post(f"{API}/notification-channels", json=body)
        assert made.status_code == 201, made.text
        assert made.json()["channel"]["target"] == f"noc@example.org, ada@example.org by localhost:{box.port}"
        a_running_chain()
        measured(delivered_mpps=0.1)
        a_round()
        measured(delivered_mpps=0.1)
        a_round(after_s=30)
        sent()
        [(envelope, content)] = box.mails
    assert (envelope.mail_from, envelope.rcpt_tos) == ("sextant@example.org", ["noc@example.org", "ada@example.org"])
    [delivery] = deliveries(client)
    assert content["Subject"] == "[Sextant] critical: web-edge misses its objective"
    assert content["Message-ID"] == f"<{delivery.delivery_id}@example.org>"
    text = content.get_content()
    assert "critical: web-edge misses its objective (alert 1, chain web-edge)" in text
    assert "cause: On edge-1 it carries 0.10 Mpps" in text
    assert (delivery.state, delivery.log[0].status) == (DeliveryState.DELIVERED, 250)


def test_it_is_sent_encrypted_where_the_server_can(settings: Settings, certificate: ssl.SSLContext) -> None:
    with a_server(tls_context=certificate, require_starttls=True) as box:
        outcome = mail.send(target(box, SmtpSecurity.STARTTLS), MESSAGE, LOOPBACK)
        assert outcome.error is None
        assert box.encrypted == [True]


def test_tls_from_the_first_byte_on(settings: Settings, certificate: ssl.SSLContext) -> None:
    with a_server(ssl_context=certificate) as box:
        assert mail.send(target(box, SmtpSecurity.TLS), MESSAGE, LOOPBACK).error is None
        assert len(box.mails) == 1


def test_a_certificate_that_nobody_trusts_gets_nothing(
    settings: Settings, certificate: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    empty = tmp_path / "none.pem"
    empty.touch()
    monkeypatch.setenv("SSL_CERT_FILE", str(empty))
    with a_server(tls_context=certificate) as box:
        outcome = mail.send(target(box, SmtpSecurity.STARTTLS), MESSAGE, LOOPBACK)
        assert "certificate verify failed" in (outcome.error or "").lower()
        assert box.mails == []


def test_a_server_without_encryption_gets_nothing_in_clear(settings: Settings) -> None:
    with a_server() as box:
        outcome = mail.send(target(box, SmtpSecurity.STARTTLS), MESSAGE, LOOPBACK)
        assert "STARTTLS" in (outcome.error or "")
        assert (box.mails, outcome.final) == ([], False)


@pytest.mark.parametrize(("password", "taken"), [("right", 1), ("wrong", 0)])
def test_user_name_and_password(settings: Settings, certificate: ssl.SSLContext, password: str, taken: int) -> None:
    def authenticator(_server: Any, _session: Any, _envelope: Any, _mechanism: str, data: Any) -> AuthResult:
        good = (data.login, data.password) == (b"sextant", b"right")
        return AuthResult(success=good, handled=False)

    with a_server(tls_context=certificate, authenticator=authenticator, auth_required=True) as box:
        asked = target(box, SmtpSecurity.STARTTLS, username="sextant", password=password)
        outcome = mail.send(asked, MESSAGE, LOOPBACK)
        assert len(box.mails) == taken
        expected = None if taken else "the mail server refuses user name and password"
        assert (outcome.error, outcome.final) == (expected, False)


def test_a_server_that_is_busy_is_tried_again(settings: Settings) -> None:
    with a_server() as box:
        box.answer = "451 later"
        outcome = mail.send(target(box), MESSAGE, LOOPBACK)
        assert (outcome.status, outcome.error, outcome.final) == (451, "the mail server answered 451", False)


def test_recipients_that_are_refused_are_named(settings: Settings) -> None:
    """One of two: the other has it, and a further attempt would send it there again."""
    with a_server() as box:
        box.refuse = {"ada@example.org"}
        outcome = mail.send(target(box), MESSAGE, LOOPBACK)
        assert (outcome.error, outcome.final) == ("not taken for ada@example.org", True)
        assert [envelope.rcpt_tos for envelope, _ in box.mails] == [["noc@example.org"]]
        box.refuse.add("noc@example.org")
        assert mail.send(target(box), MESSAGE, LOOPBACK).error == "the mail server refuses every recipient (550)"


def test_a_private_server_is_refused_unless_its_network_is_allowed(settings: Settings) -> None:
    with a_server() as box:
        outcome = mail.send(target(box), MESSAGE, ())
        assert (outcome.final, box.mails) == (True, [])
        assert "is private" in (outcome.error or "")


def test_a_server_that_drips_is_cut_off(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    monkeypatch.setattr(mail, "WHOLE_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ended = threading.Event()

        def drip() -> None:
            connection, _ = listener.accept()
            with connection:
                while not ended.wait(0.05):
                    try:
                        connection.sendall(b"2")
                    except OSError:
                        return

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        box = Mailbox()
        box.port = listener.getsockname()[1]
        outcome = mail.send(target(box), MESSAGE, LOOPBACK)
        ended.set()
        thread.join()
    assert outcome.error is not None


def test_what_an_alert_says_makes_no_header(settings: Settings) -> None:
    """A summary with a line break is one line of the subject, and adds no recipient."""
    with a_server() as box:
        evil = MESSAGE.model_copy(update={"title": "critical: x\r\nBcc: eve@example.org"})
        assert mail.send(target(box), evil, LOOPBACK).error is None
        [(envelope, content)] = box.mails
    assert content["Subject"] == "[Sextant] critical: x Bcc: eve@example.org"
    assert (content["Bcc"], envelope.rcpt_tos) == (None, ["noc@example.org", "ada@example.org"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"sender": "no address"},
        {"recipients": ()},
        {"recipients": ("a@example.org\r\nBcc: b@example.org",)},
        {"security": "tls", "username": "sextant"},
        {"security": "none", "username": "sextant", "password": "right"},
        {"server": "mail example"},
        {"port": 0},
    ],
)
def test_a_target_that_cannot_be_is_refused(wrong: dict[str, Any]) -> None:
    """What it is changed from can be."""
    good = {"server": "mail.example.org", "sender": "sextant@example.org", "recipients": ("noc@example.org",)}
    assert EmailTarget.model_validate(good)
    with pytest.raises(ValueError, match="validation error"):
        EmailTarget.model_validate({**good, **wrong})
