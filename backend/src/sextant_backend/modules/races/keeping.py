"""Keeps what a plan was made from until it is applied: from then on a race may begin.

Only of the hosts that the plan changes, as nothing else can be measured against it: some kilobytes a host, packed.
"""

from datetime import timedelta

from sextant_domain.plans.plan import ChangeKind, PlanBody
from sextant_domain.plans.snapshot import FleetSnapshot
from sqlalchemy.orm import Session

from sextant_backend.domain_events import PlanMade
from sextant_backend.modules.races import repository
from sextant_backend.modules.snapshots.packing import pack

KINDS = ("place", "replace", "migrate")
MOST_HOSTS = 64
"""A plan that changes more has no race: algorithms would come to no end in their time."""
KEPT_FOR = timedelta(days=7)
"""A plan that is applied later has no race."""


def keep(session: Session, made: PlanMade) -> None:
    """Store it with the plan, unless races are switched off, or it will have none: it places and moves nothing, or
    changes too many hosts."""
    acts = any(change.kind in (ChangeKind.ADD, ChangeKind.MOVE) for change in made.body.changes)
    if made.kind in KINDS and acts and len(made.body.base) <= MOST_HOSTS and repository.wanted(session):
        repository.keep(session, made.plan_id, pack(narrowed(made.snapshot, made.body)))


def narrowed(snapshot: FleetSnapshot, body: PlanBody) -> FleetSnapshot:
    """Of the hosts that a plan changes, with the chains that run there and those that it starts."""
    names = {base.host for base in body.base}
    hosts = tuple(host for host in snapshot.hosts if host.inventory.host_id in names)
    chains = {chain.chain for host in hosts for chain in host.content.chains}
    chains |= {change.chain for change in body.changes if change.kind is ChangeKind.ADD}
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
            "trust": tuple(one for one in snapshot.trust if one.host_model in there and one.nf_type in types),
        }
    )


def host_models(snapshot: FleetSnapshot) -> list[str]:
    """Of its hosts, by name."""
    return sorted({host.inventory.host_model for host in snapshot.hosts})


def forget_old(session: Session) -> int:
    """Drop what no race will begin with; returns how many."""
    return repository.forget_kept(session, KEPT_FOR)
