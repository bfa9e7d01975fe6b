"""A certificate of the console's side is near its end: with it every order to every host ends.

Looked at are the authority's and the backend's on the watch's machine, and what the authority has answered to other
machines. Agents renew their own; one that cannot falls silent, which is an alert already.
"""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from sextant_domain.console.alerts import AlertKind, AlertObjectKind, AlertSeverity
from sqlalchemy import select
from sqlalchemy.orm import Session

from sextant_backend.modules.alerts.kinds.frame import Condition, Findings, KindSpec, Look, Parameter
from sextant_backend.modules.certificates.models import BackendCertificateRow
from sextant_backend.settings import get_settings

AUTHORITY = "authority"


class Held(NamedTuple):
    """A certificate that can be read."""

    name: str
    certificate: x509.Certificate


def observe(session: Session, look: Look) -> Findings:
    """What cannot be read is unknown, not well."""
    limits = {
        True: timedelta(days=look.parameters["authority_days"]),
        False: timedelta(hours=look.parameters["backend_hours"]),
    }
    bad: dict[str, Condition] = {}
    seen: set[str] = set()
    for name, certificate in _held(session):
        seen.add(name)
        left = certificate.not_valid_after_utc - look.now
        if left < limits[name == AUTHORITY]:
            bad[name] = _condition(name, left, certificate)
    return Findings(bad, frozenset(look.tracked) - seen)


def _condition(name: str, left: timedelta, certificate: x509.Certificate) -> Condition:
    hours = left.total_seconds() / 3600
    ends = f"{certificate.not_valid_after_utc:%Y-%m-%d %H:%M} UTC"
    how_long = f"ends in {hours:.0f} h" if hours > 0 else "has ended"
    if name == AUTHORITY:
        return Condition(
            f"The authority's certificate {how_long}",
            f"It is valid until {ends}; then no host believes the console, and the console no host.",
            "deploy/README.md, upgrade: make a new authority and enrol the hosts again",
        )
    return Condition(
        f"The certificate of {name} {how_long}",
        f"It is valid until {ends} and should have been renewed by itself; then hosts refuse its orders.",
        "See that the keeper, or `python -m sextant_backend certificates`, runs on that machine",
    )


def _held(session: Session) -> Iterator[Held]:
    pki = get_settings().pki_dir
    if pki is not None:
        for name, file in ((AUTHORITY, pki / "ca.crt"), ("backend", pki / "backend.crt")):
            if (found := _read(file)) is not None:
                yield Held(name, found)
    rows = select(BackendCertificateRow.machine, BackendCertificateRow.certificate)
    for machine, pem in session.execute(rows):
        if pem is not None:
            yield Held(f"backend@{machine}"[:200], x509.load_pem_x509_certificate(pem.encode()))


def _read(file: Path) -> x509.Certificate | None:
    try:
        return x509.load_pem_x509_certificate(file.read_bytes())
    except (OSError, ValueError):
        return None


SPEC = KindSpec(
    kind=AlertKind.CERTIFICATE_EXPIRING,
    title="Certificate near its end",
    summary="The authority's certificate, or one of the console's side that renews itself, is near its end",
    object_kind=AlertObjectKind.CERTIFICATE,
    severity=AlertSeverity.CRITICAL,
    fire_after_s=0.0,
    resolve_after_s=0.0,
    observe=observe,
    every_s=60.0,
    parameters=(
        Parameter("authority_days", "Of the authority", "d", default=30.0, least=1.0, most=365.0),
        Parameter("backend_hours", "Of the backend", "h", default=4.0, least=1.0, most=24.0),
    ),
)
