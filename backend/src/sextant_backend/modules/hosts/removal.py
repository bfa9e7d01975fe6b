"""Hosts that leave the fleet."""

from collections.abc import Collection, Sequence

from sextant_domain.console.live import HostGoneEvent
from sextant_domain.naming import few
from sextant_domain.problem import NextAction
from sqlalchemy.orm import Session

from sextant_backend.domain_events import HostsLeave, announce
from sextant_backend.kit import outbox
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.hosts import repository, service
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.nfs import service as nfs
from sextant_backend.modules.telemetry import repository as telemetry


def found_for_removal(session: Session, host_id: str) -> Host:
    """The host's row, locked with its figures, which go with it; raises NotFound."""
    telemetry.lock(session, [host_id])
    return service.found_for_change(session, host_id)


def remove(session: Session, host: Host, actor: str) -> None:
    """Forget a (locked) host; its certificates are refused from the next request on. Raises HostInUse."""
    _remove(session, [host], actor)


def remove_all(session: Session, host_ids: Collection[str], actor: str) -> list[str]:
    """The same of several, all or none, in statements that do not grow with the hosts: those that there were, by id."""
    telemetry.lock(session, host_ids)
    found = list(service.locked(session, host_ids).values())
    _remove(session, found, actor)
    return sorted(host.host_id for host in found)


def _remove(session: Session, found: Sequence[Host], actor: str) -> None:
    if not found:
        return
    names = sorted(host.host_id for host in found)
    placed = nfs.by_host(session, names)
    if in_use := [name for name in names if placed[name]]:
        chains = sorted({nf.chain for nf in placed[in_use[0]]})
        raise service.HostInUse(
            f"{in_use[0]} runs NFs of {few(chains)}. Nothing was removed.",
            next_actions=[
                NextAction(
                    label="Move its chains to other hosts first",
                    command=f"sextant hosts drain {in_use[0]} --reason 'it leaves the fleet'",
                )
            ],
        )
    announce(session, HostsLeave(tuple(names)))
    for host in found:
        before = {"labels": host.labels, "agent": host.agent_url}
        audit.record(session, actor, "host.remove", f"host/{host.host_id}", before=before)
    repository.remove(session, names)
    for host in found:
        outbox.publish(session, HostGoneEvent(host=host.host_id))
