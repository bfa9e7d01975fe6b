"""Enrol hosts, hear them, watch their silence, and keep what each was last ordered to run."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sextant_domain.console.live import HostEvent
from sextant_domain.console.views import HostView, Page
from sextant_domain.hosts.desired import DesiredHostConfig, HostContent
from sextant_domain.hosts.host import HostInventory, HostStatus
from sqlalchemy.orm import Session

from sextant_backend.agents.reach import Reach
from sextant_backend.domain_events import BatchesStored
from sextant_backend.kit import outbox
from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import NotFound, SextantError
from sextant_backend.kit.paging import Paging
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.hosts import repository, watcher
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.hosts.repository import CertificateStanding
from sextant_backend.modules.hosts.topology import is_another, topology
from sextant_backend.modules.hosts.views import overlaid, view
from sextant_backend.modules.hosts.watcher import Limits, WatchRounds
from sextant_backend.modules.nfs import service as nfs
from sextant_backend.modules.telemetry import repository as telemetry
from sextant_backend.settings import get_settings


class HostInUse(SextantError):
    """Chains run on it, or others are at work there."""

    kind, status, title = "host-in-use", 409, "Chains run on the host"


def page(
    session: Session,
    asked: Paging,
    *,
    status: HostStatus | None,
    cordoned: bool | None,
    label: str | None,
    search: str | None,
) -> Page[HostView]:
    """A page of hosts. `label`: `zone=a`."""
    name, _, value = (label or "").partition("=")
    pair = None if label is None else (name, value)
    found = repository.page(session, asked, status=status, cordoned=cordoned, label=pair, search=search)
    return found.page(view(row) for row in found.rows)


def every(session: Session) -> tuple[HostView, ...]:
    """All hosts: for the snapshot of the event stream."""
    return tuple(view(row) for row in repository.rows(session))


def one(session: Session, host_id: str) -> HostView:
    """One host; raises NotFound."""
    rows = repository.rows(session, host_ids=[host_id])
    if not rows:
        raise NotFound(f"No host {host_id} is enrolled; `sextant hosts` lists those that are.")
    return view(rows[0])


def publish(session: Session, *host_ids: str) -> None:
    """Publish hosts and all their NFs to open consoles, after this transaction's commit; in as many queries for a
    thousand as for one."""
    if not host_ids:
        return
    session.flush()
    placed = nfs.by_host(session, host_ids)
    for row in repository.rows(session, host_ids=host_ids):
        host = view(row)
        outbox.publish(session, HostEvent(host=host, nfs=placed[host.host_id]))


@dataclass(frozen=True)
class HostAdmission:
    """Who lets hosts in, and how they will speak."""

    actor: str
    gateway: str | None = None
    """The process that speaks for them beside others."""
    agent_url: str | None = None


def enrol(session: Session, host_id: str, labels: dict[str, str], actor: str = "system") -> bool:
    """Make the row the fleet listener asks for; labels are replaced where it exists. True if it is new."""
    host = repository.get(session, host_id, lock=True)
    if host is not None:
        if _relabel(session, host, labels, actor):
            publish(session, host_id)
        return False
    repository.add(session, _new(host_id, labels))
    audit.record(session, actor, "host.enrol", f"host/{host_id}", after={"labels": labels})
    publish(session, host_id)
    return True


def admit(
    session: Session, host_ids: Collection[str], labels: dict[str, str], admission: HostAdmission
) -> dict[str, datetime | None]:
    """A token names these hosts: make their rows, or let them in anew, which ends the trust in all that any host of
    their names was given before.

    Returns when the certificates of each may begin, None: at any time. Labels are replaced where some are given. In
    statements that do not grow with the hosts.
    """
    former, now = locked(session, host_ids), db_now(session)
    again = repository.removed_among(session, host_ids) | former.keys()
    new = [_new(host_id, labels) for host_id in sorted(set(host_ids) - former.keys())]
    session.add_all(new)
    for host in former.values():
        if labels:
            _relabel(session, host, labels, admission.actor)
    for host in (*former.values(), *new):
        if host.host_id in again:
            host.trusted_after = now
        if host.revoked_at is not None:
            host.revoked_at = None
            host.status_reason = "enrolled anew; its agent has not reported yet"
            host.status_since = now
        host.gateway = admission.gateway
        host.agent_url = admission.agent_url or host.agent_url
        host.version = (host.version or 0) + 1
    for host in new:
        audit.record(session, admission.actor, "host.enrol", f"host/{host.host_id}", after={"labels": labels})
    publish(session, *sorted(host_ids))
    begins = {host.host_id: host.trusted_after for host in (*former.values(), *new)}
    return {host_id: begin and begin + timedelta(seconds=1) for host_id, begin in sorted(begins.items())}


def certified(session: Session, host_ids: Collection[str], until: datetime) -> None:
    """The agents of these hosts were given certificates that end then."""
    repository.certified(session, host_ids, until)


def _new(host_id: str, labels: dict[str, str]) -> Host:
    return Host(host_id=host_id, labels=labels, **_order(DesiredHostConfig.of(0, HostContent(host_id=host_id))))


def _relabel(session: Session, host: Host, labels: dict[str, str], actor: str) -> bool:
    if host.labels == labels:
        return False
    before = {"labels": host.labels}
    host.labels, host.version = labels, host.version + 1
    audit.record(session, actor, "host.label", f"host/{host.host_id}", before=before, after={"labels": labels})
    return True


def revoke(session: Session, host_id: str, reason: str, actor: str) -> None:
    """Refuse every certificate the host has, from the next request on; one that is revoked stays as it is."""
    host = _locked(session, host_id)
    if host.revoked_at is not None:
        return
    host.revoked_at = host.trusted_after = db_now(session)
    _set_status(host, HostStatus.UNREACHABLE, f"its certificates were revoked by {actor}: {reason}", db_now(session))
    host.version += 1
    audit.record(session, actor, "host.revoke", f"host/{host_id}", {"reason": reason})
    publish(session, host_id)


def found_for_change(session: Session, host_id: str) -> Host:
    """The host's row, locked; raises NotFound."""
    return _locked(session, host_id)


def standing(session: Session, host_id: str) -> CertificateStanding | None:
    """Whether certificates of a host are accepted; None where it is not enrolled."""
    return repository.standing(session, host_id)


def of_gateway(session: Session, gateway: str, host_ids: Collection[str] | None = None) -> Sequence[str]:
    """The hosts a gateway may speak for (of those given), by id."""
    return repository.of_gateway(session, gateway, host_ids)


def reach(session: Session, host_id: str) -> Reach:
    """Where the host's agent listens, and which certificates it may show; raises NotFound."""
    host = repository.get(session, host_id)
    if host is None:
        raise NotFound(f"No host {host_id} is enrolled; `sextant hosts` lists those that are.")
    return Reach(host.agent_url, host.trusted_after, host.status_reason if host.revoked_at else None)


def _order(desired: DesiredHostConfig) -> dict[str, object]:
    return {
        "desired": desired.model_dump(mode="json"),
        "desired_generation": desired.generation,
        "desired_digest": desired.digest,
    }


def register(session: Session, inventory: HostInventory, agent_url: str) -> None:
    """Note what an agent found on its machine and where it listens; brings the host back to up."""
    register_all(session, {inventory.host_id: (inventory, agent_url)})


def register_all(session: Session, found: Mapping[str, tuple[HostInventory, str]]) -> None:
    """The same of many hosts, by id, in statements that do not grow with them; raises NotFound."""
    telemetry.heard(session, found)  # before the hosts' rows are locked: see `telemetry.lock`
    held, now = locked(session, found), db_now(session)
    if len(held) < len(found):
        raise NotFound(f"No host {min(found.keys() - held.keys())} is enrolled.")
    inventories = {host_id: overlaid(host, found[host_id][0]).model_dump(mode="json") for host_id, host in held.items()}
    changed = [
        host_id
        for host_id, host in held.items()
        if host.inventory != inventories[host_id] or host.agent_url != found[host_id][1]
    ]
    _note_topologies(session, [(held[host_id], *found[host_id]) for host_id in changed])
    for host_id, host in held.items():
        host.inventory, host.agent_url = inventories[host_id], found[host_id][1]
        host.registered_at = host.registered_at or now
    back = {host_id for host_id, host in held.items() if _back_up(host, now)}
    news = sorted(back.union(changed))
    for host_id in news:
        held[host_id].version += 1
    publish(session, *news)


def _note_topologies(session: Session, registered: Sequence[tuple[Host, HostInventory, str]]) -> None:
    """What nobody did has no entry: not that a node's memory varies, nor that a link came up. It is compared with what
    the log says of the host, so that many small differences do not pass for none. Cores that operators reserve are
    recorded when they do so."""
    before = [host.host_id for host, _, _ in registered if host.inventory is not None]
    known = audit.last_known(session, "host.register", [f"host/{host_id}" for host_id in before])
    for host, inventory, agent_url in registered:
        now, subject, former = topology(_by_agent(inventory), agent_url), f"host/{host.host_id}", None
        if host.inventory is not None:
            last = _by_agent(HostInventory.model_validate(host.inventory))
            former = known.get(subject) or topology(last, host.agent_url or "")
        if is_another(former, now):
            audit.record(session, subject, "host.register", subject, {"agent": agent_url}, before=former, after=now)


def _by_agent(inventory: HostInventory) -> HostInventory:
    return inventory.reserving(()).with_slots(None)


def heard(session: Session, stored: BatchesStored) -> None:
    """Batches of these hosts were stored: they are up."""
    changed = stored.changed
    statuses = repository.statuses(session, changed)
    away = [host_id for host_id in changed if statuses.get(host_id) != HostStatus.UP]
    held = locked(session, away) if away else {}
    now = db_now(session) if away else None
    if len(held) < len(away):
        raise NotFound(f"No host {min(set(away) - held.keys())} is enrolled.")
    back = {host_id for host_id, host in held.items() if now is not None and _back_up(host, now)}
    for host_id in back:
        held[host_id].version += 1
    publish(session, *sorted(host_id for host_id in changed if changed[host_id] or host_id in back))


def _back_up(host: Host, at: datetime) -> bool:
    if host.status == HostStatus.UP or host.revoked_at is not None:  # revoked while its request was under way
        return False
    _set_status(host, HostStatus.UP, "it reports", at)
    return True


def _set_status(host: Host, status: HostStatus, reason: str, at: datetime) -> None:
    """`at`: by the database's clock, as a value and no expression, so that many hosts are written at once."""
    host.status, host.status_reason, host.status_since = status.value, reason, at


def locked(session: Session, host_ids: Collection[str]) -> dict[str, Host]:
    """Those that are enrolled, their rows locked."""
    return {host.host_id: host for host in repository.named(session, list(host_ids), lock=True)}


def _locked(session: Session, host_id: str) -> Host:
    host = repository.get(session, host_id, lock=True)
    if host is None:
        raise NotFound(f"No host {host_id} is enrolled.")
    return host


def mark_unreachable(session: Session, host_id: str, reason: str) -> None:
    """An order could not be delivered. Telemetry or registration brings the host back."""
    host = _locked(session, host_id)
    if host.status != HostStatus.UNREACHABLE:
        _set_status(host, HostStatus.UNREACHABLE, reason, db_now(session))
        host.version += 1
        publish(session, host_id)


def mark_stale(session: Session, host_ids: Collection[str], reason: str, *, unless_heard_after: datetime) -> None:
    """Their agent has gone; nothing happens to hosts that are not up, or have reported since (both by one clock)."""
    held = locked(session, host_ids)
    heard_at = {one.host_id: one.heard_at for one in repository.heard(session, host_ids)}
    gone = [
        host
        for host_id, host in held.items()
        if host.status == HostStatus.UP and not ((at := heard_at.get(host_id)) and at > unless_heard_after)
    ]
    _worsen(session, [(host, HostStatus.STALE, reason) for host in gone])


def watch(session: Session, rounds: WatchRounds | None = None) -> int:
    """Mark hosts that have fallen silent; returns how many changed. For the watch, which keeps `rounds`."""
    settings = get_settings()
    limits = Limits(settings.stale_after_s, settings.unreachable_after_s)
    now = db_now(session)
    rounds = rounds or WatchRounds()
    rounds.at(now)
    due = watcher.decide(repository.heard(session), now, limits, rounds)
    if not due:
        return 0
    held = locked(session, [change.host_id for change in due])
    # But for those that reported meanwhile.
    again = watcher.decide(repository.heard(session, held), now, limits, rounds)
    _worsen(session, [(held[change.host_id], change.status, change.reason) for change in again])
    return len(due)


def _worsen(session: Session, changes: Sequence[tuple[Host, HostStatus, str]]) -> None:
    """Statements do not grow with the hosts: while they last, no report of any of these hosts gets on."""
    if not changes:
        return
    now = db_now(session)
    for host, status, reason in changes:
        _set_status(host, status, reason, now)
        host.version += 1
    publish(session, *(host.host_id for host, _status, _reason in changes))


def inventories(session: Session, host_ids: Sequence[str] | None = None) -> list[HostInventory]:
    """Of every host that has reported (of those given), by its id."""
    found = repository.named(session, host_ids)
    return [HostInventory.model_validate(host.inventory) for host in found if host.inventory]


def inventories_by_kind(session: Session) -> list[HostInventory]:
    """Of hosts that have reported, one of each host model, nodes and cores: of hosts that are equal in these the first.
    By id. A fleet has few kinds of hosts, and a thousand inventories take a second to be judged."""
    return [HostInventory.model_validate(inventory) for inventory in repository.inventories_by_kind(session)]


def desired_of(host: Host) -> DesiredHostConfig:
    """What a host was last ordered to run."""
    return DesiredHostConfig.model_validate(host.desired)


def ordered(session: Session, host_id: str) -> DesiredHostConfig:
    """What the host was last ordered to run; raises NotFound."""
    host = repository.get(session, host_id)
    if host is None:
        raise NotFound(f"No host {host_id} is enrolled; `sextant hosts` lists those that are.")
    return desired_of(host)


def set_desired(session: Session, desired: DesiredHostConfig) -> None:
    """Write the next order of a host, in the transaction of the operation's step; the row is held until it ends."""
    host = _locked(session, desired.content.host_id)
    for name, value in _order(desired).items():
        setattr(host, name, value)
    host.version += 1
    publish(session, host.host_id)
