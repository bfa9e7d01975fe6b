"""Running a study: for each draw of the priors and each seed of the noise, profile, fit, then place or predict."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from time import monotonic

from sextant_domain.profiling.fit import Fit
from sextant_domain.profiling.job import ProfileRecord
from sextant_domain.studies.result import FitNote, Placed, StudyPrediction, StudyResult
from sextant_domain.studies.scenario import Draw, Scenario, StudySet
from sextant_domain.studies.study import StudyProgress
from sextant_engine.problem import Placement

from sextant_lab.errors import StudyCancelled
from sextant_lab.origin import origin_of
from sextant_lab.pace import Pace
from sextant_lab.passing import carried_by_second
from sextant_lab.placing import by_chance, fitted, models_of, place
from sextant_lab.predicting import PREDICTORS, Knowledge
from sextant_lab.profiling import Sandbox
from sextant_lab.server import TwinServer


def _report_nothing(_progress: StudyProgress) -> None:
    """Nobody wants to know."""


@dataclass(frozen=True, slots=True)
class StudyObserver:
    """Who looks on."""

    progress: Callable[[StudyProgress], None] = _report_nothing
    cancelled: Callable[[], bool] = lambda: False


NOBODY = StudyObserver()


def run(scenario: Scenario, watch: StudyObserver = NOBODY) -> StudyResult:
    """Equal scenarios give equal figures. Raises BadScenario, BadTwinInput of the twin, StudyCancelled."""
    fits: list[FitNote] = []
    placed: list[Placed] = []
    predictions: list[StudyPrediction] = []
    steps = _Steps(scenario, watch)
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
    return StudyResult(
        scenario=scenario,
        origin=origin_of(scenario),
        fits=tuple(fits),
        placed=tuple(placed),
        predictions=tuple(predictions),
    )


class _Steps:
    """A step is the profiling of a run, or a set of one; between points it can be cancelled, too."""

    def __init__(self, scenario: Scenario, watch: StudyObserver) -> None:
        self._watch = watch
        self._of = scenario.runs * (1 + len(scenario.set))
        self._began: list[float] = []
        self._pace = Pace(1 + len(scenario.set), self._of)

    def next(self, what: str) -> None:
        self._stop_if_cancelled()
        self._began.append(monotonic())
        self._report(what)

    def _report(self, what: str) -> None:
        took = [after - before for before, after in pairwise(self._began)]
        left = self._pace.seconds_left(took)
        self._watch.progress(StudyProgress(done=len(took), of=self._of, what=what, seconds_left=left))

    def watched(self, records: Iterator[ProfileRecord], what: str) -> Iterator[ProfileRecord]:
        self.next(what)
        for record in records:
            self._stop_if_cancelled()
            yield record

    def end(self) -> None:
        self._began.append(monotonic())
        self._report("done")

    def _stop_if_cancelled(self) -> None:
        if self._watch.cancelled():
            raise StudyCancelled("the study was cancelled; nothing was written")


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
