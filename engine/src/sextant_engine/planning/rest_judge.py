"""A judge of a host's placements by a predictor that knows rates, and which predictor plans are to listen to."""

from collections.abc import Iterable

from sextant_domain.plans.evidence import PlanPredictor, doubt_of
from sextant_domain.profiling.job import StandingNf

from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import HostState
from sextant_engine.modelling.settling import FedChain
from sextant_engine.planning.predict import PREDICTOR, models_of
from sextant_engine.planning.rest_predictor import RestPredictor, by_curves, by_process
from sextant_engine.problem import Placement, PlacementProblem

_FROM_THE_WORST = ("distrusted", "untested", None)


def predictor_at_rest(host: HostState, name: PlanPredictor, nf_types: Iterable[str]) -> RestPredictor | None:
    """Of all these types; None of Octans' equations, on shared cores, and where models of one fit are missing."""
    nf_types = set(nf_types)
    if host.inventory.shares_cores or name == "octans":
        return None
    if name == "curves":
        return by_curves(nf_types, host.models, host.curves)
    return by_process(nf_types, host.processes)


def trusted_predictor(fleet: FleetView, host: HostState, nf_types: Iterable[str]) -> RestPredictor | None:
    """The one that held best with all of the types; None: Octans' equations.

    Of equals a Gaussian process where it is trusted, then pressure curves, then the equations. A process that was not
    tested, or did not hold, never chooses: it may fall with load, and a search goes where its judge errs.
    """
    nf_types = set(nf_types)

    def held(name: str) -> int:
        return _FROM_THE_WORST.index(doubt_of(models_of(fleet, host, name, nf_types)))

    curves = predictor_at_rest(host, "curves", nf_types)
    process = predictor_at_rest(host, "gaussian-process", nf_types)
    if process is not None and held(process.name) == _FROM_THE_WORST.index(None):
        return process
    return curves if curves is not None and held(curves.name) >= held(PREDICTOR) else None


class RestJudge:
    """Of the chains of one problem, whose nodes are NUMA nodes by their numbers."""

    def __init__(self, problem: PlacementProblem, predictor: RestPredictor) -> None:
        self._predictor = predictor
        self._chains = {chain.id: chain for chain in problem.chains}
        types = {nf for chain in problem.chains for nf in chain.nfs}
        self._standing = {
            (nf, node.id): StandingNf(nf_type=nf, node=int(node.id)) for nf in types for node in problem.nodes
        }

    def __call__(self, placement: Placement) -> float | None:
        """Sum of value x Mpps; None where an NF is not known."""
        rates = self.mpps(placement)
        return None if rates is None else sum(self._chains[name].value * mpps for name, mpps in rates.items())

    def mpps(self, placement: Placement) -> dict[str, float] | None:
        """Of every chain, of what it is offered."""
        rates = self._predictor.rates([self._fed(name, nodes) for name, nodes in placement.items()])
        return None if rates is None else dict(zip(placement, rates, strict=True))

    def _fed(self, name: str, nodes: tuple[str, ...]) -> FedChain:
        chain = self._chains[name]
        standing = tuple(self._standing[pair] for pair in zip(chain.nfs, nodes, strict=True))
        return FedChain(standing, int(chain.ingress or 0), chain.rate_mpps or 0.0)
