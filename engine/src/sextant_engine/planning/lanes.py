"""Carry a chain that runs in more or fewer lanes: new ones are placed as chains that wait are, and what the lanes carry
together stays. All of it, or nothing."""

from collections.abc import Iterator, Sequence

from pydantic import ValidationError
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.lane import LANES
from sextant_domain.chains.scaling import lanes_among, scaled, why_not_scalable
from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.plans.intents import LaneIntent
from sextant_domain.plans.plan import Rejection
from sextant_domain.plans.snapshot import FleetSnapshot

from sextant_engine.host_state import HostState
from sextant_engine.planning.adjust import adjusted
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.listing import listed
from sextant_engine.planning.moves import moved_to
from sextant_engine.planning.placing import place_chains
from sextant_engine.planning.rejecting import rejection
from sextant_engine.planning.ties import core_of, standing


def in_lanes(snapshot: FleetSnapshot, intent: LaneIntent) -> FleetSnapshot:
    """The fleet with the lanes as they shall be among its chains, and no others of that chain. Where there cannot be
    such lanes the fleet stays as it is, and `scale` says why."""
    wanted = _wanted(snapshot.chains, intent)
    if isinstance(wanted, str):
        return snapshot
    names = {spec.name for spec in (*wanted, *lanes_among(snapshot.chains, intent.chain))}
    rest = tuple(spec for spec in snapshot.chains if spec.name not in names)
    return snapshot.model_copy(update={"chains": (*rest, *wanted)})


def _wanted(specs: Sequence[ChainSpec], intent: LaneIntent) -> tuple[ChainSpec, ...] | str:
    there = lanes_among(specs, intent.chain)
    why_not = why_not_scalable(there, intent.chain)
    if why_not is not None:
        return why_not
    try:
        wanted = scaled(there, intent.weights, intent.hosts)
    except ValidationError as error:
        return str(error.errors()[0]["msg"])
    taken = {spec.name for spec in specs} - {spec.name for spec in there}
    clash = sorted(taken & {spec.name for spec in wanted})
    return f"there is a chain {clash[0]} already, which is no lane of {intent.chain}" if clash else wanted


def scale(draft: PlanDraft, intent: LaneIntent) -> None:
    """Start the new lanes, give the others their part, take away those that are too many; or record why not."""
    refused = _refusal(draft, intent)
    if refused is not None:
        draft.rejected.append(refused)
        return
    before = dict(draft.hosts)
    wanted = lanes_among(draft.fleet.specs.values(), intent.chain)
    for host in list(draft.hosts.values()):
        for name in [name for name, chain in host.chains.items() if _is_beyond(chain, intent)]:
            _take_away(draft, intent, host, name)
    new = [spec for spec in wanted if not draft.hosts_of(spec.name)]
    for spec in wanted:
        _divide_anew(draft, spec)
    beside = [spec for spec in new if intent.seats and spec.name not in intent.hosts]
    place_chains(draft, [spec for spec in new if spec not in beside], may_move=False)
    if beside:
        home = draft.hosts_of(intent.chain)[0].name
        draft.closed = dict.fromkeys(draft.hosts.keys() - {home}, f"the lane is to stand on {home}")
        place_chains(draft, beside, may_move=False)
    if not draft.rejected and intent.seats:
        _seat(draft, intent)
    if draft.rejected:  # a flow would have no lane
        draft.hosts, draft.found, draft.reasons = before, None, {}


def _refusal(draft: PlanDraft, intent: LaneIntent) -> Rejection | None:
    specs = draft.fleet.specs.values()
    wanted = _wanted(tuple(specs), intent)
    if isinstance(wanted, str):
        return rejection(intent.chain, wanted, relax="number its lanes from 1, or submit the chain anew in lanes")
    there = [spec for spec in lanes_among(specs, intent.chain) if draft.hosts_of(spec.name)]
    if not any(spec.name == intent.chain for spec in there):
        return rejection(intent.chain, "the chain runs on no host", relax="submit it in lanes; it is planned so")
    for spec in there:
        for host in draft.hosts_of(spec.name):
            lacking = host.lacks([LANES])
            if len(intent.weights) > 1 and lacking is not None:
                reason = f"{spec.name} runs on {host.name}, which cannot do {lacking}"
                return rejection(intent.chain, reason, relax=f"move it to a host that has the capability {LANES}")
    strangers = sorted(intent.seats.keys() - _nfs_of_new(draft, wanted))
    if strangers:
        reason = f"{listed(strangers)} would be no NF of a new lane"
        return rejection(intent.chain, reason, relax="name NFs of lanes that start, or none")
    return next(_wrong_hosts(draft, intent, wanted), None) or next(_tied_elsewhere(draft, intent), None)


def _wrong_hosts(draft: PlanDraft, intent: LaneIntent, wanted: Sequence[ChainSpec]) -> Iterator[Rejection]:
    """Hosts that were named of lanes that are none, or run already, and hosts that there are not."""
    new = {spec.name for spec in wanted if not draft.hosts_of(spec.name)}
    for lane, host in sorted(intent.hosts.items()):
        if lane not in new:
            reason = f"hosts.{lane}: {lane} would be no new lane of {intent.chain}"
            yield rejection(intent.chain, reason, relax="name lanes that start; a lane that runs is moved by itself")
        elif host not in draft.hosts:
            yield rejection(intent.chain, f"hosts.{lane}: there is no host {host}", relax="name a host of the fleet")


def _tied_elsewhere(draft: PlanDraft, intent: LaneIntent) -> Iterator[Rejection]:
    """Cores that were named of NFs whose element stands on another already."""
    home = draft.hosts_of(intent.chain)[0].name
    for nf_id, core in sorted(intent.seats.items()):
        host = draft.hosts[intent.host_of(nf_id.split(".", 1)[0], home)]
        partners = standing(draft.fleet, host).get(draft.fleet.ties.get(nf_id, ""), {})
        if partners and core_of(partners) != core:
            other, at = min(partners), core_of(partners)
            reason = f"seats.{nf_id}: it is tied with {other}, which stands on core {at} of {host.name}, not {core}"
            yield rejection(intent.chain, reason, relax=f"name core {at}, or leave it out")


def _nfs_of_new(draft: PlanDraft, wanted: Sequence[ChainSpec]) -> set[str]:
    new = (spec for spec in wanted if not draft.hosts_of(spec.name))
    return {spec.nf_id(position) for spec in new for position in range(len(spec.nfs))}


def _is_beyond(chain: DesiredChain, intent: LaneIntent) -> bool:
    """A lane that is one too many."""
    lane = chain.traffic.lane
    return lane is not None and lane.of == intent.chain and lane.number > len(intent.weights)


def _take_away(draft: PlanDraft, intent: LaneIntent, host: HostState, name: str) -> None:
    for nf in host.chains[name].nfs:
        draft.reasons[nf.nf_id] = f"{intent.chain} is carried in {intent.so_many}"
    draft.drop(host.name, name)


def _divide_anew(draft: PlanDraft, spec: ChainSpec) -> None:
    """Rate and lane as its specification says them by now; whatever else it was ordered with stays."""
    part = {"rate_mpps": spec.traffic.rate_mpps, "lane": spec.traffic.lane}
    for host in draft.hosts_of(spec.name):
        chain = host.chains[spec.name]
        traffic = chain.traffic.model_copy(update=part)
        draft.put(host.name, adjusted(chain, chain.settings.model_copy(update={"traffic": traffic})))


def _seat(draft: PlanDraft, intent: LaneIntent) -> None:
    """To the cores that were named, instead of those that were chosen."""
    stands = {nf.nf_id: nf.core for host in draft.hosts.values() for nf in host.nfs()}
    given, refused = moved_to(
        draft.hosts, {nf_id: core for nf_id, core in intent.seats.items() if stands.get(nf_id) != core}
    )
    draft.rejected += refused
    draft.hosts |= given
    by = f" by {intent.law}" if intent.law else ""
    draft.reasons |= {nf_id: f"ordered to core {core}{by}" for nf_id, core in intent.seats.items()}
