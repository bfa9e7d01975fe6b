"""Running a study: for each draw of the priors and each seed of the noise, profile, fit, then place or predict."""

import random
from collections.abc import Iterator

from sextant_domain.profiling.fit import Fit
from sextant_domain.studies.result import FitNote, Placed, PlacementResult, StudyPrediction
from sextant_domain.studies.scenario import Draw, PlacementScenario, StudySet
from sextant_engine.problem import Placement

from sextant_lab.observer import NOBODY, Steps, StudyObserver
from sextant_lab.origin import origin_of
from sextant_lab.passing import carried_by_second
from sextant_lab.placing import by_chance, fitted, models_of, place
from sextant_lab.predicting import PREDICTORS, Knowledge
from sextant_lab.profiling import Sandbox
from sextant_lab.server import TwinServer


def check(scenario: PlacementScenario) -> str:
    """How large it is. Raises BadScenario where the twin has no data of what it names."""
    TwinServer(scenario, None)
    each = f"{len(scenario.algorithms)} algorithms" if scenario.algorithms else f"{scenario.placements} placements"
    return f"{scenario.runs} runs of {len(scenario.nf)} NF types, {len(scenario.set)} sets, {each} each"


def run(scenario: PlacementScenario, watch: StudyObserver = NOBODY) -> PlacementResult:
    """Equal scenarios give equal figures. Raises BadScenario, BadTwinInput of the twin, StudyCancelled."""
    fits: list[FitNote] = []
    placed: list[Placed] = []
    predictions: list[StudyPrediction] = []
    # A step is the profiling of a run, or a set of one.
    steps_a_run = 1 + len(scenario.set)
    steps = Steps(watch, scenario.runs * steps_a_run, steps_a_run)
    for draw in scenario.draws:
        server = TwinServer(scenario, None if draw == "centre" else draw)
        sandbox = Sandbox(server)
        for seed in scenario.seeds:
            at = f"draw {draw}, seed {seed}"
            records = list(steps.watched(sandbox.records(seed), f"{at}: profiling"))
            found = fitted(server, records)
            fits.append(_note(draw, seed, found, len(records)))
            knowledge = Knowledge(server, records) if scenario.kind == "prediction" else None
            for chains in scenario.set:
                steps.next(f"{at}: {chains.name}")
                if knowledge is None:
                    placed += _placed(server, found, draw, seed, chains)
                else:
                    predictions += _predictions(server, knowledge, draw, seed, chains)
    steps.end()
    return PlacementResult(
        scenario=scenario,
        origin=origin_of(scenario),
        fits=tuple(fits),
        placed=tuple(placed),
        predictions=tuple(predictions),
    )


def _note(draw: Draw, seed: int, found: Fit, points: int) -> FitNote:
    return FitNote(
        draw=draw,
        seed=seed,
        points=points,
        metric=found.metric.used,
        qualifies=found.metric.chosen is not None,
        scale=found.scale,
        refusals={version.nf_type: version.refusals for version in found.models if version.refusals},
    )


def _placed(server: TwinServer, found: Fit, draw: Draw, seed: int, chains: StudySet) -> Iterator[Placed]:
    models = models_of(found)
    for algorithm in server.scenario.algorithms:
        placement, predicted = place(server, chains.chains, algorithm, models, seed)
        carried, seconds = _carried(server, chains, placement, seed)
        yield Placed(
            draw=draw,
            seed=seed,
            set=chains.name,
            algorithm=algorithm,
            nodes=_nodes(placement),
            predicted_mpps=predicted,
            carried_mpps=tuple(carried[name] for name in sorted(carried, key=int)),
            by_second_mpps=seconds,
        )


def _carried(
    server: TwinServer, chains: StudySet, placement: Placement, seed: int
) -> tuple[dict[str, float], tuple[float, ...]]:
    if server.scenario.time is not None:
        return carried_by_second(server, chains.chains, placement, seed)
    return server.carried_mpps(chains.chains, placement), ()


def _predictions(
    server: TwinServer, knowledge: Knowledge, draw: Draw, seed: int, chains: StudySet
) -> Iterator[StudyPrediction]:
    chance = random.Random(f"{server.scenario.placement_seed} {chains.name}")  # noqa: S311 - placements, not secrets
    for number in range(server.scenario.placements):
        placement = by_chance(server, chains.chains, chance)
        carried = server.carried_mpps(chains.chains, placement)
        predicted = {name: knowledge.predict(name, chains.chains, placement) for name in PREDICTORS}
        for chain, nodes in enumerate(_nodes(placement)):
            name = str(chain)
            pairs = zip(chains.chains[chain], nodes, strict=True)
            yield StudyPrediction(
                draw=draw,
                seed=seed,
                set=chains.name,
                number=number,
                chain=chain,
                nodes=nodes,
                carried_mpps=carried[name],
                ideal_mpps=min(knowledge.ideal_mpps(nf, node) for nf, node in pairs),
                predicted_mpps={
                    predictor: found.mpps if (found := chains_of[name]) else None
                    for predictor, chains_of in predicted.items()
                },
            )


def _nodes(placement: Placement) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(map(int, placement[name])) for name in sorted(placement, key=int))
