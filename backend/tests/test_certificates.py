"""One process signs for the backend's other machines, which ask by the database."""

import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from sextant_backend import check
from sextant_backend.modules.audit.models import AuditRow
from sextant_backend.modules.certificates import renewal, repository, service
from sextant_backend.modules.certificates.models import BackendCertificateRow
from sextant_backend.pki.authority import LEAF_VALIDITY, Authority, certificate_pem, new_key
from sextant_backend.pki.store import BACKEND_URN, FLEET_DNS_NAME, backend_pair, names, put
from sextant_backend.settings import Settings, get_settings
from sqlalchemy import select, text, update
from sqlalchemy.orm import Session

NOW = datetime.now(UTC)


def _actions(session: Session) -> list[tuple[str, str]]:
    return [(row.action, row.subject) for row in session.scalars(select(AuditRow).order_by(AuditRow.id))]


def test_a_machine_asks_and_is_given_the_backends_identity_for_its_key(session: Session) -> None:
    authority, key = Authority.make(NOW), new_key()
    service.ask(session, key, "worker-2")
    assert service.answer(session, key) is None
    assert service.sign(session, authority) == ["worker-2"]
    given = service.answer(session, key)
    assert given is not None and given.authority == certificate_pem(authority.certificate)
    leaf = x509.load_pem_x509_certificate(given.certificate)
    leaf.verify_directly_issued_by(authority.certificate)
    assert leaf.public_key() == key.public_key()
    assert set(names(leaf)) == {BACKEND_URN, FLEET_DNS_NAME}
    assert service.sign(session, authority) == []  # once is enough
    assert _actions(session) == [("certificate.issue", "machine/worker-2")]


def test_a_second_request_takes_the_place_of_the_first_and_of_its_answer(session: Session) -> None:
    authority, key = Authority.make(NOW), new_key()
    service.ask(session, key, "worker-2")
    service.sign(session, authority)
    service.ask(session, key, "worker-2")
    assert service.answer(session, key) is None
    assert service.sign(session, authority) == ["worker-2"]


def test_what_is_no_request_is_dropped_and_said(session: Session) -> None:
    repository.ask(session, b"\1" * 32, "stranger", "not a request")
    assert service.sign(session, Authority.make(NOW)) == []
    session.flush()
    assert session.scalars(select(BackendCertificateRow)).all() == []
    assert _actions(session) == [("certificate.refuse", "machine/stranger")]


def test_machines_that_no_longer_ask_are_forgotten(session: Session) -> None:
    key = new_key()
    service.ask(session, key, "gone")
    hours = service.KEPT / timedelta(hours=1)  # 2 x 24
    earlier = text(f"clock_timestamp() - interval '{hours + 1} hours'")
    session.execute(update(BackendCertificateRow).values(asked_at=earlier))
    service.sign(session, Authority.make(NOW))
    assert repository.of(session, service.key_hash(key.public_key())) is None


def test_the_authority_makes_itself_and_its_own_pair_once(tmp_path: Path) -> None:
    pair, key_file = backend_pair(tmp_path / "pki"), tmp_path / "authority" / "ca.key"
    pair.folder.mkdir()
    first = renewal.renewed(pair, key_file)
    assert stat.S_IMODE(key_file.stat().st_mode) == stat.S_IMODE(pair.key_file.stat().st_mode) == 0o600
    assert sorted(path.name for path in pair.folder.iterdir()) == ["backend.crt", "backend.key", "ca.crt"]
    certificate = pair.certificate_file.read_bytes()
    assert renewal.renewed(pair, key_file).certificate == first.certificate
    assert pair.certificate_file.read_bytes() == certificate


def test_a_further_machine_has_its_pair_as_soon_as_it_is_signed(
    clean: Settings, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority, pair = Authority.make(NOW), backend_pair(tmp_path)

    def while_it_waits(_seconds: float) -> None:
        assert service.sign(session, authority)
        session.commit()

    monkeypatch.setattr(renewal.time, "sleep", while_it_waits)
    renewal.ask_for(pair)
    assert pair.authority_file.read_bytes() == certificate_pem(authority.certificate)
    left = pair.renewal() - datetime.now(UTC)
    assert timedelta(hours=7) < left <= timedelta(hours=8)  # of 24 hours, 16 are left then


def test_the_check_distinguishes_a_good_certificate_from_one_that_nobody_renews(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SEXTANT_PKI_DIR", str(tmp_path))
    get_settings.cache_clear()
    try:
        pair, key = backend_pair(tmp_path), new_key()
        assert check.main(["certificates"]) == 1
        for age, status in ((timedelta(), 0), (LEAF_VALIDITY - timedelta(minutes=59), 1)):
            authority = Authority.make(datetime.now(UTC) - age)
            leaf = authority.issue(key.public_key(), urn=pair.urn, dns_name=pair.dns_name, now=datetime.now(UTC) - age)
            put(pair, key, certificate_pem(authority.certificate), certificate_pem(leaf))
            assert check.main(["certificates"]) == status
        assert "ends within the hour" in capsys.readouterr().err
    finally:
        monkeypatch.undo()
        get_settings.cache_clear()
