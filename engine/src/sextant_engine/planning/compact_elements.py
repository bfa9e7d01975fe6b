"""Chains to be placed as CoCo's elements, with the share of a core that each needs (CoCo, Sec. III-A).

f(v) is v / the throughput alone, an NF's time for a packet: the line through the origin. What an NF takes without
packets was never measured, and counts as nothing. Tied NFs are one element, which has the summed rate of its chains; so
many slots as NFs it takes all the same.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.desired import DesiredChain

from sextant_engine.host_state import HostState
from sextant_engine.planning.ties import core_of
from sextant_engine.planning.time_sharing import ideal_of


@dataclass(frozen=True, slots=True)
class Wanted:
    """A chain that is placed."""

    name: str
    rate_mpps: float
    nfs: tuple[tuple[str, str], ...]
    """NF id and type."""
    homes: tuple[int | None, ...] | None
    """Cores that its NFs need not leave, None of one that cannot stay; None for all: the chain is new on the host."""

    @classmethod
    def new(cls, spec: ChainSpec) -> "Wanted":
        """One that waits."""
        nfs = tuple((spec.nf_id(position), nf.type) for position, nf in enumerate(spec.nfs))
        return cls(spec.name, spec.traffic.rate_mpps, nfs, None)

    @classmethod
    def running(cls, chain: DesiredChain, before: DesiredChain | None) -> "Wanted":
        """One that runs and may move. An NF that the plan has moved already could not stay, and may go anywhere."""
        nfs = tuple((nf.nf_id, nf.nf_type) for nf in chain.nfs)
        then = {nf.nf_id: nf.core for nf in before.nfs} if before is not None else {}
        homes = tuple(nf.core if then.get(nf.nf_id) == nf.core else None for nf in chain.nfs)
        return cls(chain.chain, chain.traffic.rate_mpps, nfs, homes)


@dataclass(frozen=True, slots=True)
class Impossible:
    """Why a host cannot hold what is wanted."""

    why: str
    relax: str


def share_of(host: HostState, nf_type: str, rate_mpps: float) -> float | None:
    """CoCo's f: the share of a core that an NF needs at a rate; None where its throughput alone was never measured. On
    a host of several nodes that of the slower distance counts, wherever it will stand."""
    model = host.models.get(nf_type)
    if model is None or not model.ideal_known:
        return None
    distances = (True,) if len(host.inventory.nodes) == 1 else (True, False)
    return rate_mpps / min(ideal_of(model, local) for local in distances)


@dataclass(frozen=True, slots=True)
class Elements:
    """All that is wanted, by element. An element is called by the first of its NFs."""

    of_nf: Mapping[str, str]
    needs: Mapping[str, float]
    """Share of a core; 0 where that is not known."""
    counts: Mapping[str, int]
    """NFs that it is, of chains that are wanted."""
    homes: Mapping[str, int]
    """Where it stands now."""
    at_home: Mapping[str, int]
    """Of those NFs, how many stand there."""
    pinned: Mapping[str, str]
    """Those that cannot go elsewhere, as an NF of a chain that stays is one of them: which."""

    @classmethod
    def of(cls, host: HostState, wanted: Sequence[Wanted], ties: Mapping[str, str]) -> "Elements":
        """`ties`: by NF, of those that have one."""
        members: defaultdict[str, list[str]] = defaultdict(list)
        kinds, rates, stands = {}, {}, {}
        for one in wanted:
            for (nf_id, kind), home in zip(one.nfs, one.homes or [None] * len(one.nfs), strict=True):
                members[ties.get(nf_id, nf_id)].append(nf_id)
                kinds[nf_id], rates[nf_id] = kind, one.rate_mpps
                if home is not None:
                    stands[nf_id] = home
        staying = _staying(host, wanted, ties)
        named = {min(nf_ids): (key, nf_ids) for key, nf_ids in members.items()}
        homes, pinned = {}, {}
        for name, (key, nf_ids) in named.items():
            here = staying.get(key) or {nf_id: stands[nf_id] for nf_id in nf_ids if nf_id in stands}
            if here:
                homes[name] = core_of(here)
            if key in staying:
                pinned[name] = min(nf_id for nf_id, core in here.items() if core == homes[name])
        return cls(
            of_nf={nf_id: name for name, (_, nf_ids) in named.items() for nf_id in nf_ids},
            needs={
                name: share_of(host, kinds[name], sum(rates[nf_id] for nf_id in nf_ids)) or 0.0
                for name, (_, nf_ids) in named.items()
            },
            counts={name: len(nf_ids) for name, (_, nf_ids) in named.items()},
            homes=homes,
            at_home={name: sum(stands.get(nf_id) == homes[name] for nf_id in named[name][1]) for name in homes},
            pinned=pinned,
        )

    def partners(self, nf_id: str) -> list[str]:
        """The other NFs of its element, of chains that are wanted."""
        return [one for one, name in self.of_nf.items() if name == self.of_nf[nf_id] and one != nf_id]

    def slots_pinned(self) -> Counter[int]:
        """By core: slots that elements need which cannot go elsewhere."""
        found: Counter[int] = Counter()
        for name in self.pinned:
            found[self.homes[name]] += self.counts[name]
        return found

    def impossible(self, host: HostState, wanted: Sequence[Wanted]) -> Impossible | None:
        """Why they cannot stand where NFs are that they are tied with, and that stay."""
        moving = frozenset(nf_id for one in wanted if one.homes is not None for nf_id, _ in one.nfs)
        seats, need = host.seats(without=moving), self.slots_pinned()
        for name, other in sorted(self.pinned.items()):
            core = self.homes[name]
            unit = seats.unit_of(core)
            if unit is None or seats.free(unit) < need[core]:
                return Impossible(
                    f"{host.name} has no slot left on core {core} for {name}, which is tied with {other} there",
                    f"move {other}, and all that is tied with it, to another core first, or submit it without the tie",
                )
        return None


def _staying(host: HostState, wanted: Sequence[Wanted], ties: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """By tie: NFs of the host's other chains, with their cores."""
    names = {one.name for one in wanted}
    found: dict[str, dict[str, int]] = {}
    for name, chain in host.chains.items():
        for nf in chain.nfs if name not in names else ():
            if nf.nf_id in ties:
                found.setdefault(ties[nf.nf_id], {})[nf.nf_id] = nf.core
    return found
