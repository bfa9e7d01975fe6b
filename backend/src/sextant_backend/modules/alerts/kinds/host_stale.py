"""A host does not report: what it runs goes on, and nobody sees how."""

from sextant_domain.console.alerts import AlertKind, AlertObjectKind, AlertSeverity
from sextant_domain.hosts.host import HostStatus
from sqlalchemy import select
from sqlalchemy.orm import Session

from sextant_backend.modules.alerts.kinds.frame import Condition, Findings, KindSpec, Look
from sextant_backend.modules.hosts.models import Host


def observe(session: Session, look: Look) -> Findings:
    """The watch judges silence (`hosts/watcher.py`); here its word is only read. A host that was never heard counts
    from its enrolment on; one whose certificates are revoked is silent because somebody wants it."""
    columns = (Host.host_id, Host.status, Host.status_reason, Host.status_since)
    silent = select(*columns).where(Host.status != HostStatus.UP, Host.revoked_at.is_(None))
    bad = {
        host_id: Condition(
            summary=f"{host_id} is {status} since {since:%H:%M:%S} UTC",
            cause=f"Its agent does not report: {reason}. Its chains keep running as last ordered.",
            next_step=f"On {host_id}: systemctl status sextant-agent; here: sextant hosts {host_id}",
        )
        for host_id, status, reason, since in session.execute(silent)
    }
    asked = [name for name in look.tracked if name not in bad]
    there = select(Host.host_id).where(Host.host_id.in_(asked), Host.revoked_at.is_(None))
    known = set(session.scalars(there)) if asked else set()
    return Findings(bad=bad, gone=frozenset(asked) - known)


SPEC = KindSpec(
    kind=AlertKind.HOST_STALE,
    title="Host silent",
    summary="A host's agent has stopped reporting, or never has",
    object_kind=AlertObjectKind.HOST,
    severity=AlertSeverity.CRITICAL,
    fire_after_s=15.0,
    resolve_after_s=15.0,
    observe=observe,
)
