"""What each predictor says of chains that are placed: of every NF its drop, of every chain its throughput."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sextant_domain.profiling.curves import CurveModel
from sextant_domain.profiling.job import PointPurpose, PointSetting, ProfileRecord, StandingNf
from sextant_domain.profiling.model import DropCoefficients, LocalRemote
from sextant_engine.modelling.learning import Learnt, learn
from sextant_engine.modelling.nulls import LinearReferences, MeanDrop, ZeroDrop
from sextant_engine.modelling.octans import Method
from sextant_engine.modelling.predictor import Fitted, profiles_of
from sextant_engine.modelling.process import GaussianProcess
from sextant_engine.modelling.rated_octans import RatedOctans
from sextant_engine.modelling.settling import FedChain, Rest, at_rest
from sextant_engine.modelling.stored_process import StoredProcess
from sextant_engine.problem import Chain, NfParameters, Node, Placement, PlacementProblem
from sextant_engine.solve import evaluate

from sextant_lab.server import TwinServer

Chains = Sequence[Sequence[str]]
NfDrop = Callable[[str, int], float | None]
"""Of the NF of that chain at that position, as a share of its ideal throughput."""

OCTANS: Mapping[str, Method] = {"octans-lms": "lms", "octans": "constrained"}
"""As in the paper, and by constrained least squares."""
CURVES, PROCESS = "curves", "gaussian-process"
RATED = RatedOctans.name
PREDICTORS = (*OCTANS, RATED, CURVES, PROCESS, "zero-drop", "mean-drop", "linear-references")
NULLS = ("zero-drop", "mean-drop", "linear-references")
_LEVELS_ONLY = DropCoefficients(alpha=0, beta=0, c=0)


@dataclass(frozen=True, slots=True)
class Predicted:
    """Of one chain."""

    mpps: float
    bottleneck: int


class Knowledge:
    """All that the predictors learnt of a server's NF types from stored measurements."""

    def __init__(self, server: TwinServer, records: Sequence[ProfileRecord]) -> None:
        self._server = server
        machine = server.machine
        self.profiles = profiles_of(records, machine.nodes)
        self.learnt: Learnt = learn(self.profiles, server.cores_a_node)
        nulls = (ZeroDrop(), MeanDrop(), LinearReferences())
        self._process = GaussianProcess().fit(self.profiles)
        self._rated = RatedOctans(self.learnt.weights).fit(self.profiles)
        knowing = {RATED: self._rated, CURVES: self.learnt.curves, PROCESS: self._process}
        self._fitted: dict[str, Fitted] = {null.name: null.fit(self.profiles) for null in nulls} | knowing

    def drop(self, predictor: str, setting: PointSetting) -> float | None:
        """Of the subject of a setting; None where the predictor knows nothing of a type in it."""
        if predictor in OCTANS:
            return self.learnt.by_method[OCTANS[predictor]].fit(self.profiles).drop(setting)
        return self._fitted[predictor].drop(setting)

    def ideal_mpps(self, nf_type: str, node: int) -> float:
        """Alone, on that node."""
        ideal: LocalRemote = self.profiles.ideal[nf_type]
        return ideal.local if node == self._server.local else ideal.remote

    def predict(self, predictor: str, chains: Chains, placement: Placement) -> dict[str, Predicted | None]:
        """By chain of the placement: Mpps, at most what it is offered. None where a type is not known."""
        if predictor == CURVES:
            return self._at_rest(chains, placement)
        if predictor == PROCESS:
            return self._process_at_rest(chains, placement)
        if predictor == RATED:
            return self._rated_at_rest(chains, placement)
        of = self._by_equations(predictor, chains, placement) if predictor in OCTANS else None
        drop_of = of or self._by_setting(predictor, chains, placement)
        return {name: self._chain(name, chains, placement, drop_of) for name in placement}

    def _at_rest(self, chains: Chains, placement: Placement) -> dict[str, Predicted | None]:
        """Curves know rates: what a chain carries depends on what the others do."""
        return _by_chain(placement, at_rest(self._fed(chains, placement), self._curve_models, self.profiles.ideal))

    def _process_at_rest(self, chains: Chains, placement: Placement) -> dict[str, Predicted | None]:
        """As does a process, which is asked as it would be stored."""
        stored = self._stored_process
        return _by_chain(placement, None if stored is None else stored.at_rest(self._fed(chains, placement)))

    def _rated_at_rest(self, chains: Chains, placement: Placement) -> dict[str, Predicted | None]:
        """As do Octans' equations whose levels know rates."""
        found = self._rated.at_rest(self._fed(chains, placement))
        if found is None:
            return dict.fromkeys(placement)
        return {name: Predicted(*one) for name, one in zip(placement, found, strict=True)}

    def _fed(self, chains: Chains, placement: Placement) -> list[FedChain]:
        most = self._server.scenario.traffic.mpps
        return [FedChain(standing(chains, placement, name), self._server.local, most) for name in placement]

    @cached_property
    def _curve_models(self) -> dict[str, CurveModel]:
        found = {name: self.learnt.curves.model_of(name, CURVES) for name in self.profiles.ideal}
        return {name: model for name, model in found.items() if model is not None}

    @cached_property
    def _stored_process(self) -> StoredProcess | None:
        found = {name: self._process.model_of(name, PROCESS) for name in self.profiles.ideal}
        models = {name: model for name, model in found.items() if model is not None}
        return StoredProcess(models) if models else None

    def _chain(self, name: str, chains: Chains, placement: Placement, drop_of: NfDrop) -> Predicted | None:
        found = []
        for position, (nf, node) in enumerate(zip(chains[int(name)], placement[name], strict=True)):
            drop, ideal = drop_of(name, position), self.ideal_mpps(nf, int(node))
            if drop is None:
                return None
            found.append(min(max(ideal * (1 - drop), 0.0), self._server.scenario.traffic.mpps))
        slowest = min(range(len(found)), key=found.__getitem__)
        return Predicted(found[slowest], slowest)

    def _by_equations(self, predictor: str, chains: Chains, placement: Placement) -> NfDrop:
        """Levels are the solver's, coefficients the fit's: by least mean squares they may be negative."""
        problem = problem_of(self._server, chains, self._parameters)
        levels = evaluate(problem, placement).nfs
        method = self.learnt.by_method[OCTANS[predictor]]
        coefficients = method.fit(self.profiles).coefficients

        def drop(name: str, position: int) -> float | None:
            found = levels[name][position]
            side = "local" if int(found.node) == self._server.local else "remote"
            own = coefficients.get((chains[int(name)][position], "local" if side == "local" else "remote"))
            return None if own is None else own.alpha * found.llc + own.beta * found.mem + own.c

        return drop

    def _parameters(self, nf_type: str) -> NfParameters:
        return NfParameters(
            stalls=1 / self.learnt.weights[nf_type],
            ideal=self.profiles.ideal[nf_type],
            local=_LEVELS_ONLY,
            remote=_LEVELS_ONLY,
        )

    def _by_setting(self, predictor: str, chains: Chains, placement: Placement) -> NfDrop:
        def drop(name: str, position: int) -> float | None:
            return self.drop(predictor, setting_of(self._server.local, chains, placement, name, position))

        return drop


def _by_chain(placement: Placement, rest: Rest | None) -> dict[str, Predicted | None]:
    if rest is None:
        return dict.fromkeys(placement)
    slowest = [min(range(len(room)), key=lambda place: room[place].mpps) for room in rest.room]
    return {name: Predicted(mpps, place) for name, mpps, place in zip(placement, rest.mpps, slowest, strict=True)}


def setting_of(local: int, chains: Chains, placement: Placement, name: str, position: int) -> PointSetting:
    """An NF of a placement with its chain in front of it, and all other NFs beside."""

    own = standing(chains, placement, name)
    others = [nf for chain in placement if chain != name for nf in standing(chains, placement, chain)]
    return PointSetting(
        purpose=PointPurpose.LOCAL if own[position].node == local else PointPurpose.REMOTE,
        ingress_node=local,
        chain=own[: position + 1],
        others=(*own[position + 1 :], *others),
    )


def standing(chains: Chains, placement: Placement, name: str) -> tuple[StandingNf, ...]:
    """A chain of a placement."""
    pairs = zip(chains[int(name)], placement[name], strict=True)
    return tuple(StandingNf(nf_type=nf, node=int(node)) for nf, node in pairs)


def problem_of(server: TwinServer, chains: Chains, parameters: Callable[[str], NfParameters]) -> PlacementProblem:
    """Where shall every NF of `chains` run? As much as possible shall be carried; offered is more than any can."""
    types = sorted({nf for chain in chains for nf in chain})
    return PlacementProblem(
        nodes=tuple(
            Node(id=str(node), local=node == server.local, cores=len(free))
            for node, free in sorted(server.free.items())
        ),
        nf_types={nf_type: parameters(nf_type) for nf_type in types},
        chains=tuple(Chain(id=str(number), nfs=tuple(chain)) for number, chain in enumerate(chains)),
    )
