"""Rates of all chains of a host by a Gaussian process, written plainly: what the native core is held to.

All chains' packets arrive on one node here.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from sextant_engine.modelling.handing import neighbours, part_left
from sextant_engine.modelling.loads import RatedChain, load_on
from sextant_engine.modelling.pressures import role_at
from sextant_engine.modelling.process import FittedProcess
from sextant_engine.modelling.settling import SETTLED, Carrying, FedChain, steps_to_rest


class ProcessRest(NamedTuple):
    """Of the chains of a host, in their order."""

    mpps: tuple[float, ...]
    room: tuple[tuple[float, ...], ...]
    """Mpps of every NF of every chain, with all others at these rates."""
    settled: bool


def process_at_rest(chains: Sequence[FedChain], fitted: FittedProcess) -> ProcessRest | None:
    """None where a type is not known. All chains' packets arrive on one node."""
    if not chains:
        return ProcessRest((), (), settled=True)
    try:
        host = _Host(chains, fitted)
        rates, off = steps_to_rest(host, host.carried([chain.offered_mpps for chain in chains]))
    except _NotKnown:
        return None
    room = host.room(rates)
    return ProcessRest(tuple(rates), tuple(tuple(one) for one in room), off <= SETTLED)


class _NotKnown(Exception):
    """Nothing was learnt of a type."""


class _Host(Carrying):
    def __init__(self, chains: Sequence[FedChain], fitted: FittedProcess) -> None:
        self._chains, self._fitted = chains, fitted
        self._local = chains[0].ingress_node
        self._places: dict[str, list[tuple[int, int]]] = defaultdict(list)
        """Of each type, so that the process is asked once for all of them."""
        for number, chain in enumerate(chains):
            for place, nf in enumerate(chain.nfs):
                self._places[nf.nf_type].append((number, place))

    def carried(self, rates: Sequence[float]) -> list[float]:
        """As `Carrying`."""
        pairs = zip(self._chains, self.room(rates), strict=True)
        return [min(chain.offered_mpps, *room) for chain, room in pairs]

    def room(self, rates: Sequence[float]) -> list[list[float]]:
        """Mpps of every NF of every chain."""
        rated = [RatedChain(chain.nfs, mpps) for chain, mpps in zip(self._chains, rates, strict=True)]
        found = [[0.0] * len(chain.nfs) for chain in self._chains]
        for nf_type, places in self._places.items():
            loads = [load_on(rated, *place, self._local, self._fitted.alone) for place in places]
            known = [load for load in loads if load is not None]
            stands = [self._stands(*place) for place in places]
            if len(known) < len(loads):
                raise _NotKnown
            drops = self._fitted.drops_at(nf_type, [role_at(*near[:2]) for near in stands], known)
            if drops is None:
                raise _NotKnown
            for (number, place), near, drop in zip(places, stands, drops, strict=True):
                alone = self._fitted.alone.mpps(self._chains[number].nfs[place], self._local) or 0.0
                added = self._fitted.added(nf_type, tuple(neighbours(*near)))
                found[number][place] = alone * part_left(drop, added)
        return found

    def _stands(self, number: int, place: int) -> tuple[bool, bool | None, bool | None]:
        """As `handing.neighbours` takes it."""
        nfs = self._chains[number].nfs
        node = nfs[place].node
        before = nfs[place - 1].node == node if place else None
        return node == self._local, before, nfs[place + 1].node == node if place + 1 < len(nfs) else None
