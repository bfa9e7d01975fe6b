"""Reads the fleet, whole or some hosts of it, as the engine wants it, or as it was stored.

Stored ones are packed: a thousand hosts are 15 MB of JSON, and a twentieth of that compressed.
"""

import zlib
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.desired import DesiredHostConfig, OrderedLine
from sextant_domain.hosts.host import HostInventory, HostStatus
from sextant_domain.hosts.measured_shares import HopDelay, SharesState
from sextant_domain.hosts.sharing import Sharing, sharing_of
from sextant_domain.plans.compact import HopDelays
from sextant_domain.plans.plan import ChangeKind, PlanBody
from sextant_domain.plans.snapshot import CoreWork, FleetSnapshot, HostSnapshot, ModelHops, ModelLine
from sextant_domain.profiling.host_cost import FittedCost
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from sextant_backend.modules.chains.models import ChainRow
from sextant_backend.modules.host_costs import repository as host_costs
from sextant_backend.modules.host_costs.models import NEWEST
from sextant_backend.modules.host_costs.views import fitted_cost
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.models import in_use
from sextant_backend.modules.nfs import types
from sextant_backend.modules.outcomes import trust
from sextant_backend.modules.shares.models import SharesRow
from sextant_backend.modules.snapshots.models import ComparisonRow, KeptSnapshotRow
from sextant_backend.modules.telemetry.models import LatestHost

KEPT_KINDS = ("place", "replace", "migrate")
MOST_KEPT_HOSTS = 64
"""What a plan that changes more was made from is not kept: algorithms would come to no end in a race on it."""
KNOWN_FOR_S = 10.0
"""Other work on a core says something once so much of it is known, and while its host reports."""
MUCH_PERCENT = 20.0
"""Below it is the system's own, which every core has now and then."""
_FASTEST = 1
"""Higher levels gain little on JSON that repeats itself so much."""


class MeasuredOnModels(NamedTuple):
    """What shares that are promoted on host models say."""

    hops: tuple[ModelHops, ...]
    """What handing packets on costs, where they have it."""
    lines: tuple[ModelLine, ...]
    """By host model and NF type."""


class StoredFleet(NamedTuple):
    """Hosts and chains at a moment, and what is known of these hosts beside models."""

    at: datetime
    hosts: tuple[HostSnapshot, ...]
    chains: tuple[ChainSpec, ...]
    measured: MeasuredOnModels
    """What promoted shares say."""
    costs: tuple[FittedCost, ...]


def take(session: Session) -> FleetSnapshot:
    """The fleet at this moment."""
    return assembled(session, _stored(session))


def narrow(
    session: Session, names: Sequence[str], more: Sequence[str] = (), without: Collection[str] = ()
) -> FleetSnapshot:
    """Some hosts with the chains that run there and `more`: enough for figures and plans of these hosts alone.

    Chains `without`, which are to be removed, are not in it any more.
    """
    return assembled(session, _stored(session, names, more, without))


def assembled(session: Session, fleet: StoredFleet, sharing: Sharing | None = None) -> FleetSnapshot:
    """The fleet with the NF types, and with what is known of the models of these hosts; `sharing`: of these hosts,
    where it is known."""
    at, hosts, chains, measured, costs = fleet
    nf_types = types.every(session)
    inventories = [host.inventory for host in hosts]
    found = in_use.predictors(session, in_use.cores_of(inventories), nf_types)
    sharing = sharing_of(inventories) if sharing is None else sharing
    tested = trust.tested(session, trust.keys(found, sharing))
    return FleetSnapshot.model_construct(  # its values were checked when they were made, thousands of chains too
        taken_at=at,
        hosts=hosts,
        chains=chains,
        nf_types=nf_types,
        models=found.models,
        curves=found.curves,
        processes=found.processes,
        trust=tuple(tested.values()),
        spreads=trust.spreads(session, sharing),
        hops=measured.hops,
        share_lines=measured.lines,
        costs=costs,
    )


def _stored(
    session: Session, names: Sequence[str] | None = None, more: Sequence[str] = (), without: Collection[str] = ()
) -> StoredFleet:
    at = now(session)
    found = hosts(session, at, names)
    running = {chain.chain for host in found for chain in host.content.chains}
    chains = specs(session, None if names is None else {*running, *more} - set(without))
    measured = measured_shares(session, {host.inventory.host_model for host in found})
    return StoredFleet(at, found, chains, measured, fitted_costs(session, found))


def now(session: Session) -> datetime:
    """When this transaction began, by the database's clock."""
    began: datetime = session.execute(select(func.now())).scalar_one()
    return began


def hosts(session: Session, at: datetime, names: Sequence[str] | None = None) -> tuple[HostSnapshot, ...]:
    """Every host that has reported (of those named, if names are given), by id."""
    query = select(Host, LatestHost).outerjoin(LatestHost, LatestHost.host_id == Host.host_id).order_by(Host.host_id)
    query = query.where(Host.inventory.is_not(None))
    if names is not None:
        query = query.where(Host.host_id.in_(names))
    found = session.execute(query.execution_options(populate_existing=True))
    return tuple(
        _host(host) if latest is None else with_other_work(_host(host), latest.heard_at, latest.other_work, at)
        for host, latest in found
    )


def hosts_as_stored(session: Session, names: Sequence[str]) -> dict[str, HostSnapshot]:
    """Those of the names that have reported, without other work."""
    query = select(Host).where(Host.host_id.in_(names), Host.inventory.is_not(None))
    found = session.scalars(query.execution_options(populate_existing=True))
    return {host.host_id: _host(host) for host in found}


def _host(host: Host) -> HostSnapshot:
    return HostSnapshot(
        inventory=HostInventory.model_validate(host.inventory),
        status=HostStatus(host.status),
        generation=host.desired_generation,
        digest=host.desired_digest,
        content=DesiredHostConfig.model_validate(host.desired).content,
        cordoned=host.cordon_reason,
    )


def with_other_work(
    host: HostSnapshot, heard_at: datetime | None, means: Iterable[Sequence[float]], at: datetime
) -> HostSnapshot:
    """The host with the other work on those of its cores that NFs may have; with none where the host is silent, as
    that work may have ended."""
    heard = heard_at is not None and at - heard_at <= timedelta(seconds=KNOWN_FOR_S)
    if not heard or host.status is not HostStatus.UP:
        return host
    works = lasting(means)
    if not works:
        return host
    offered = {core.id for core in host.inventory.cores if core.slots > 0 and core.reserved_for is None}
    return host.model_copy(update={"other_work": tuple(work for work in works if work.core in offered)})


def lasting(means: Iterable[Sequence[float]]) -> tuple[CoreWork, ...]:
    """Cores that plans pass over because other work lasts there, by rising core: the one rule.

    `means`: core, mean percent, seconds that it is of (`telemetry.other_work`).
    """
    return tuple(
        CoreWork(core=int(core), percent=round(min(100.0, mean), 1))
        for core, mean, of_s in means
        if of_s >= KNOWN_FOR_S and mean >= MUCH_PERCENT
    )


def specs(session: Session, names: Iterable[str] | None = None) -> tuple[ChainSpec, ...]:
    """What every living chain asks for (of those named, if names are given), by name."""
    query = select(ChainRow.spec).where(ChainRow.deleted_at.is_(None)).order_by(ChainRow.name)
    if names is not None:
        query = query.where(ChainRow.name.in_(list(names)))
    return tuple(ChainSpec.model_validate(spec) for spec in session.scalars(query))


def measured_shares(session: Session, host_models: Collection[str]) -> MeasuredOnModels:
    """What promoted shares say; nothing without a host model. One query."""
    if not host_models:
        return MeasuredOnModels((), ())
    row = SharesRow
    fields = (row.host_model, row.nf_type, row.nf_version, row.id, row.measured["line"], row.measured["hops"])
    query = select(*fields).order_by(row.host_model, row.nf_type)
    query = query.where(row.host_model.in_(host_models), row.state == SharesState.PROMOTED.value)
    hops: dict[str, list[HopDelay]] = {}
    lines: list[ModelLine] = []
    for host_model, nf_type, nf_version, shares_id, line, delays in session.execute(query):
        hops.setdefault(host_model, []).extend(map(HopDelay.model_validate, delays or ()))
        if line is None:  # promoted for its hops
            continue
        fit = {name: line[name] for name in ("slope", "intercept")}
        of_type = OrderedLine(nf_type=nf_type, nf_version=nf_version, shares_id=shares_id, **fit)
        lines.append(ModelLine(host_model=host_model, line=of_type))
    means = ((name, HopDelays.mean_of(found)) for name, found in sorted(hops.items()))
    known = tuple(ModelHops(host_model=name, delays=mean) for name, mean in means if mean is not None)
    return MeasuredOnModels(known, tuple(lines))


def fitted_costs(
    session: Session, hosts: Iterable[HostSnapshot], former: Iterable[FittedCost] = ()
) -> tuple[FittedCost, ...]:
    """The newest of those of these hosts that have any, by host. `former`: read before; the same objects where they
    are the newest still."""
    known = {(one.host, one.version, one.drifted_at): one for one in former}
    marks = [(*mark,) for mark in session.execute(NEWEST)]
    names = {host.inventory.host_id for host in hosts} if marks else set[str]()
    wanted = [mark for mark in marks if mark[0] in names]
    unknown = [mark[0] for mark in wanted if mark not in known]
    read = host_costs.newest_of_each(session, unknown) if unknown else ()
    new = {row.host_id: fitted_cost(row) for row in read}
    return tuple(new.get(mark[0]) or known[mark] for mark in wanted)


def compared(session: Session, comparison_id: int) -> FleetSnapshot | None:
    """That of a comparison; None where it is not kept any more."""
    packed = session.scalar(select(ComparisonRow.snapshot).where(ComparisonRow.id == comparison_id))
    return None if packed is None else unpack(packed)


def keep(session: Session, plan_id: int, kind: str, snapshot: FleetSnapshot, body: PlanBody) -> None:
    """Store what a plan was made from until it is applied: from then on a race may begin. Only of the hosts that it
    changes, as nothing else can be measured against it: some kilobytes a host. Not where it places and moves nothing,
    or changes too many hosts."""
    acts = any(change.kind in (ChangeKind.START, ChangeKind.MOVE) for change in body.changes)
    if kind in KEPT_KINDS and acts and len(body.base) <= MOST_KEPT_HOSTS:
        session.add(KeptSnapshotRow(plan_id=plan_id, snapshot=pack(narrowed(snapshot, body))))


def narrowed(snapshot: FleetSnapshot, body: PlanBody) -> FleetSnapshot:
    """Of the hosts that a plan changes, with the chains that run there and those that it starts."""
    names = {base.host for base in body.base}
    hosts = tuple(host for host in snapshot.hosts if host.inventory.host_id in names)
    chains = {chain.chain for host in hosts for chain in host.content.chains}
    chains |= {change.chain for change in body.changes if change.kind is ChangeKind.START}
    specs = tuple(spec for spec in snapshot.chains if spec.name in chains)
    there = {host.inventory.host_model for host in hosts}
    types = {nf.nf_type for host in hosts for chain in host.content.chains for nf in chain.nfs}
    types |= {nf.type for spec in specs for nf in spec.nfs}
    return snapshot.model_copy(
        update={
            "hosts": hosts,
            "chains": specs,
            "nf_types": tuple(one for one in snapshot.nf_types if one.name in types),
            "models": tuple(one for one in snapshot.models if one.host_model in there and one.nf_type in types),
            "curves": tuple(one for one in snapshot.curves if one.host_model in there and one.nf_type in types),
            "processes": tuple(
                one for one in snapshot.processes if one.fit.host_model in there and one.fit.nf_type in types
            ),
            "hops": tuple(one for one in snapshot.hops if one.host_model in there),
            "share_lines": tuple(
                one for one in snapshot.share_lines if one.host_model in there and one.line.nf_type in types
            ),
            "costs": tuple(one for one in snapshot.costs if one.host in names),
            "networks": snapshot.networks if _by_a_network(body) else (),
            "trust": tuple(one for one in snapshot.trust if one.host_model in there and one.nf_type in types),
        }
    )


def _by_a_network(body: PlanBody) -> bool:
    return any(one.assigned is not None and one.assigned.network is not None for one in body.evidence.hosts)


def pack(snapshot: FleetSnapshot) -> bytes:
    """JSON, compressed."""
    return zlib.compress(snapshot.model_dump_json().encode(), _FASTEST)


def unpack(packed: bytes) -> FleetSnapshot:
    """What `pack` made."""
    return FleetSnapshot.model_validate_json(zlib.decompress(packed))
