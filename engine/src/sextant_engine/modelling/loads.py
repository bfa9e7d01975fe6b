"""What all other NFs of a host bring to bear on one: what comes in, and what is asked of the caches. Plain Python.

Everything counts at the rate that its chain has, and not at what it could do alone: packets that a slow NF holds up
press on nobody. A chain's run on a node brings packets there once, however many of its NFs look at them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean
from typing import NamedTuple

from sextant_domain.profiling.job import PointSetting, StandingNf

from sextant_engine.modelling.predictor import CYCLES, Profiles
from sextant_engine.modelling.rates import Ideals

REFERENCES = "llc-references"


class Load(NamedTuple):
    """On one NF."""

    chains: float
    """Beside its own: with how many its packets share the buffers of a port or a pool."""
    near_packets: float
    """A second, that come to its node in runs of chains, but for its own; 1 is what an average NF takes alone."""
    near_references: float
    """To the last-level cache of its node, a second; 1 is what an average NF makes alone."""
    far_packets: float
    """The same on other nodes."""
    far_references: float


class RatedChain(NamedTuple):
    """A chain where it runs, or would."""

    nfs: tuple[StandingNf, ...]
    mpps: float


@dataclass(frozen=True, slots=True)
class Alone:
    """What is known of NF types by themselves."""

    ideals: Ideals
    references: Mapping[str, float]
    """A packet, as a share of what an average NF does in a microsecond."""
    average_mpps: float
    """Of an NF on the local node."""

    @classmethod
    def of(cls, profiles: Profiles) -> "Alone":
        """References to the LLC where every type's were counted, else cycles."""
        counts = {name: profiles.counts_alone.get(name, {}) for name in profiles.ideal}
        name = REFERENCES if all(one.get(REFERENCES, 0.0) > 0 for one in counts.values()) else CYCLES
        packet = {nf_type: one[name] for nf_type, one in counts.items() if name in one}
        total = sum(profiles.ideal[nf_type].local * packet[nf_type] for nf_type in packet)
        references = {nf_type: len(packet) * one / total for nf_type, one in packet.items()}
        return cls(profiles.ideal, references, fmean(one.local for one in profiles.ideal.values()) if packet else 1.0)

    def mpps(self, nf: StandingNf, local: int) -> float | None:
        """None where it was not measured alone."""
        ideal = self.ideals.get(nf.nf_type)
        return None if ideal is None else ideal.local if nf.node == local else ideal.remote


def load_on(chains: Sequence[RatedChain], chain: int, place: int, local: int, alone: Alone) -> Load | None:
    """On the NF at that place of that chain; None where a type is not known. `local`: the node packets arrive on."""
    node = chains[chain].nfs[place].node
    packets, references = {True: 0.0, False: 0.0}, {True: 0.0, False: 0.0}
    for number, other in enumerate(chains):
        for run in _runs(other.nfs):
            own_run = number == chain and place in run
            for position in run:
                nf = other.nfs[position]
                ideal, packet = alone.mpps(nf, local), alone.references.get(nf.nf_type)
                if ideal is None or packet is None:
                    return None
                if position == run[0] and not own_run:
                    packets[nf.node == node] += min(other.mpps, ideal) / alone.average_mpps
                if (number, position) != (chain, place):
                    references[nf.node == node] += min(other.mpps, ideal) * packet
    return Load(len(chains) - 1, packets[True], references[True], packets[False], references[False])


def load_in(setting: PointSetting, alone: Alone) -> Load | None:
    """On the subject: its own chain goes as fast as it does alone, each other one as its slowest NF or its offer."""
    local, own = setting.ingress_node, alone.mpps(setting.subject, setting.ingress_node)
    if own is None:
        return None
    size = setting.others_a_chain
    chains = [RatedChain((*setting.chain, *setting.downstream), own)]
    for first in range(0, len(setting.others), size):
        nfs = setting.others[first : first + size]
        known = [setting.rate_mpps, *(alone.mpps(nf, local) for nf in nfs)]
        rates = [mpps for mpps in known if mpps is not None]
        chains.append(RatedChain(nfs, min(rates, default=0.0)))
    return load_on(chains, 0, len(setting.chain) - 1, local, alone)


def _runs(nfs: Sequence[StandingNf]) -> Iterator[Sequence[int]]:
    """Places of NFs that follow each other on a node."""
    for _, run in groupby(range(len(nfs)), key=lambda place: nfs[place].node):
        yield list(run)
