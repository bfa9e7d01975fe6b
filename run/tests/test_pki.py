"""Certificates say who a peer is, for a day, and only under the fleet's own authority."""

import shutil
import socket
import ssl
import stat
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from sextant_backend.pki.store import Pair, names
from sextant_run.pki.store import Store

HOURS = timedelta(hours=1)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "pki")
    made.renew(("edge-1",))
    return made


def _certificate(pair: Pair) -> x509.Certificate:
    return x509.load_pem_x509_certificate(pair.certificate_file.read_bytes())


def test_identities_are_those_of_the_contract(store: Store) -> None:
    assert set(names(_certificate(store.host("edge-1")))) == {"urn:sextant:host:edge-1", "edge-1.host.sextant"}
    assert set(names(_certificate(store.backend))) == {"urn:sextant:role:backend", "fleet.sextant"}


def test_a_leaf_lives_24_hours_on_p256_and_signs_no_certificates(store: Store) -> None:
    leaf = _certificate(store.host("edge-1"))
    assert leaf.not_valid_after_utc - datetime.now(UTC) <= 24 * HOURS
    key = leaf.public_key()
    assert isinstance(key, ec.EllipticCurvePublicKey)
    assert isinstance(key.curve, ec.SECP256R1)
    assert leaf.extensions.get_extension_for_class(x509.BasicConstraints).value.ca is False


def test_keys_are_readable_by_their_owner_only(store: Store) -> None:
    for key in (store.folder / "ca.key", store.backend.key_file, store.host("edge-1").key_file):
        assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_the_authoritys_key_is_not_where_agent_or_backend_look(store: Store) -> None:
    assert [path.name for path in store.folder.rglob("ca.key")] == ["ca.key"]
    assert not (store.backend.folder / "ca.key").exists()


def test_renewal_comes_8_hours_after_issue_and_keeps_the_key(store: Store) -> None:
    now = datetime.now(UTC)
    host = store.host("edge-1")
    key, serial = host.key_file.read_bytes(), _certificate(host).serial_number
    assert store.renew(("edge-1",), now + 7 * HOURS) == []  # 17 h left, renewed below 16 h
    assert [pair.urn for pair in store.renew(("edge-1",), now + 9 * HOURS)] == [store.backend.urn, host.urn]
    assert host.key_file.read_bytes() == key
    assert _certificate(host).serial_number != serial
    assert _certificate(host).not_valid_after_utc > now + 32 * HOURS


def test_the_next_renewal_is_when_16_of_24_hours_are_left(store: Store) -> None:
    assert abs(store.next_renewal(("edge-1",)) - datetime.now(UTC) - 8 * HOURS) < timedelta(minutes=1)


def test_a_clock_that_was_set_back_gets_a_certificate_that_is_valid_then(store: Store) -> None:
    earlier = datetime.now(UTC) - 48 * HOURS
    assert len(store.renew(("edge-1",), earlier)) == 2
    assert _certificate(store.host("edge-1")).not_valid_before_utc < earlier


@pytest.mark.parametrize("damage", ["ca.key", "ca.crt"])
def test_a_lost_authority_is_made_anew_with_everything_under_it(store: Store, damage: str) -> None:
    (store.folder / damage).write_text("damaged")
    assert len(store.renew(("edge-1",))) == 2
    authority = x509.load_pem_x509_certificate((store.folder / "ca.crt").read_bytes())
    _certificate(store.host("edge-1")).verify_directly_issued_by(authority)
    assert (store.host("edge-1").folder / "ca.crt").read_bytes() == (store.folder / "ca.crt").read_bytes()


def test_another_hosts_certificate_in_the_folder_is_replaced(store: Store) -> None:
    store.renew(("edge-1", "edge-2"))
    for name in ("host.crt", "host.key"):
        shutil.copy(store.host("edge-2").folder / name, store.host("edge-1").folder / name)
    assert [pair.urn for pair in store.renew(("edge-1", "edge-2"))] == ["urn:sextant:host:edge-1"]


def test_mutual_tls_holds_between_backend_and_host(store: Store) -> None:
    peer = _handshake(server=store.host("edge-1"), client=store.backend, name="edge-1.host.sextant")
    assert ("URI", "urn:sextant:role:backend") in peer["subjectAltName"]


def test_a_host_is_not_taken_for_another(store: Store) -> None:
    with pytest.raises(ssl.SSLCertVerificationError, match="edge-2"):
        _handshake(server=store.host("edge-1"), client=store.backend, name="edge-2.host.sextant")


def test_a_peer_of_another_fleets_authority_is_refused(store: Store, tmp_path: Path) -> None:
    stranger = Store(tmp_path / "other")
    stranger.renew(("edge-1",))
    with pytest.raises(ssl.SSLCertVerificationError):  # the client does not know the server's authority
        _handshake(server=stranger.host("edge-1"), client=store.backend, name="edge-1.host.sextant")
    shutil.copy(store.folder / "ca.crt", stranger.backend.folder / "ca.crt")  # it trusts us; do we trust it?
    with pytest.raises(ssl.SSLError):
        _handshake(server=store.host("edge-1"), client=stranger.backend, name="edge-1.host.sextant")


def test_an_expired_certificate_is_refused(tmp_path: Path) -> None:
    old, now = Store(tmp_path / "pki"), datetime.now(UTC)
    old.renew(("edge-1",), now - 25 * HOURS)
    with pytest.raises(ssl.SSLCertVerificationError, match="expired"):
        _handshake(server=old.host("edge-1"), client=old.backend, name="edge-1.host.sextant")


def _context(pair: Pair, protocol: int) -> ssl.SSLContext:
    context = ssl.SSLContext(protocol)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.load_verify_locations(pair.folder / "ca.crt")
    context.load_cert_chain(pair.certificate_file, pair.key_file)
    context.verify_mode = ssl.CERT_REQUIRED
    return context


def _handshake(*, server: Pair, client: Pair, name: str) -> dict[str, tuple[tuple[str, str], ...]]:
    """A handshake and one byte each way; what the server sees of the client. Raises what either side raised."""
    ours, theirs = socket.socketpair()
    seen: dict[str, tuple[tuple[str, str], ...]] = {}
    failures: list[Exception] = []

    def serve() -> None:
        try:
            with _context(server, ssl.PROTOCOL_TLS_SERVER).wrap_socket(theirs, server_side=True) as side:
                side.recv(1)
                seen.update(side.getpeercert() or {})  # type: ignore[arg-type]
                side.send(b".")
        except OSError as error:
            failures.append(error)
            theirs.close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        with _context(client, ssl.PROTOCOL_TLS_CLIENT).wrap_socket(ours, server_hostname=name) as side:
            side.send(b".")
            side.recv(1)  # TLS 1.3: the client learns of a refusal only when it reads
    finally:
        ours.close()
        thread.join(10)
    if failures:
        raise failures[0]
    return seen
