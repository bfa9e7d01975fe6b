"""Placing a study's chains: by an algorithm with fitted models, or by chance."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime

from sextant_domain.plans.evidence import Algorithm
from sextant_domain.profiling.fit import Fit
from sextant_domain.profiling.job import ProfileRecord
from sextant_domain.profiling.model import PerformanceModel
from sextant_domain.studies.scenario import BadScenario
from sextant_engine.modelling.fitting import fit
from sextant_engine.modelling.octans import Method
from sextant_engine.planning.host_problem import parameters_of
from sextant_engine.problem import NfParameters, Placement, PlacementProblem
from sextant_engine.solve import solve
from sextant_engine.stop import Stop

from sextant_lab.predicting import Chains, problem_of
from sextant_lab.server import TwinServer

EVALUATIONS = 2_000_000
"""At most, so that a study ends; equal on any machine."""


def fitted(server: TwinServer, records: Sequence[ProfileRecord], method: Method = "constrained") -> Fit:
    """All models of the server out of its records, as an operator gets them."""
    return fit(
        records,
        fit_id=1,
        now=datetime.now(UTC),
        host_model=server.inventory.host_model,
        cores_a_node=server.cores_a_node,
        nodes=server.machine.nodes,
        method=method,
    )


def models_of(found: Fit) -> dict[str, PerformanceModel]:
    """Those that could be promoted, by NF type."""
    return {version.nf_type: version.model for version in found.models if version.model is not None}


def place(
    server: TwinServer, chains: Chains, algorithm: Algorithm, models: dict[str, PerformanceModel], seed: int
) -> tuple[Placement, float]:
    """Nodes of all NFs, and what the models promise altogether. Raises BadScenario where a model cannot be used, or a
    chain is not placed."""
    found = solve(problem_for(server, chains, models), algorithm, seed=seed, stop=Stop(evaluations=EVALUATIONS))
    if found.rejected:
        raise BadScenario(
            "set", f"{algorithm} does not place chain {found.rejected[0].chain}: {found.rejected[0].reason}"
        )
    return found.assignment, sum(chain.mpps for chain in found.chains.values())


def problem_for(server: TwinServer, chains: Chains, models: dict[str, PerformanceModel]) -> PlacementProblem:
    """With fitted models. Raises BadScenario where one cannot be used."""

    def parameters(nf_type: str) -> NfParameters:
        model = models.get(nf_type)
        if model is None:
            raise BadScenario("nf", f"the model of {nf_type} cannot be promoted: see its refusals under `fits`")
        return NfParameters.model_validate(parameters_of(model))

    return problem_of(server, chains, parameters)


def by_chance(server: TwinServer, chains: Chains, chance: random.Random) -> Placement:
    """Every NF on a free core, all of them equally likely."""
    seats = [node for node, free in sorted(server.free.items()) for _ in free]
    drawn = iter(chance.sample(seats, sum(map(len, chains))))
    return {str(number): tuple(str(next(drawn)) for _ in chain) for number, chain in enumerate(chains)}
