"""Trains a network as a study: lessons and exams, then the last exam on the twin. Where a folder is given it goes on
from the checkpoint that lies there, with the same choices as if it had never been ended.

JAX is imported by a training alone, and only here: everything else of the lab runs without it.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, Any

from sextant_domain.studies.scenario import BadScenario
from sextant_domain.studies.school import SchoolCurve, SchoolMark, SchoolReport, SchoolResult, SchoolScenario
from sextant_domain.studies.school_costs import games_text
from sextant_domain.studies.study import StudyProgress
from sextant_engine.errors import BadEngineInput

from sextant_lab.observer import NOBODY, Steps, StudyObserver
from sextant_lab.origin import origin_of
from sextant_lab.school import baselines, graduation
from sextant_lab.school.costs import Cost, checked
from sextant_lab.school.instances import Drawing

if TYPE_CHECKING:
    from sextant_lab.school.training import Pupil

EXAMS = 50
"""Of a training at most; a short one has one after each lesson."""


def check(scenario: SchoolScenario) -> str:
    """How large it is, and by what its games go. Raises BadScenario for a cost that the engine does not take."""
    steps, _, every = scenario.lessons
    by = "" if cost_of(scenario) is None or scenario.cost is None else f", by {games_text(scenario.cost.facts)}"
    return f"a network for {scenario.cores} cores, {steps} steps, an update every {every}{by}"


def cost_of(scenario: SchoolScenario) -> Cost | None:
    """By which its games go; None: by the ideal model. Raises BadScenario."""
    if scenario.cost is None:
        return None
    if scenario.cost.model is None:
        raise BadScenario(
            "cost.model",
            f"is missing, and only a console knows what was fitted on {scenario.cost.host}",
            f"sextant sfc2cpu train --cores {scenario.cores} --cost-of {scenario.cost.host}",
        )
    try:
        return Cost(checked(scenario.cost.model), scenario.cost.socket_cores)
    except BadEngineInput as error:
        raise BadScenario(f"cost.{error.field}", error.message) from error


def run(scenario: SchoolScenario, watch: StudyObserver = NOBODY) -> SchoolResult:
    """Equal scenarios give equal figures on one kind of machine. Raises BadScenario without JAX and for a cost that
    cannot be, StudyCancelled."""
    cost = cost_of(scenario)
    try:
        from sextant_lab.school import training
    except ImportError as error:
        raise BadScenario(
            "kind",
            f"school trains with JAX, the lab's extra learn, which is not installed where studies run ({error})",
            "make setup SEXTANT_LEARN=1",
        ) from error
    drawing, (steps, explores, every) = Drawing(), scenario.lessons
    course = training.Course(
        scenario.cores, scenario.seed, steps, explores, every=every, replay=min(training.REPLAY, steps), cost=cost
    )
    between = Steps(watch, steps)
    curve_of = _beside(scenario, training.exam_of(course, drawing), cost)
    with _folder(watch.keep) as folder:
        pupil = training.resumed(course, folder) or training.Pupil(course, drawing)
        pace = _Pace(pupil.steps)
        _report(watch, pupil, curve_of(pupil), None)
        for _ in training.lessons(pupil, folder, EXAMS):
            _report(watch, pupil, curve_of(pupil), pace.seconds_left(pupil.steps, steps))
            between.stop_if_cancelled()
        trained = training.document_of(pupil)
    curve = curve_of(pupil)
    _report(watch, pupil, curve, 0.0, "last exam, on the digital twin")
    last = graduation.examined(
        trained.weights.model_dump(mode="json"),
        course.cores,
        drawing,
        between.stop_if_cancelled,
        shown=None if cost is None else cost.model.kinds,
    )
    origin = origin_of(scenario).model_copy(update={"jax": training.JAX})
    report = SchoolReport(
        cores=course.cores,
        seed=course.seed,
        steps=pupil.steps,
        seconds=pupil.seconds,
        curve=curve,
        exam=last,
        origin=origin,
    )
    return SchoolResult(
        kind="school",
        scenario=scenario,
        origin=origin,
        report=report,
        weights=trained.digest,
        trained=trained.model_dump_json(),
    )


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is not None:
        yield keep
        return
    with TemporaryDirectory(prefix="sextant-school-") as name:
        yield Path(name)


def _beside(
    scenario: SchoolScenario, exam: Sequence[dict[str, Any]], cost: Cost | None
) -> Callable[["Pupil"], SchoolCurve]:
    """A pupil's curve, beside what simple assigners serve of the exam."""
    rr, lpt = (baselines.served(exam, name, cost) for name in ("rr", "lpt"))
    facts = None if scenario.cost is None else scenario.cost.facts
    return lambda pupil: SchoolCurve(rr=rr, lpt=lpt, marks=_marks(pupil), cost=facts)


def _marks(pupil: "Pupil") -> tuple[SchoolMark, ...]:
    return tuple(
        SchoolMark(steps=one.steps, served=min(1.0, one.served), loss=one.error if one.steps else None)
        for one in pupil.marks
    )


def _report(
    watch: StudyObserver, pupil: "Pupil", curve: SchoolCurve, seconds_left: float | None, what: str | None = None
) -> None:
    steps = pupil.course.steps
    done = min(pupil.steps, steps)
    text = what or f"{done:,} of {steps:,} choices of cores"
    watch.progress(StudyProgress(done=done, of=steps, what=text, seconds_left=seconds_left, curve=curve))


class _Pace:
    """How long it will take, by what it took since the second lesson of this process: the first one compiles."""

    def __init__(self, steps: int) -> None:
        self._begun_at = steps
        self._since: tuple[int, float] | None = None

    def seconds_left(self, steps: int, of: int) -> float | None:
        """None in the first lessons."""
        if self._since is None:
            if steps > self._begun_at:
                self._since = steps, monotonic()
            return None
        at, began = self._since
        if steps <= at:
            return None
        return max(0.0, (monotonic() - began) / (steps - at) * (of - steps))
