"""One door to all algorithms: `solve(problem, algorithm, params, seed, stop, initial) -> SolveResult`."""

import json
from collections.abc import Mapping
from typing import Any

from sextant_domain.plans.evidence import Algorithm

from sextant_engine import native
from sextant_engine.problem import Placement, PlacementProblem
from sextant_engine.result import EvaluatedPlacement, Explanation, SolveResult
from sextant_engine.stop import Stop


def solve(  # noqa: PLR0917 - the frame's signature
    problem: PlacementProblem,
    algorithm: Algorithm | str,
    params: Mapping[str, Any] | None = None,
    seed: int = 0,
    stop: Stop | None = None,
    initial: Placement | None = None,
) -> SolveResult:
    """Place the chains of `problem`; other Python threads go on meanwhile.

    `params` are the algorithm's own (None: its defaults), `initial` is a placement to start the search from (not the
    running one: that is `problem.initial`). Raises BadEngineInput for what breaks a rule of the format, an unknown
    algorithm, and a problem that the algorithm refuses.
    """
    stop = stop or Stop()
    found, _ = native.solve(
        problem.model_dump_json(),
        str(algorithm),
        params=None if params is None else json.dumps(dict(params)),
        seed=seed,
        seconds=stop.seconds,
        evaluations=stop.evaluations,
        start=None if initial is None else json.dumps(initial),
        progress=stop.progress,
    )
    return SolveResult.model_validate_json(found)


def evaluate(problem: PlacementProblem, placement: Placement) -> EvaluatedPlacement:
    """Judge a given placement; chains it leaves out count as rejected. Raises BadEngineInput as `solve` does."""
    return EvaluatedPlacement.model_validate_json(native.evaluate(_with(problem, placement)))


def explain(problem: PlacementProblem, placement: Placement) -> Explanation:
    """Who hurts whom under a given placement. Raises BadEngineInput as `solve` does."""
    return Explanation.model_validate_json(native.explain(_with(problem, placement)))


def _with(problem: PlacementProblem, placement: Placement) -> str:
    return json.dumps({"problem": problem.model_dump(mode="json"), "assignment": placement})
