"""The agent's own side of enrolment, against a real listener: the command, its files, and renewal under telemetry."""

import json
import os
import ssl
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from console_world import a_batch, an_inventory, wait_until
from cryptography import x509
from enrolment_world import Listener, a_token, audited, listening
from pki_world import Authority
from sextant_agent.identity.fleet_client import FleetClient
from sextant_agent.identity.identity import HostIdentity, noted
from sextant_agent.identity.renewal import Life, Renewer, due_at, of_host
from sextant_agent.identity.tls import TlsCredentials
from sextant_agent.reporting.reporter import Reporter
from sextant_agent.settings import AgentSettings
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.settings import Settings
from sqlalchemy import text


@pytest.fixture
def fleet(clean: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    with listening(tmp_path, monkeypatch) as listener:
        yield listener


def _enrol(url: str, token: str, pki: Path, *more: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """`sextant-agent enrol`, as on a host: it knows nothing but the address, the token and these settings."""
    command = [sys.executable, "-m", "sextant_agent", "enrol", "--console", url, "--token-file", "-"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SEXTANT_")}
    return subprocess.run(
        [*command, "--pki-dir", str(pki), *more],
        input=f"{token}\n",
        env=clean | settings,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def _settings(pki: Path, monkeypatch: pytest.MonkeyPatch) -> AgentSettings:
    """As the next `sextant-agent serve` has them: two folders, and the rest from the note of enrolment."""
    runner = pki.parent / "runner"
    runner.touch()
    for name, value in {"PKI_DIR": pki, "STATE_DIR": pki.parent / "state", "RUNNER": runner}.items():
        monkeypatch.setenv(f"SEXTANT_AGENT_{name}", str(value))
    return AgentSettings()


def test_the_command_writes_an_identity_that_the_agent_starts_with(
    fleet: Listener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pki = tmp_path / "host" / "pki"
    done = _enrol(fleet.url, a_token("edge-7"), pki)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("This host is edge-7; its certificate is good until ")
    last = done.stdout.splitlines()[-1]
    assert "SEXTANT_AGENT_DRIVER=testbed sextant-agent serve (with OpenNetVM: SEXTANT_AGENT_DRIVER=opennetvm)" in last
    assert stat.S_IMODE((pki / "host.key").stat().st_mode) == 0o600
    assert stat.S_IMODE(pki.stat().st_mode) == 0o700
    assert sorted(path.name for path in pki.iterdir()) == ["ca.crt", "enrolment.json", "host.crt", "host.key"]
    settings = _settings(pki, monkeypatch)
    assert (settings.host_id, settings.fleet_url) == ("edge-7", fleet.url)
    # The console is reached from 127.0.0.1, so that is where it listens, on port 9443.
    assert (settings.listen, settings.url) == ("127.0.0.1:9443", "https://127.0.0.1:9443")
    assert TlsCredentials(settings.pki_dir, "edge-7").not_after > time.time() + 23 * 3600
    with session_scope() as session:
        assert hosts.reach(session, "edge-7").url == "https://127.0.0.1:9443"


def test_the_last_line_starts_the_agent_with_the_driver_that_its_host_is_set_up_for(
    fleet: Listener, tmp_path: Path
) -> None:
    done = _enrol(fleet.url, a_token("edge-7"), tmp_path / "host" / "pki", SEXTANT_AGENT_DRIVER="opennetvm")
    assert done.returncode == 0, done.stderr
    last = done.stdout.splitlines()[-1]
    assert last.startswith("Start its agent: ") and last.endswith(" SEXTANT_AGENT_DRIVER=opennetvm sextant-agent serve")


def test_a_living_identity_is_overwritten_only_on_demand(fleet: Listener, tmp_path: Path) -> None:
    pki = tmp_path / "pki-of-host"
    assert _enrol(fleet.url, a_token("edge-7"), pki).returncode == 0
    before, token = (pki / "host.key").read_bytes(), a_token("edge-7")
    refused = _enrol(fleet.url, token, pki)
    assert refused.returncode == 1
    assert "--replace overwrites it" in refused.stderr
    assert (pki / "host.key").read_bytes() == before
    assert _enrol(fleet.url, token, pki, "--replace").returncode == 0, "the token was not used up by the refusal"
    assert (pki / "host.key").read_bytes() != before


def test_a_token_is_not_sent_to_a_console_that_it_does_not_name(
    fleet: Listener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The token is of another installation: its authority has another fingerprint."""
    foreign = a_token("edge-7")[:47] + "." + "B" * 43
    done = _enrol(fleet.url, foreign, tmp_path / "pki-of-host")
    assert done.returncode == 1
    assert "the token was not sent to it" in done.stderr
    assert audited("fleet.refused") == [], "it was asked for its authority and nothing else"
    assert not (tmp_path / "pki-of-host").exists()


def test_an_impostor_with_the_right_authority_and_no_certificate_of_it_gets_no_token(
    fleet: Listener, tmp_path: Path
) -> None:
    """It passes the true authority on, but cannot prove to be of it."""
    import threading
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    true = (fleet.store.folder / "ca.crt").read_bytes()
    asked: list[str] = []

    class Impostor(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(true)

        def do_POST(self) -> None:
            asked.append(self.path)

        def log_message(self, format: str, *args: object) -> None:
            pass

    own = Authority(tmp_path, "impostor").issue("backend", ["urn:sextant:role:backend"], ["fleet.sextant"])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own.cert, own.key)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Impostor)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        done = _enrol(f"https://127.0.0.1:{server.server_port}", a_token("edge-7"), tmp_path / "pki-of-host")
    finally:
        server.shutdown()
        server.server_close()
    assert done.returncode == 1
    assert "its certificate is not the fleet's" in done.stderr
    assert asked == []


@pytest.mark.parametrize(
    ("url", "token", "more", "said"),
    [
        (None, "sxe_nothing", (), "this is no token"),
        ("http://127.0.0.1:1", None, (), "is not the https:// address"),
        ("https://127.0.0.1:1", None, (), "is this the fleet listener's address?"),
        (None, None, ("--listen", "9443"), "is not ADDRESS:PORT"),
        (None, None, ("--listen", "0.0.0.0:9443"), "say --url as well"),
        (None, None, ("--url", "https://host/with/a/path"), "is not https://ADDRESS:PORT"),
    ],
)
def test_what_is_wrong_is_said(
    fleet: Listener, tmp_path: Path, url: str | None, token: str | None, more: tuple[str, ...], said: str
) -> None:
    done = _enrol(url or fleet.url, token or a_token("edge-7"), tmp_path / "pki-of-host", *more)
    assert done.returncode == 1
    assert said in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "pki-of-host").exists()


def test_the_refusal_of_the_console_is_reported_with_the_next_step(fleet: Listener, tmp_path: Path) -> None:
    token = a_token("edge-7")
    assert fleet.enrol(token).status_code == 201
    done = _enrol(fleet.url, token, tmp_path / "pki-of-host")
    assert done.returncode == 1
    assert "used before" in done.stderr and "sextant hosts enrol" in done.stderr


def test_renewal_while_telemetry_flows(fleet: Listener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """40 batches, two renewals among them: all are stored, none twice, and the key is the same throughout."""
    pki = tmp_path / "host" / "pki"
    assert _enrol(fleet.url, a_token("edge-1"), pki).returncode == 0
    settings = _settings(pki, monkeypatch)
    credentials = TlsCredentials(settings.pki_dir, settings.host_id)
    assert settings.fleet_url is not None
    renewer, key = _renewer(settings, credentials), (pki / "host.key").read_bytes()
    reporter = Reporter(FleetClient(settings.fleet_url, credentials), an_inventory, "https://127.0.0.1:9443")
    reporter.start()
    serials = {_serial(pki)}
    for sequence in range(40):
        reporter.deliver(a_batch(sequence))
        if sequence in {10, 25}:
            assert not renewer.renew_if_due(time.time()), "it is new: not yet"
            assert renewer.renew_if_due(time.time() + 14 * 3600), (
                "due 12 h after it was issued, and 72 min more at most"
            )
            assert credentials.refresh()
            reporter.register_again()
            serials.add(_serial(pki))
        time.sleep(0.02)
    wait_until(lambda: _stored() == 40)
    reporter.stop()
    assert reporter.trouble is None
    assert len(serials) == 3
    assert (pki / "host.key").read_bytes() == key
    assert len(audited("certificate.renew")) == 2


def _renewer(settings: AgentSettings, credentials: TlsCredentials) -> Renewer:
    """As `serve` has it."""
    assert settings.fleet_url is not None
    own = of_host(HostIdentity(settings.pki_dir), settings.host_id)
    return Renewer(own, FleetClient(settings.fleet_url, credentials))


def _serial(pki: Path) -> int:
    return x509.load_pem_x509_certificate((pki / "host.crt").read_bytes()).serial_number


def _stored() -> int:
    with session_scope() as session:
        return int(session.execute(text("SELECT count(*) FROM chain_samples")).scalar_one())


def test_a_renewal_that_is_refused_leaves_the_former_certificate_and_is_tried_again_later(
    fleet: Listener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pki = tmp_path / "host" / "pki"
    assert _enrol(fleet.url, a_token("edge-7"), pki).returncode == 0
    settings = _settings(pki, monkeypatch)
    renewer, before = _renewer(settings, TlsCredentials(pki, "edge-7")), (pki / "host.crt").read_bytes()
    with session_scope() as session:
        hosts.revoke(session, "edge-7", "lost", "ada")
    later = time.time() + 14 * 3600
    assert not renewer.renew_if_due(later)
    assert (pki / "host.crt").read_bytes() == before
    with session_scope() as session:
        session.execute(text("UPDATE hosts SET revoked_at = NULL, trusted_after = NULL"))
    assert not renewer.renew_if_due(later + 20), "the first pause is 30 s, a quarter more or less"
    assert renewer.renew_if_due(later + 40)


def test_when_a_certificate_is_renewed() -> None:
    """A day from 0 to 86,400 s: half-way is 43,200; 5 % of the life are 4,320. Pauses 30, 60 ... 900 s, +- 25 %."""
    day = Life(0, 86_400)
    assert due_at(day, 0, 0, chance=0.0) == 43_200
    assert due_at(day, 0, 0, chance=1.0) == pytest.approx(47_520)
    assert due_at(day, 1, 50_000, chance=0.5) == 50_030
    assert due_at(day, 2, 50_000, chance=0.0) == 50_045
    assert due_at(day, 30, 50_000, chance=1.0) == 51_125


def test_a_certificate_for_another_key_is_not_taken(fleet: Listener, tmp_path: Path) -> None:
    from sextant_agent.identity.identity import IdentityProblem

    pki = tmp_path / "host" / "pki"
    assert _enrol(fleet.url, a_token("edge-7"), pki).returncode == 0
    foreign = fleet.enrol(a_token("edge-7")).json()["hosts"][0]["certificate"]
    before = (pki / "host.crt").read_bytes()
    with pytest.raises(IdentityProblem, match="for another key"):
        HostIdentity(pki).renew(foreign)
    with pytest.raises(IdentityProblem, match="cannot be read"):
        HostIdentity(pki).renew("nothing")
    assert (pki / "host.crt").read_bytes() == before


@pytest.mark.parametrize("content", ["", "[]", "{", '{"surprise": 1}', json.dumps("x")])
def test_a_note_that_cannot_be_read_is_as_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "enrolment.json").write_text(content)
    assert noted(tmp_path) == {}
