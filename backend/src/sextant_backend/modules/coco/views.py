"""A host as CoCo's law sees it, from what is stored of it."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise

from sextant_domain.base import Provenance
from sextant_domain.hosts.desired import DesiredNf
from sextant_domain.hosts.host import Core
from sextant_domain.hosts.telemetry import SharedCore
from sextant_domain.laws.coco import CocoParameters
from sextant_domain.laws.coco_view import (
    CocoCore,
    CocoElement,
    CocoHop,
    CocoHost,
    CocoHostRow,
    CocoLanes,
    CocoPush,
    CocoStart,
)
from sextant_domain.laws.recommendation import PolicyMode
from sextant_engine.control.frame import rests_s

from sextant_backend.laws.coco import models
from sextant_backend.laws.coco.evaluation import Seen
from sextant_backend.laws.coco.members import HostMembers
from sextant_backend.laws.coco.memory import Kept, Pending
from sextant_backend.modules.control.law_on_host import LawNow

Known = LawNow[Kept, CocoParameters]


def row(one: models.CocoHostRow, recommendation_id: int | None) -> CocoHostRow:
    """In the list."""
    return CocoHostRow(
        host=one.host_id,
        mode=PolicyMode(one.mode),
        chains=one.chains,
        overloaded=one.overloaded,
        fullest_percent=one.fullest_percent,
        short_mpps=one.short_mpps,
        reason=one.reason,
        evaluated_at=one.evaluated_at,
        provenance=None if one.provenance is None else Provenance(one.provenance),
        recommendation_id=recommendation_id,
    )


def host(members: HostMembers, known: Known, shared: tuple[SharedCore, ...]) -> CocoHost:
    """By itself."""
    read = members.host
    return CocoHost(
        host=read.inventory.host_id,
        mode=known.mode,
        stopped=known.stopped,
        provenance=None if known.rates is None else known.rates.provenance,
        evaluated_at=None if known.row is None else known.row.evaluated_at,
        reason=_reason(members, known),
        full=known.parameters.full_percent / 100,
        cores=tuple(_core(members, known, core) for core in read.inventory.cores if core.id in members.shared.cores),
        hops=tuple(_hops(members, known)),
        push=_push(known, read.inventory.host_id),
        shared_cores=shared,
        rests_until=_rests_until(known),
        recommendation_id=known.recommendation_id,
    )


def _seen(known: Known) -> Seen:
    """Nothing where it was not measured lately."""
    return Seen() if known.row is None or known.rates is None else Seen.model_validate(known.row.seen)


def _rests_until(known: Known) -> datetime | None:
    rests = rests_s(known.kept.pushed_s, known.parameters.rest_s, known.now.timestamp())
    return known.now + timedelta(seconds=rests) if rests > 0 else None


def _reason(members: HostMembers, known: Known) -> str:
    if not members.host.shares_cores:
        return "every NF has a core of its own here: there is nobody to push aside"
    return "it has not been evaluated yet" if known.row is None else known.row.reason


def _core(members: HostMembers, known: Known, core: Core) -> CocoCore:
    here = [(chain.chain, nf) for chain in members.host.content.chains for nf in chain.nfs if nf.core == core.id]
    return CocoCore(
        core=core.id,
        node=core.node,
        slots=core.slots,
        others=_seen(known).others.get(core.id),
        needs=_seen(known).loads.get(core.id),
        elements=tuple(_element(members, known, chain, nf) for chain, nf in sorted(here, key=lambda one: one[1].slot)),
    )


def _element(members: HostMembers, known: Known, chain: str, nf: DesiredNf) -> CocoElement:
    push = _push(known, members.host.inventory.host_id)
    return CocoElement(
        nf_id=nf.nf_id,
        chain=chain,
        nf_type=nf.nf_type,
        use=_seen(known).use.get(nf.nf_id),
        needs=_seen(known).needs.get(nf.nf_id),
        shares_id=_seen(known).shares.get(nf.nf_id),
        stays=nf.nf_id in members.shared.stays,
        goes_to=None if push is None else push.moves.get(nf.nf_id),
        tie=members.shared.ties.get(nf.nf_id),
    )


def _hops(members: HostMembers, known: Known) -> Iterator[CocoHop]:
    """In the order in which packets pass."""
    node_of = {core.id: core.node for core in members.host.inventory.cores}
    for name, chain in members.chains.items():
        rate = None if known.rates is None else known.rates.mpps.get(name)
        for before, after in pairwise(chain.nfs):
            if before.core != after.core:
                yield CocoHop(
                    chain=name,
                    from_core=before.core,
                    to_core=after.core,
                    mpps=None if rate is None else rate[1],
                    other_node=node_of.get(before.core) != node_of.get(after.core),
                )


def _push(known: Known, host: str) -> CocoPush | None:
    pending = known.kept.pending
    if pending is None or pending.recommendation_id != known.recommendation_id:
        return None
    return CocoPush(
        core=pending.core,
        element=pending.element,
        moves=pending.moves,
        lacks=pending.lacks,
        freed=pending.freed,
        lanes=_lanes(pending, host),
    )


def _lanes(pending: Pending, host: str) -> CocoLanes | None:
    """`host`: that of the chain."""
    if pending.chain is None:
        return None
    starts = tuple(
        CocoStart(
            nf_id=nf_id,
            chain=lane,
            host=pending.start_hosts.get(lane, host),
            core=core,
            needs=pending.start_needs.get(nf_id, 0.0),
        )
        for nf_id, lane, core in sorted((one, one.split(".", 1)[0], at) for one, at in pending.starts.items())
    )
    return CocoLanes(
        chain=pending.chain, lanes=pending.lanes, starts=starts, leaves=pending.leaves, loads=pending.loads
    )
