"""Rates of all chains of a host by a Gaussian process that is stored, asked of the native core (engine/core/process).

As `settling` for pressure curves, with the loads of `loads`, which count at the rates themselves. No NumPy is loaded,
so that whoever serves requests can ask. Weights and their factor follow from the stored samples once, when it is made.
"""

from collections.abc import Mapping, Sequence

from sextant_domain.profiling.curves import ChainRole
from sextant_domain.profiling.process import ProcessFit, ProcessModel

from sextant_engine._core import ProcessTable
from sextant_engine.errors import BadEngineInput
from sextant_engine.modelling.settling import Capacity, FedChain, Rest

ROLES = (ChainRole.LOCAL, ChainRole.CROSSING, ChainRole.HEAD, ChainRole.BEHIND)
"""By the core's numbers. Two a kind of node, the second with a level of its own."""


class StoredProcess:
    """Of NF types of one fit."""

    def __init__(self, models: Mapping[str, ProcessModel]) -> None:
        """By NF type. Raises BadEngineInput where they are of several fits, or a figure is out of range."""
        fits = [models[name].fit for name in sorted(models)]
        if len({(one.host_model, one.version, one.shape, one.average_mpps) for one in fits}) != 1:
            raise BadEngineInput("models", "at least one, and all of one fit: loads of others are in other units")
        self._number = {name: number for number, name in enumerate(sorted(models))}
        self._quantiles = {one.quantile for one in fits}
        shape = fits[0].shape
        self._table = ProcessTable(
            shape=(shape.level, shape.bend, shape.slope, _five(shape.lengths), shape.shared),
            average_mpps=fits[0].average_mpps,
            types=[_given(one) for one in fits],
        )

    def drops(
        self, nf_type: str, roles: Sequence[ChainRole], loads: Sequence[tuple[float, float, float, float, float]]
    ) -> list[tuple[float, float]]:
        """Of an NF type in those roles, without what hand-offs cost, each with the standard deviation of what would be
        measured. Raises BadEngineInput of a type that is not known."""
        if nf_type not in self._number:
            raise BadEngineInput("nf_type", f"the process has no samples of {nf_type}")
        asked = [(ROLES.index(role), load) for role, load in zip(roles, loads, strict=True)]
        return self._table.drops(self._number[nf_type], asked)

    def rates(self, chains: Sequence[FedChain]) -> list[float] | None:
        """Mpps of every chain, nearest to rest; None where a type is not known. Half of what `at_rest` takes."""
        fed = self._fed(chains)
        return None if fed is None else self._table.rates(fed)[0]

    def at_rest(self, chains: Sequence[FedChain]) -> Rest | None:
        """None where a type is not known. A process may fall where samples do, so that nothing bounds rates that do not
        settle but what chains are offered."""
        fed = self._fed(chains)
        if fed is None:
            return None
        rates, settled, room = self._table.rest(fed)
        times = next(iter(self._quantiles)) if len(self._quantiles) == 1 else None
        return Rest(
            mpps=tuple(rates),
            room=tuple(tuple(_capacity(*one, times) for one in of_chain) for of_chain in room),
            bounds=tuple((0.0, chain.offered_mpps) for chain in chains),
            settled=settled,
        )

    def _fed(self, chains: Sequence[FedChain]) -> list[tuple[list[tuple[int, int]], int, float]] | None:
        if any(nf.nf_type not in self._number for chain in chains for nf in chain.nfs):
            return None
        return [
            ([(self._number[nf.nf_type], nf.node) for nf in one.nfs], one.ingress_node, one.offered_mpps)
            for one in chains
        ]


def _capacity(mpps: float, ideal: float, deviation: float, times: float | None) -> Capacity:
    return Capacity(mpps, ideal, None if times is None else min(1.0, times * deviation))


_Given = tuple[
    float,
    float,
    float,
    list[tuple[bool, bool, bool, float]],
    list[tuple[int, tuple[float, float, float, float, float], float, float]],
]


def _five(figures: Sequence[float]) -> tuple[float, float, float, float, float]:
    first, second, third, fourth, fifth = figures
    return first, second, third, fourth, fifth


def _given(fit: ProcessFit) -> _Given:
    return (
        fit.ideal_mpps.local,
        fit.ideal_mpps.remote,
        fit.references,
        [(one.local, one.behind, one.near, one.drop) for one in fit.handing],
        [(ROLES.index(one.role), _five(one.load), one.drop, one.variance) for one in fit.samples],
    )
