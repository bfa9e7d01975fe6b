"""Whether the process that serves the simulated hosts can use the certificates it has."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature

GATEWAY, KEY, AUTHORITY, HOSTS = "gateway.crt", "host.key", "ca.crt", "hosts"
"""As `sextant-agent enrol` writes them."""


def gateway_certificate(folder: Path) -> x509.Certificate | None:
    """What the process reports by; None where there is none that can be read."""
    try:
        return x509.load_pem_x509_certificate((folder / GATEWAY).read_bytes())
    except (OSError, ValueError):
        return None


def has_ended(folder: Path, now: datetime | None = None) -> bool:
    """Whether there is a certificate, and it is too late to renew it."""
    present = gateway_certificate(folder)
    return present is not None and present.not_valid_after_utc <= (now or datetime.now(UTC))


def why_enrol(folder: Path, authority: Path, host_ids: Sequence[str]) -> str | None:
    """Why these hosts have to be enrolled (again); None where what is in `folder` can be used."""
    present = gateway_certificate(folder)
    if present is None:
        return "they have no certificates yet"
    if has_ended(folder):
        return f"their certificates expired on {present.not_valid_after_utc:%Y-%m-%d at %H:%M} UTC"
    if not _signed_by(present, authority) or not _same(folder / AUTHORITY, authority):
        return "the certificate authority is new"
    lacking = [host_id for host_id in host_ids if not (folder / HOSTS / f"{host_id}.crt").is_file()]
    if lacking or not (folder / KEY).is_file():
        return f"there is no certificate of {lacking[0]}" if lacking else "their key is missing"
    return None


def _signed_by(certificate: x509.Certificate, authority: Path) -> bool:
    try:
        certificate.verify_directly_issued_by(x509.load_pem_x509_certificate(authority.read_bytes()))
    except (OSError, ValueError, TypeError, InvalidSignature):
        return False
    return True


def _same(one: Path, other: Path) -> bool:
    try:
        return one.read_bytes() == other.read_bytes()
    except OSError:
        return False
