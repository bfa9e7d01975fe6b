"""Solve a host's problem with the plan's algorithm."""

from sextant_domain.evidence import Algorithm

from sextant_engine.algorithms.brute import TooLarge
from sextant_engine.fleet import Draft
from sextant_engine.problem import Problem
from sextant_engine.result import Result
from sextant_engine.solve import solve


def solve_or_fall_back(draft: Draft, problem: Problem) -> Result:
    """A problem beyond exhaustive search goes to node_first, with a warning."""
    try:
        result = solve(problem, draft.algorithm, None, draft.seed, draft.stop, clock=_untimed)
        draft.used = draft.used or draft.algorithm
    except TooLarge as error:
        draft.warn(f"{error.message}; node_first was used instead")
        draft.used = Algorithm.NODE_FIRST
        result = solve(problem, Algorithm.NODE_FIRST, None, draft.seed, draft.stop, clock=_untimed)
    draft.evaluations += result.evaluations
    return result


def _untimed() -> float:
    """The plan is timed as a whole."""
    return 0.0
