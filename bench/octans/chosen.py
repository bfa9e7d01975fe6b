"""What `automatic` chooses under pressure curves, and would under a Gaussian process, over many seeded chain sets,
carried on the twin."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

import page
import sets
from setting import SEEDS, study
from sextant_domain.plans.evidence import Algorithm
from sextant_domain.profiling.model import PerformanceModel
from sextant_engine.local_search import Judge, local_search
from sextant_engine.portfolio import BASELINE, PortfolioResult, solve_portfolio
from sextant_engine.problem import Placement
from sextant_engine.stop import Stop
from sextant_lab.placing import fitted, models_of, place, problem_for
from sextant_lab.predicting import CURVES, PROCESS, RATED, Chains, Knowledge
from sextant_lab.profiling import Sandbox
from sextant_lab.server import TwinServer

SETS = 50
"""The six of Fig. 8, and as the same seed goes on."""
NOISE = SEEDS[:2]
TWIN_EVALUATIONS = 1_000
"""Placements that the search on the twin itself looks at: it begins with all those compared here."""
AUTOMATIC, BEST = "automatic", "best candidate"
UNGUARDED = "the search without its guard"
UNDER: Mapping[str, str] = {
    "automatic under the Gaussian process": PROCESS,
    "automatic under Octans' equations with rates": RATED,
}
"""Other judges, by what their row is called."""
SEARCHED = (AUTOMATIC, UNGUARDED, *UNDER, BEST)
COMPARED = (Algorithm.EXACT, Algorithm.OCTANS, Algorithm.NODE_FIRST, Algorithm.NODE_BALANCE)
LEAST_OVER_NODE_FIRST, MEAN_REGRET, WORST_REGRET = -1.0, 1.0, 3.0
"""Goals, percent."""
SHOWN = 6


@dataclass(frozen=True, slots=True)
class PlacementCase:
    """One set with the models of one noise seed."""

    name: str
    seed: int
    nfs: int
    carried: Mapping[str, float]
    """Mpps on the twin by who placed it."""
    most: float
    """Found by asking the twin."""
    predicted: float
    """Mpps of automatic's by pressure curves."""
    bound: float | None

    def over_node_first(self, way: str) -> float:
        """Percent."""
        return 100 * (self.carried[way] / self.carried[Algorithm.NODE_FIRST] - 1)

    def regret(self, way: str) -> float:
        """Percent of what there is."""
        return 100 * (1 - self.carried[way] / self.most)


def cases() -> Sequence[PlacementCase]:
    """Equal on any machine: all limits are of evaluations."""
    found = sets.many(SETS)
    server = TwinServer(study("placement", "prediction", found), None)
    sandbox = Sandbox(server)
    made: list[PlacementCase] = []
    for seed in NOISE:
        records = list(sandbox.records(seed))
        knowledge = Knowledge(server, records)
        profiled = _Profiled(server, knowledge, models_of(fitted(server, records)), seed)
        made += [_case(profiled, name, chains) for name, chains in found.items()]
    return made


class _Profiled(NamedTuple):
    server: TwinServer
    knowledge: Knowledge
    models: dict[str, PerformanceModel]
    seed: int


def _case(profiled: _Profiled, name: str, chains: Chains) -> PlacementCase:
    server, knowledge, models, seed = profiled

    def by(predictor: str) -> Judge:
        def predicted(placement: Placement) -> float | None:
            predictions = list(knowledge.predict(predictor, chains, placement).values())
            return None if None in predictions else sum(one.mpps for one in predictions if one is not None)

        return predicted

    def carries(placement: Placement) -> float:
        return sum(server.carried_mpps(chains, placement).values())

    problem = problem_for(server, chains, models)
    placed = {way.value: place(server, chains, way, models, seed)[0] for way in COMPARED}
    candidates = {way: placed[way] for way in (Algorithm.EXACT, Algorithm.NODE_FIRST)}
    known = {**candidates, "octans_extended": placed["octans"]}

    def searched(predictor: str, baseline: Algorithm | None = BASELINE) -> PortfolioResult:
        made = solve_portfolio(problem, by(predictor), seed=seed, known=known, baseline=baseline)
        if made is None:
            raise SystemExit(f"{name}: nothing was learnt of an NF type that is needed; profile it as a whole")
        return made

    found, alone = searched(CURVES), searched(CURVES, baseline=None)
    best = max(("exact", "octans", "node_first"), key=lambda way: by(CURVES)(placed[way]) or 0.0)
    placed |= {AUTOMATIC: found.found.placement, UNGUARDED: alone.found.placement}
    placed |= {way: searched(predictor).found.placement for way, predictor in UNDER.items()}
    placed |= {BEST: placed[best]}
    carried = {way: carries(one) for way, one in placed.items()}
    there = local_search(problem, placed, carries, seed=seed, stop=Stop(evaluations=TWIN_EVALUATIONS))
    most = max(carried.values()) if there is None else there.score
    return PlacementCase(name, seed, sum(map(len, chains)), carried, most, found.found.score, found.bound)


def goals(made: Sequence[PlacementCase]) -> Iterator[str]:
    """One line each, with where it is missed."""
    yield from page.head("`automatic` under pressure curves (twin)", "goal", "reached", "", "cases that miss it")
    least = min(one.over_node_first(AUTOMATIC) for one in made)
    below = [one for one in made if one.over_node_first(AUTOMATIC) < LEAST_OVER_NODE_FIRST]
    yield _goal("least over node-first", f">= {LEAST_OVER_NODE_FIRST:.0f} %", least, not below, below)
    mean = fmean(one.regret(AUTOMATIC) for one in made)
    yield _goal("mean regret", f"<= {MEAN_REGRET:.0f} %", mean, mean <= MEAN_REGRET, [])
    far = [one for one in made if one.regret(AUTOMATIC) > WORST_REGRET]
    most = max(one.regret(AUTOMATIC) for one in made)
    yield _goal("worst regret", f"<= {WORST_REGRET:.0f} %", most, not far, far)


def _goal(what: str, goal: str, reached: float, met: bool, missing: Sequence[PlacementCase]) -> str:
    where = f"{len(missing)} of {SETS * len(NOISE)}" if missing else "-"
    return page.line(what, goal, f"{reached:.1f} %", "met" if met else "**missed**", where)


def ways(made: Sequence[PlacementCase]) -> Iterator[str]:
    """How else placements could be chosen."""
    yield from page.head(
        f"over {SETS} sets, {len(NOISE)} noise seeds (twin)",
        "over node-first %: least, mean, most",
        "regret %: mean, worst",
        "more than 1 % below node-first",
    )
    for way in (*SEARCHED, *COMPARED):
        over = [one.over_node_first(way) for one in made]
        regrets = [one.regret(way) for one in made]
        yield page.line(
            way if way in SEARCHED else f"`{way}`",
            f"{min(over):.1f}, {fmean(over):.1f}, {max(over):.1f}",
            f"{fmean(regrets):.1f}, {max(regrets):.1f}",
            str(sum(one < LEAST_OVER_NODE_FIRST for one in over)),
        )


def worst(made: Sequence[PlacementCase]) -> Iterator[str]:
    """Where most is left, and the sets of Fig. 8."""
    yield from page.head(
        "set, noise seed", "NFs", "automatic, Mpps: by curves, carried", "bound by curves", "exact", "octans",
        "node-first", "searched on the twin", "regret %",
    )  # fmt: skip
    by_regret = sorted(made, key=lambda one: -one.regret(AUTOMATIC))
    six = [one for one in made if one.seed == NOISE[0]][:6]
    for one in [*six, *(one for one in by_regret[:SHOWN] if one not in six)]:
        yield page.line(
            f"{one.name}, {one.seed}",
            str(one.nfs),
            f"{one.predicted:.2f}, {one.carried[AUTOMATIC]:.2f}",
            "-" if one.bound is None else f"{one.bound:.2f}",
            *(f"{one.carried[way]:.2f}" for way in (Algorithm.EXACT, Algorithm.OCTANS, Algorithm.NODE_FIRST)),
            f"{one.most:.2f}",
            f"{one.regret(AUTOMATIC):.1f}",
        )
