"""Queries of hosts, each with what it said last."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sextant_domain.hosts.host import HostInventory, HostStatus
from sextant_domain.hosts.path import PathPlace
from sextant_engine.seats import CoreLayout
from sextant_engine.seats import shared_cores as count_shared
from sqlalchemy import bindparam, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, contains, equal
from sextant_backend.modules.hosts.models import Host, RemovedHost
from sextant_backend.modules.hosts.watcher import HostHeard
from sextant_backend.modules.telemetry.models import HostControlsRow, LatestHost
from sextant_backend.pki.authority import LEAF_VALIDITY

ORDER = Order(
    "host_id",
    "host_id",
    host_id=Host.host_id,
    status=Host.status,
    status_since=Host.status_since,
    enrolled_at=Host.enrolled_at,
)

Row = tuple[Host, LatestHost | None, HostControlsRow | None]
"""With what it said last, and what laws on it gave."""

# Every report, or every round of the watch, asks these: made once, and not for each of them.
_STANDING = select(Host.revoked_at, Host.trusted_after, Host.gateway).where(Host.host_id == bindparam("host_id"))
_OF_GATEWAY = (
    select(Host.host_id).where(Host.gateway == bindparam("gateway"), Host.revoked_at.is_(None)).order_by(Host.host_id)
)
_OF_GATEWAY_AMONG = _OF_GATEWAY.where(Host.host_id.in_(bindparam("among", expanding=True)))
_HEARD = (
    select(Host.host_id, Host.status, LatestHost.heard_at)
    .join(LatestHost, LatestHost.host_id == Host.host_id)
    .where(Host.status != HostStatus.UNREACHABLE)
    .order_by(Host.host_id)
)
_WITH_FIGURES = (
    select(Host, LatestHost, HostControlsRow)
    .outerjoin(LatestHost, LatestHost.host_id == Host.host_id)
    .outerjoin(HostControlsRow, HostControlsRow.host_id == Host.host_id)
    .execution_options(populate_existing=True)
)
_STATUSES = select(Host.host_id, Host.status).where(Host.host_id.in_(bindparam("among", expanding=True)))


def get(session: Session, host_id: str, *, lock: bool = False) -> Host | None:
    """The host; `lock` holds its row until the transaction ends."""
    return session.get(Host, host_id, with_for_update=lock or None, populate_existing=lock)


def applied_generation(session: Session, host_id: str) -> int:
    """What the host reported last that it runs; 0 where it has not."""
    return session.scalar(select(LatestHost.applied_generation).where(LatestHost.host_id == host_id)) or 0


def statuses(session: Session, host_ids: Iterable[str]) -> dict[str, str]:
    """Status of each host that is enrolled, without its inventory."""
    return dict(session.execute(_STATUSES, {"among": list(host_ids)}).all())


@dataclass(frozen=True)
class CertificateStanding:
    """Whether certificates of a host are accepted."""

    revoked_at: datetime | None
    trusted_after: datetime | None
    gateway: str | None


def standing(session: Session, host_id: str) -> CertificateStanding | None:
    """None where the host is not enrolled."""
    row = session.execute(_STANDING, {"host_id": host_id}).one_or_none()
    return None if row is None else CertificateStanding(*row)


def of_gateway(session: Session, gateway: str, host_ids: Collection[str] | None = None) -> Sequence[str]:
    """The hosts, by id, that a gateway speaks for (of those given): none that is revoked."""
    if host_ids is None:
        return session.scalars(_OF_GATEWAY, {"gateway": gateway}).all()
    return session.scalars(_OF_GATEWAY_AMONG, {"gateway": gateway, "among": list(host_ids)}).all()


def heard(session: Session, host_ids: Iterable[str] | None = None) -> list[HostHeard]:
    """When each host that is not unreachable (of those given) was heard last, by id."""
    query = _HEARD if host_ids is None else _HEARD.where(Host.host_id.in_(list(host_ids)))
    return [HostHeard(name, HostStatus(status), heard_at) for name, status, heard_at in session.execute(query)]


def named(session: Session, host_ids: Sequence[str] | None = None, *, lock: bool = False) -> Sequence[Host]:
    """Some hosts, or all of them, by id; `lock` holds their rows, taken in that order, until the transaction ends."""
    query = select(Host).order_by(Host.host_id).execution_options(populate_existing=lock)
    if host_ids is not None:
        query = query.where(Host.host_id.in_(host_ids))
    return session.scalars(query.with_for_update() if lock else query).all()


def inventories_by_kind(session: Session) -> Sequence[dict[str, Any]]:
    """Of hosts that have reported, the first of each host model, nodes and cores, by id."""
    firsts = select(func.min(Host.host_id)).where(Host.inventory.is_not(None)).group_by(Host.inventory_kind)
    query = select(Host.inventory).where(Host.host_id.in_(firsts)).order_by(Host.host_id)
    return [inventory for inventory in session.scalars(query) if inventory is not None]


def known_among(session: Session, host_ids: Collection[str]) -> set[str]:
    """Of these names, those of hosts that are enrolled."""
    return set(session.scalars(select(Host.host_id).where(Host.host_id.in_(host_ids)))) if host_ids else set()


def lacking(session: Session, host_ids: Collection[str], capability: str) -> dict[str, str]:
    """Of these hosts, those whose inventory says that they cannot do it, with the reason."""
    found: dict[str, str] = {}
    for host in named(session, sorted(host_ids)) if host_ids else ():
        if host.inventory is not None:
            why_not = HostInventory.model_validate(host.inventory).why_not(capability)
            if why_not is not None:
                found[host.host_id] = why_not
    return found


def path_places(session: Session, host_ids: Collection[str]) -> dict[str, PathPlace | None]:
    """Of these hosts, those that are enrolled: what they say of themselves to others that exchange measured packets."""
    return {
        host.host_id: None if host.inventory is None else HostInventory.model_validate(host.inventory).path_place
        for host in (named(session, sorted(host_ids)) if host_ids else ())
    }


def open_with_shared_cores(session: Session) -> Sequence[str]:
    """Hosts that are up and not cordoned, and whose cores may be shared, by id."""
    query = select(Host.host_id).where(Host.status == HostStatus.UP, Host.shares_cores, Host.cordoned_at.is_(None))
    return session.scalars(query.order_by(Host.host_id)).all()


def up_with_shared_cores(session: Session) -> Sequence[str]:
    """Hosts that are up, cordoned or not, and whose cores may be shared, by id."""
    query = select(Host.host_id).where(Host.status == HostStatus.UP, Host.shares_cores)
    return session.scalars(query.order_by(Host.host_id)).all()


def shared_cores(session: Session, host_ids: Collection[str]) -> dict[str, int]:
    """Of these hosts, those that share cores: how many NFs may stand on."""
    query = select(Host.host_id, Host.inventory).where(Host.host_id.in_(host_ids), Host.shares_cores)
    found = session.execute(query.execution_options(populate_existing=True)) if host_ids else ()
    return {name: count_shared(CoreLayout.of(HostInventory.model_validate(given))) for name, given in found}


def up_of_model(session: Session, host_model: str, limit: int) -> Sequence[Host]:
    """At most `limit` hosts of a host model that are up, by id."""
    is_of_model = Host.inventory["host_model"].as_string() == host_model
    query = select(Host).where(Host.status == HostStatus.UP, is_of_model).order_by(Host.host_id)
    return session.scalars(query.limit(limit)).all()


def rows(session: Session, *, host_ids: Sequence[str] | None = None) -> list[Row]:
    """Hosts (of those given) with their latest figures, by id, in one query."""
    query = _WITH_FIGURES.order_by(Host.host_id)
    if host_ids is not None:
        query = query.where(Host.host_id.in_(host_ids))
    return [(host, latest, controls) for host, latest, controls in session.execute(query)]


def page(
    session: Session,
    asked: Paging,
    *,
    status: HostStatus | None,
    cordoned: bool | None,
    label: tuple[str, str] | None,
    search: str | None,
) -> Found[Row]:
    """A page of them: of one status, those that are cordoned or not, with a label, with `search` in the id."""
    query = _WITH_FIGURES.where(*equal({Host.status: status}), *contains(Host.host_id, search))
    if cordoned is not None:
        query = query.where(Host.cordoned_at.is_not(None) if cordoned else Host.cordoned_at.is_(None))
    if label is not None:
        query = query.where(Host.labels.contains(dict([label])))
    return ORDER.read_rows(session, query, asked)


def certified(session: Session, host_ids: Collection[str], until: datetime) -> None:
    """Note when the newest certificates of hosts end; one statement."""
    session.execute(update(Host).where(Host.host_id.in_(host_ids)).values(certificate_ends_at=until))


def remove(session: Session, host_ids: Sequence[str]) -> None:
    """Drop hosts and their figures, and remember that they left until every certificate they had has ended."""
    session.execute(delete(RemovedHost).where(RemovedHost.removed_at < func.clock_timestamp() - LEAF_VALIDITY))
    left = insert(RemovedHost).values([{"host_id": host_id} for host_id in host_ids])
    session.execute(left.on_conflict_do_update(index_elements=["host_id"], set_={"removed_at": func.clock_timestamp()}))
    session.execute(delete(Host).where(Host.host_id.in_(host_ids)))


def removed_among(session: Session, host_ids: Collection[str]) -> set[str]:
    """Of these names, those of which a host left while its certificates may still be good."""
    return set(session.scalars(select(RemovedHost.host_id).where(RemovedHost.host_id.in_(host_ids))))


def add(session: Session, host: Host) -> None:
    """Store a new host."""
    session.add(host)
    session.flush()
