"""A certificate is near its end: the console's, and with it every order to every host ends; or an agent's.

Looked at are the authority's and the backend's on the watch's machine, what the authority has answered to other
machines, and when the newest certificate of a host ends that the fleet listener gave its agent. Agents renew at half of
a certificate's day. Those that the keeper writes are on its machine, and follow the authority's and the backend's.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from sextant_domain.console.alerts import AlertKind, AlertObjectKind, AlertSeverity
from sqlalchemy import select
from sqlalchemy.orm import Session

from sextant_backend.modules.alerts.kinds.frame import Condition, Findings, KindSpec, Look, Parameter
from sextant_backend.modules.certificates.models import BackendCertificateRow
from sextant_backend.modules.hosts.models import Host
from sextant_backend.settings import get_settings

AUTHORITY = "authority"
AGENT = "agent@"


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
    bad |= _of_agents(session, look)
    return Findings(bad, frozenset(name for name in look.tracked if name not in seen and not name.startswith(AGENT)))


def _of_agents(session: Session, look: Look) -> dict[str, Condition]:
    """A host whose certificates were revoked is not to renew them."""
    soon = look.now + timedelta(hours=look.parameters["agent_hours"])
    row = Host.host_id, Host.certificate_ends_at
    query = select(*row).where(Host.certificate_ends_at < soon, Host.revoked_at.is_(None))
    return {
        f"{AGENT}{host_id}": _of_agent(host_id, ends_at - look.now, ends_at)
        for host_id, ends_at in session.execute(query)
        if ends_at is not None
    }


def _of_agent(host_id: str, left: timedelta, ends_at: datetime) -> Condition:
    if left <= timedelta(0):
        return Condition(
            f"The certificate of {host_id}'s agent has ended",
            f"It was valid until {ends_at:%Y-%m-%d %H:%M} UTC and was not renewed; nothing that it sends is believed.",
            f"Enrol the host anew: sextant hosts enrol {host_id}",
        )
    return Condition(
        f"The certificate of {host_id}'s agent ends in {left.total_seconds() / 3600:.0f} h",
        f"It is valid until {ends_at:%Y-%m-%d %H:%M} UTC, and its agent should have renewed it by itself; "
        "then nothing that it sends is believed, and it takes no order.",
        f"On {host_id}: sextant-agent doctor says whether it reaches the fleet listener",
    )


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
    summary="The authority's certificate, or one of the console or of an agent that renews itself, is near its end",
    object_kind=AlertObjectKind.CERTIFICATE,
    severity=AlertSeverity.CRITICAL,
    fire_after_s=0.0,
    resolve_after_s=0.0,
    observe=observe,
    every_s=60.0,
    parameters=(
        Parameter("authority_days", "Of the authority", "d", default=30.0, least=1.0, most=365.0),
        Parameter("backend_hours", "Of the backend", "h", default=4.0, least=1.0, most=24.0),
        Parameter("agent_hours", "Of an agent", "h", default=4.0, least=1.0, most=11.0),
    ),
)
