"""Take a host out of service for new NFs, and back into it: what runs there is left alone."""

from collections.abc import Sequence

from sextant_domain.hosts.host import Cordon
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.hosts import repository, service
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.hosts.views import cordon_of


def cordon(session: Session, host_id: str, reason: str, actor: str) -> None:
    """No NF starts or moves there from now on. On a cordoned host, replaces the reason."""
    host = service.found_for_change(session, host_id)
    before = cordon_of(host)
    if before is not None and before.reason == reason:
        return
    since = before.since if before else db_now(session)
    host.cordoned_at, host.cordoned_by, host.cordon_reason = since, actor, reason
    _changed(session, host, "host.cordon", before, actor)


def uncordon(session: Session, host_id: str, actor: str) -> None:
    """Plans may put NFs there again; a host in service stays as it is."""
    host = service.found_for_change(session, host_id)
    before = cordon_of(host)
    if before is None:
        return
    host.cordoned_at = host.cordoned_by = host.cordon_reason = None
    _changed(session, host, "host.uncordon", before, actor)


def reasons(session: Session, host_ids: Sequence[str]) -> dict[str, str]:
    """Why each of these hosts that is cordoned is so; the hosts' rows are locked by whoever acts on it."""
    found = repository.named(session, host_ids)
    return {host.host_id: host.cordon_reason for host in found if host.cordon_reason is not None}


def _changed(session: Session, host: Host, action: str, before: Cordon | None, actor: str) -> None:
    host.version += 1
    now = cordon_of(host)
    reason = None if now is None else {"reason": now.reason}
    audit.record(session, actor, action, f"host/{host.host_id}", reason, before=_kept(before), after=_kept(now))
    service.publish(session, host.host_id)


def _kept(cordon: Cordon | None) -> dict[str, object]:
    return {"cordon": None if cordon is None else cordon.model_dump(mode="json")}
