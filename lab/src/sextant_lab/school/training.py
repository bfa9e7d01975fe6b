"""Trains one network: games are played, what they were worth is learned, and now and then it is examined. It can be
ended at any time, and goes on from its last checkpoint with the same choices as if it never had been.
"""

import json
import pickle
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

import jax
import numpy as np
from sextant_domain.base import digest_of_json
from sextant_engine.laws.sfc2cpu.trained import TrainedWeights

from sextant_lab.school.costs import Cost
from sextant_lab.school.games import Games, Ints, States
from sextant_lab.school.instances import Drawing
from sextant_lab.school.network import Learner, payoffs, untrained
from sextant_lab.school.replay import Replay
from sextant_lab.school.weights import IDEAL, MOST_VNFS, as_document, as_weights

BATCH = 2048
JAX = jax.__version__
REPLAY = 500_000
"""Choices that are remembered at most."""
TRAINED = "trained.json"
"""In a folder: the weights of its last checkpoint, as the engine reads them."""
GAMES = 256
"""Played at once."""
EXAM = 200
"""Instances that are drawn for the exam alone."""
_BETA = 0.4
"""How far replay's weights undo its proportions at first; at the end wholly."""


@dataclass(frozen=True, slots=True)
class Course:
    """What is trained, and for how long."""

    cores: int
    seed: int = 0
    steps: int = 500_000
    """Choices of cores (the paper's time steps)."""
    explores: int = 500_000
    """Steps over which the part of choices that are drawn falls from 1 to `least`."""
    least: float = 0.02
    every: int = 8
    """Steps for each update of 2048 choices."""
    replay: int = REPLAY
    rate: float = 1e-3
    """Of learning; falls to a tenth by the end."""
    cost: Cost | None = None
    """By which games are worth what they are; None: the ideal model."""

    def facts(self) -> dict[str, Any]:
        """As JSON has them; of a cost which one it is."""
        plain: dict[str, Any] = asdict(replace(self, cost=None))
        del plain["cost"]
        return plain if self.cost is None else {**plain, "cost": self.cost.facts()}

    def instances(self, drawing: Drawing, dice: random.Random, count: int) -> list[dict[str, Any]]:
        """So many that are drawn; with a cost their VNFs are of its kinds."""
        drawn = [drawing.instance(dice, self.cores) for _ in range(count)]
        return drawn if self.cost is None else [self.cost.with_kinds(one, dice) for one in drawn]

    def games(self, drawing: Drawing, dice: random.Random, count: int) -> Games:
        """Of so many."""
        return Games(self.instances(drawing, dice, count), MOST_VNFS, self.cost)


@dataclass(frozen=True, slots=True)
class Mark:
    """Of an exam."""

    steps: int
    served: float
    """Of the packets of instances that it never saw, every choice the best it expects."""
    error: float
    """Root of the mean square of what was expected less what came, in the updates since the exam before."""
    seconds: float


class Pupil:
    """A network in training."""

    def __init__(self, course: Course, drawing: Drawing) -> None:
        self.course, self.drawing = course, drawing
        self.steps, self.seconds = 0, 0.0
        self.marks: list[Mark] = []
        self._errors: list[float] = []
        """Mean squares of updates since the last exam."""
        self._dice = random.Random(f"school {course.seed}")  # noqa: S311 - games, not secrets
        self._numbers = np.random.default_rng(course.seed)
        self.learner = Learner(untrained(course.seed, course.cores))
        self._replay = Replay(course.replay, course.cores, MOST_VNFS)
        self._exam = course.games(drawing, _exam_dice(course.cores), EXAM)

    def lesson(self) -> float:
        """Games, and the updates that are due for them; the error of these."""
        began = time.monotonic()
        played = self.course.games(self.drawing, self._dice, GAMES).play(self._explore)
        self._replay.add(played)
        before, self.steps = self.steps, self.steps + len(played.chosen)
        errors = [self._update() for _ in range(self.steps // self.course.every - before // self.course.every)]
        self.seconds += time.monotonic() - began
        squares = [float(np.mean(one**2)) for one in errors]
        self._errors += squares
        return _root(squares)

    def examined(self) -> Mark:
        """On instances that it never saw; kept in `marks`."""
        served = float(self._exam.play(self._best).served.mean())
        mark = Mark(self.steps, served, _root(self._errors), self.seconds)
        self._errors.clear()
        self.marks.append(mark)
        return mark

    def _update(self) -> Any:
        part = min(1.0, self.steps / self.course.steps)
        rate = self.course.rate * (1 - 0.9 * part)
        places, states, chosen, gained, weights = self._replay.draw(self._numbers, BATCH, _BETA + (1 - _BETA) * part)
        errors = self.learner.learn(rate, states, chosen, gained, weights)
        self._replay.surprise(places, errors)
        return errors

    def _best(self, states: States) -> Ints:
        """Padded to so many games, or each number of them would be compiled."""
        count, most = len(states.current), max(GAMES, EXAM)
        padded = states[np.minimum(np.arange(most), count - 1)]
        best: Ints = payoffs(self.learner.given, padded)[:count].argmax(axis=1)
        return best

    def _explore(self, states: States) -> Ints:
        chance = max(self.course.least, 1 - (1 - self.course.least) * self.steps / self.course.explores)
        count = len(states.current)
        drawn = self._numbers.random(count) < chance
        return np.where(drawn, self._numbers.integers(0, self.course.cores, count), self._best(states))


def train(course: Course, drawing: Drawing, folder: Path, exam_every_s: float = 60.0) -> Iterator[Mark]:
    """Marks as they come, the last one at the end. A folder that holds a checkpoint of the same course goes on; raises
    ValueError where it holds one of another."""
    folder.mkdir(parents=True, exist_ok=True)
    pupil = resumed(course, folder) or Pupil(course, drawing)
    examined = time.monotonic()
    while pupil.steps < course.steps:
        pupil.lesson()
        if time.monotonic() - examined >= exam_every_s and pupil.steps < course.steps:
            examined = time.monotonic()
            yield _kept(pupil, folder)
    if not pupil.marks or pupil.marks[-1].steps < pupil.steps:
        _kept(pupil, folder)
    yield pupil.marks[-1]


def lessons(pupil: Pupil, folder: Path, exams: int) -> Iterator[Mark | None]:
    """One after another, so that somebody may end it between two; a mark where an exam was due. Exams by steps, so that
    all trainings of a course have the same ones: before the first lesson, then `exams`, the last one at the end."""
    if not pupil.marks:
        yield pupil.examined()
    due = pupil.course.steps / exams
    while pupil.steps < pupil.course.steps:
        pupil.lesson()
        is_due = pupil.steps // due > pupil.marks[-1].steps // due
        yield _kept(pupil, folder) if is_due else None


def _kept(pupil: Pupil, folder: Path) -> Mark:
    mark = pupil.examined()
    _keep(pupil, folder)
    return mark


def exam_of(course: Course, drawing: Drawing) -> list[dict[str, Any]]:
    """Instances that no network is ever trained on."""
    return course.instances(drawing, _exam_dice(course.cores), EXAM)


def _exam_dice(cores: int) -> random.Random:
    return random.Random(f"exam {cores}")  # noqa: S311 - games, not secrets


def _root(squares: Sequence[float]) -> float:
    return float(np.sqrt(np.mean(squares))) if squares else 0.0


def games_digest(drawing: Drawing, cost: Cost | None) -> str:
    """Of what games are drawn from, and of the cost that says what they are worth."""
    drawn = asdict(drawing)
    facts = drawn if cost is None else {**drawn, "cost": cost.facts()}
    return digest_of_json(json.dumps(facts, sort_keys=True).encode())


def _keep(pupil: Pupil, folder: Path) -> None:
    """Written beside and put in place at once: who is killed meanwhile leaves the former one."""
    _replace(folder / "course.json", lambda out: out.write(json.dumps(pupil.course.facts()).encode()))
    _replace(folder / "checkpoint.pickle", lambda out: pickle.dump(pupil, out))
    _replace(folder / TRAINED, lambda out: out.write(document_of(pupil).model_dump_json().encode()))


def _replace(path: Path, write: Callable[[BinaryIO], object]) -> None:
    beside = path.with_suffix(".part")
    with beside.open("wb") as out:
        write(out)
    beside.replace(path)


def document_of(pupil: Pupil) -> TrainedWeights:
    """Its weights as the engine reads them."""
    given = {name: np.asarray(value) for name, value in pupil.learner.given.items()}
    weights = as_weights(given, pupil.course.cores)
    cost = pupil.course.cost
    digest, on = games_digest(pupil.drawing, cost), IDEAL if cost is None else f"fitted {cost.facts()['model']}"
    return as_document(weights, datetime.now(UTC), pupil.course.seed, pupil.steps, digest, on=on)


def resumed(course: Course, folder: Path) -> Pupil | None:
    """From the checkpoint in a folder; None where it has none that can be read, as after a loss of power. Raises
    ValueError for one of another course."""
    path = folder / "checkpoint.pickle"
    if not path.exists():
        return None
    try:
        stored = json.loads((folder / "course.json").read_text())
    except (OSError, json.JSONDecodeError):
        return None
    if stored != course.facts():
        raise ValueError(f"{folder} holds a checkpoint of another course: {stored}")
    try:
        with path.open("rb") as file:
            pupil: Pupil = pickle.load(file)  # noqa: S301 - this program's own file, in a folder of whoever trains
    except (EOFError, pickle.UnpicklingError, AttributeError, ImportError):
        return None
    pupil.course = course  # the same; a checkpoint from before there were costs says nothing of them
    return pupil
