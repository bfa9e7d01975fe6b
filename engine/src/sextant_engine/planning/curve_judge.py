"""A judge of a host's placements by pressure curves, and where plans are to listen to it."""

from collections.abc import Iterable, Mapping

from sextant_domain.plans.evidence import PlanPredictor, doubt_of
from sextant_domain.profiling.curves import CurveModel
from sextant_domain.profiling.job import StandingNf
from sextant_domain.profiling.model import LocalRemote

from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import HostState
from sextant_engine.modelling.settling import FedChain, at_rest
from sextant_engine.planning import curve_prediction
from sextant_engine.planning.predict import PREDICTOR, models_of
from sextant_engine.problem import Placement, PlacementProblem

_FROM_THE_WORST = ("distrusted", "untested", None)


def trusted_predictor(fleet: FleetView, host: HostState, nf_types: Iterable[str]) -> PlanPredictor:
    """Pressure curves where all of the types have one, of one fit, and these held no worse than Octans' equations did.
    Everywhere else these."""
    nf_types = set(nf_types)
    curves = [host.curves.get(nf_type) for nf_type in sorted(nf_types)]
    versions = {curve.version for curve in curves if curve is not None}
    if host.inventory.shares_cores or None in curves or len(versions) != 1:
        return "octans"
    by_curves, by_octans = (
        _FROM_THE_WORST.index(doubt_of(models_of(fleet, host, predictor, nf_types)))
        for predictor in (curve_prediction.PREDICTOR, PREDICTOR)
    )
    return "curves" if by_curves >= by_octans else "octans"


class CurveJudge:
    """Of the chains of one problem, whose nodes are NUMA nodes by their numbers."""

    def __init__(
        self, problem: PlacementProblem, curves: Mapping[str, CurveModel], ideals: Mapping[str, LocalRemote]
    ) -> None:
        self._curves, self._ideals = curves, ideals
        self._chains = {chain.id: chain for chain in problem.chains}
        types = {nf for chain in problem.chains for nf in chain.nfs}
        self._standing = {
            (nf, node.id): StandingNf(nf_type=nf, node=int(node.id)) for nf in types for node in problem.nodes
        }

    def __call__(self, placement: Placement) -> float | None:
        """Sum of value x Mpps; None where a curve is missing."""
        rates = self.mpps(placement)
        return None if rates is None else sum(self._chains[name].value * mpps for name, mpps in rates.items())

    def mpps(self, placement: Placement) -> dict[str, float] | None:
        """Of every chain, of what it is offered."""
        rest = at_rest([self._fed(name, nodes) for name, nodes in placement.items()], self._curves, self._ideals)
        return None if rest is None else dict(zip(placement, rest.mpps, strict=True))

    def _fed(self, name: str, nodes: tuple[str, ...]) -> FedChain:
        chain = self._chains[name]
        standing = tuple(self._standing[pair] for pair in zip(chain.nfs, nodes, strict=True))
        return FedChain(standing, int(chain.ingress or 0), chain.rate_mpps or 0.0)
