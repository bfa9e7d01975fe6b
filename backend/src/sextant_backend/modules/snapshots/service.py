"""Reads the fleet, whole or some hosts of it, as the engine wants it, or as it was stored."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.sharing import Sharing, sharing_of
from sextant_domain.plans.plan import ChangeKind, PlanBody
from sextant_domain.plans.snapshot import FleetSnapshot, HostSnapshot, ModelHops
from sqlalchemy.orm import Session

from sextant_backend.modules.models import in_use
from sextant_backend.modules.nfs import types
from sextant_backend.modules.outcomes import trust
from sextant_backend.modules.snapshots import repository

KEPT_KINDS = ("place", "replace", "migrate")
MOST_KEPT_HOSTS = 64
"""What a plan that changes more was made from is not kept: algorithms would come to no end in a race on it."""


StoredFleet = tuple[datetime, tuple[HostSnapshot, ...], tuple[ChainSpec, ...], tuple[ModelHops, ...]]
"""Hosts and chains at a moment, and what hops cost on these hosts."""


def take(session: Session) -> FleetSnapshot:
    """The fleet at this moment."""
    return assembled(session, _stored)


def narrow(
    session: Session, names: Sequence[str], more: Sequence[str] = (), without: str | None = None
) -> FleetSnapshot:
    """Some hosts with the chains that run there and `more`: enough for figures and plans of these hosts alone.

    Chain `without`, which is to be removed, is not in it any more.
    """
    return assembled(session, partial(_stored, names=names, more=more, without=without))


def assembled(
    session: Session, read: Callable[[Session], StoredFleet], sharing: Sharing | None = None
) -> FleetSnapshot:
    """What `read` finds, with the NF types, and with what is known of the models of these hosts; `sharing`: of these
    hosts, where it is known."""
    at, hosts, chains, hops = read(session)
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
        hops=hops,
    )


def _stored(
    session: Session, names: Sequence[str] | None = None, more: Sequence[str] = (), without: str | None = None
) -> StoredFleet:
    now = repository.now(session)
    hosts = repository.hosts(session, now, names)
    running = {chain.chain for host in hosts for chain in host.content.chains}
    chains = repository.specs(session, None if names is None else {*running, *more} - {without})
    return now, hosts, chains, repository.hops(session, {host.inventory.host_model for host in hosts})


def compared(session: Session, comparison_id: int) -> FleetSnapshot | None:
    """That of a comparison; None where it is not kept any more."""
    packed = repository.compared(session, comparison_id)
    return None if packed is None else repository.unpack(packed)


def keep(session: Session, plan_id: int, kind: str, snapshot: FleetSnapshot, body: PlanBody) -> None:
    """Store what a plan was made from until it is applied: from then on a race may begin. Only of the hosts that it
    changes, as nothing else can be measured against it: some kilobytes a host. Not where it places and moves nothing,
    or changes too many hosts."""
    acts = any(change.kind in (ChangeKind.START, ChangeKind.MOVE) for change in body.changes)
    if kind in KEPT_KINDS and acts and len(body.base) <= MOST_KEPT_HOSTS:
        repository.keep(session, plan_id, narrowed(snapshot, body))


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
            "trust": tuple(one for one in snapshot.trust if one.host_model in there and one.nf_type in types),
        }
    )
