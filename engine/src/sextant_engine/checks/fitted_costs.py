"""What shared cores are asked for by costs that were fitted on a host: reckoned from its snapshot and orders, by code
that shares nothing with the assigner.

A packet takes what it takes alone x (1 + the sum over other NFs with packets of coefficient x weight) + hand-offs. The
coefficient is that of the two types, on the same core or on another one of the node; the weight is the load alone, or
1.
"""

from collections import defaultdict
from typing import NamedTuple

from sextant_domain.hosts.desired import HostContent
from sextant_domain.profiling.host_cost import FittedCost
from sextant_domain.profiling.inflation import InflationModel

from sextant_engine.checks.needs import model_of
from sextant_engine.checks.view import View


class _Nf(NamedTuple):
    kind: int
    """By the model; the last one is any that it does not know."""
    us: float
    rate: float
    core: int
    node: int | None

    @property
    def alone(self) -> float:
        return self.us * self.rate


def cost_of(view: View, host: str) -> FittedCost | None:
    """Of a host, in the snapshot."""
    return next((one for one in view.snapshot.costs if one.host == host), None)


def needs_beside(view: View, host: str, content: HostContent, model: InflationModel) -> defaultdict[int, float] | None:
    """Percent of each core; None where what an NF takes alone is not known."""
    chains: list[list[_Nf]] = []
    for ordered in content.chains:
        nfs = []
        for nf in ordered.nfs:
            alone, core = model_of(view, host, nf.nf_type), view.core(host, nf.core)
            if alone is None:
                return None
            kind = model.kinds.index(nf.nf_type) if nf.nf_type in model.kinds else len(model.kinds)
            us = 1 / alone.ideal_mpps.local
            nfs.append(_Nf(kind, us, ordered.traffic.rate_mpps, nf.core, None if core is None else core.node))
        chains.append(nfs)
    needs: defaultdict[int, float] = defaultdict(float)
    everyone = [nf for chain in chains for nf in chain]
    for chain in chains:
        for at, one in enumerate(chain):
            packet = one.us * (1 + sum(_added(model, one, other) for other in everyone if other is not one))
            if at > 0:
                packet += _handed(one, chain[at - 1], model.hand_off.from_socket, model.hand_off.from_remote)
            if at + 1 < len(chain):
                packet += _handed(one, chain[at + 1], model.hand_off.to_socket, model.hand_off.to_remote)
            needs[one.core] += 100 * one.rate * packet
    return needs


def _added(model: InflationModel, nf: _Nf, other: _Nf) -> float:
    if other.rate <= 0 or other.node != nf.node:
        return 0.0
    table = model.core if other.core == nf.core else model.socket
    return table[nf.kind][other.kind] * (other.alone if model.weight == "load" else 1.0)


def _handed(nf: _Nf, neighbour: _Nf, near: float, far: float) -> float:
    if nf.core == neighbour.core:
        return 0.0
    return near if nf.node == neighbour.node else far
