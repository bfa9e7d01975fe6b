"""A host's chains as SRv6-INT's global loop sees them. Pure: from inventory and order."""

from collections.abc import Mapping
from dataclasses import dataclass

from sextant_domain.chains.cpu_bounds import QUOTA_BOUNDS
from sextant_domain.chains.lane import LANES, lane_name
from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.hosts.host import HostInventory
from sextant_engine.seats import CoreLayout, Seats

from sextant_backend.laws.host_reading import HostRead


@dataclass(frozen=True)
class BoundedChain:
    """A chain with quota bounds whose first lane the host runs."""

    first: DesiredChain
    """Its first lane, or the part of that with which packets enter."""
    lanes: tuple[str, ...]
    """Names of all of them, on whichever hosts."""
    why_not: str | None
    """Why its lanes are not changed; None: they may be."""

    @property
    def parts(self) -> tuple[str, ...]:
        """Of the first lane, in the order in which packets pass: itself where one host has all of it."""
        return (self.first.chain,) if self.first.path is None else self.first.path.chains

    @property
    def carriers(self) -> tuple[str, ...]:
        """All chains that carry it: the parts of the first lane, and the other lanes."""
        return (*self.parts, *self.lanes[1:])

    @property
    def nf_ids(self) -> tuple[str, ...]:
        """Of the first lane, with those of all its parts."""
        if self.first.path is None:
            return tuple(nf.nf_id for nf in self.first.nfs)
        return tuple(one.nf_id for one in self.first.path.segments if one.nf_id is not None)

    @property
    def stays(self) -> str | None:
        """Why it does not leave its host; None: nothing of its order keeps it there."""
        if self.first.path is None:
            return None
        return f"{self.first.chain} passes several hosts by a path that an operator has chosen"


@dataclass(frozen=True)
class HostMembers:
    """As long as its order, its inventory and its policies stay as they are."""

    host: HostRead
    chains: Mapping[str, BoundedChain]
    """Those that run; a paused one measures nothing."""
    slots: int
    """How many NFs can still come."""


def members_of(host: HostRead, kept: frozenset[str]) -> HostMembers:
    """`kept`: chains whose policy is manual."""
    seats = Seats(CoreLayout.of(host.inventory), [(nf.core, nf.slot) for one in host.content.chains for nf in one.nfs])
    found = {}
    for chain in host.content.chains:
        lane = chain.traffic.lane
        if chain.quota_bounds is None or chain.paused or (lane is not None and lane.number > 1):
            continue
        if chain.path is not None and not chain.path.enters:
            continue  # all of it is looked at where its packets enter
        count = 1 if lane is None else len(lane.weights)
        lanes = tuple(lane_name(chain.chain, number) for number in range(1, count + 1))
        found[chain.chain] = BoundedChain(chain, lanes, _why_not(chain, host.inventory, kept))
    return HostMembers(host, found, sum(seats.free(unit) for unit in seats.layout.units))


def bounded_chains(host: HostRead) -> tuple[str, ...]:
    """Its chains where one of them has quota bounds; none where none has."""
    chains = host.content.chains
    return tuple(one.chain for one in chains) if any(one.quota_bounds is not None for one in chains) else ()


def may_take(inventory: HostInventory) -> bool:
    """Whether lanes of such chains can run there at all."""
    return inventory.why_not(LANES) is None and inventory.why_not(QUOTA_BOUNDS) is None


def stays(ingress: str | None, egress: str | None) -> str | None:
    """Why a chain that asks for these hosts does not leave its own: an end of its way that an operator has named is a
    law's no more than a drain's."""
    for end, named in (("ingress", ingress), ("egress", egress)):
        if named is not None:
            return f"its {end} is {named}: its packets arrive or leave there"
    return None


def _why_not(chain: DesiredChain, inventory: HostInventory, kept: frozenset[str]) -> str | None:
    if chain.chain in kept:
        return f"the policy of {chain.chain} is manual"
    lacking = inventory.why_not(LANES)
    return None if lacking is None else f"this host has no lanes ({lacking})"
