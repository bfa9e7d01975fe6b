"""A portfolio of algorithms under one judge: each solves by Octans' equations, the judge says which placement carries
most, and a local search goes on from there.

The judge is the predictor that is trusted. What the algorithms prove, they prove of Octans' equations; under the judge
the result is the best that was found, with a bound.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from sextant_domain.plans.evidence import Algorithm

from sextant_engine.errors import BadEngineInput
from sextant_engine.local_search import Judge, SearchResult, local_search
from sextant_engine.problem import Placement, PlacementProblem
from sextant_engine.solo_bound import offered_bound, solo_bound
from sextant_engine.solve import solve
from sextant_engine.stop import Stop

CANDIDATES = (Algorithm.EXACT, Algorithm.OCTANS_EXTENDED, Algorithm.NODE_FIRST)
"""Octans' optimum, its heuristic, and the baseline that needs no model. The core turns to another algorithm where a
problem is too large for the first; the second refuses one that is."""
CANDIDATE_EVALUATIONS = 2_000_000
CANDIDATE_SHARE = 0.2
"""Of the time, for each candidate."""
BASELINE = Algorithm.NODE_FIRST
"""Needs no predictor, so that none can be wrong about it in its own favour."""
LEAST_GAIN_OVER_BASELINE = 0.015
"""Of the baseline's score: what a judge may be wrong by about the difference of two placements. Below it the baseline
stays. On the twin predicted gains are off by 1.2 % in the mean (decision 62)."""
SEARCH_EVALUATIONS = 4_000
"""Placements judged, unless `stop` says another number: a judge takes some tenths of a millisecond."""
NONE: Mapping[str, Placement] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PortfolioResult:
    """The placement that the judge values most, or the baseline where that is not known to be worse."""

    found: SearchResult
    bound: float | None
    """No placement of these chains scores more by the judge; None: none is known."""
    proved_by_octans: tuple[str, ...]
    """Candidates that are proved optimal under Octans' equations."""
    stays: bool = False
    """The baseline was taken although the judge values another placement more, by less than it may be wrong by."""

    @property
    def proved(self) -> bool:
        """The best under the judge meets the bound."""
        return self.bound is not None and self.found.score >= self.bound * (1 - 1e-9)


def solve_portfolio(
    problem: PlacementProblem,
    judge: Judge,
    *,
    seed: int = 0,
    stop: Stop | None = None,
    known: Mapping[str, Placement] = NONE,
    baseline: Algorithm | None = BASELINE,
    only_takes: bool = True,
) -> PortfolioResult | None:
    """`known`: candidates that are at hand, by name; an algorithm among them is not run again. `stop` limits the whole.
    `baseline`: what is to be beaten by more than the judge may be wrong by; None: the best is the best.
    `only_takes`: by the judge no chain carries more beside others than alone.

    None where the judge cannot predict what a candidate carries. Raises BadEngineInput as `solve` does.
    """
    stop = stop or Stop()
    candidates, proved = dict(known), []
    for algorithm in CANDIDATES:
        if algorithm.value in known:
            continue
        limit = None if stop.seconds is None else stop.seconds * CANDIDATE_SHARE
        try:
            found = solve(problem, algorithm, seed=seed, stop=Stop(limit, CANDIDATE_EVALUATIONS))
        except BadEngineInput:
            if algorithm is not Algorithm.OCTANS_EXTENDED:
                raise
            continue
        candidates[algorithm.value] = found.assignment
        if found.status == "optimal":
            proved.append(algorithm.value)
    left = None if stop.seconds is None else stop.seconds * (1 - CANDIDATE_SHARE * len(CANDIDATES))
    evaluations = SEARCH_EVALUATIONS if stop.evaluations is None else stop.evaluations
    best = local_search(problem, candidates, judge, seed=seed, stop=Stop(left, evaluations, stop.progress))
    if best is None:
        return None
    most, placed = best.score, best.placement
    alone = solo_bound(problem, placed, judge) if only_takes else None
    bound = offered_bound(problem, placed) if alone is None else alone
    chosen = best if baseline is None else _guarded(best, baseline.value, candidates)
    return PortfolioResult(chosen, None if bound is None else max(bound, most), tuple(proved), chosen.score < most)


def _guarded(best: SearchResult, name: str, candidates: Mapping[str, Placement]) -> SearchResult:
    """A search goes where its judge errs in its favour. A baseline with other chains was not compared."""
    score = best.candidates.get(name)
    if score is None or (best.begun_with == name and not best.improved):
        return best
    if best.score > score + LEAST_GAIN_OVER_BASELINE * abs(score):
        return best
    return replace(best, placement=candidates[name], score=score, begun_with=name, improved=False)
