"""Where School's CPU time goes: the environment (instances, games, what they were worth), the network (its answers and
what it learns), and the replay between them. CPU time of all threads, so that other programs count for little."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import gate_c
import page
from drawing import SETTINGS
from sextant_lab.school.costs import Cost, read_cost
from sextant_lab.school.instances import Drawing

GIVEN = SETTINGS["school"]
PARTS = ("instances", "games", "worth", "replay", "answers", "updates")


def table() -> Iterator[str]:
    """A row a model that games go by, from the first update that is compiled on. *Worth* is what cores serve: in NumPy
    by the ideal model, with a cost by the engine's `evaluate`, game by game, as JSON."""
    yield from page.head(
        "games by", "cores", "choices", "CPU time of 1000", "instances drawn", "games", "what they are worth",
        "replay", "the network's answers", "its updates", "environment of all", "environment beside answers",
    )  # fmt: skip
    cores = GIVEN["cores"]
    fitted = Cost(read_cost(gate_c.school_cost(cores)), GIVEN["socket_cores"])
    for name, cost in (("ideal model", None), ("fitted cost", fitted)):
        seconds, steps = _measured(cores, cost)
        total = sum(seconds.values())
        environment = sum(seconds[part] for part in PARTS[:3])
        yield page.line(
            name, str(cores), f"{steps:,}", f"{1e6 * total / steps:.0f} ms",
            *(f"{100 * seconds[part] / total:.1f} %" for part in PARTS),
            f"{100 * environment / total:.1f} %", f"{environment / seconds['answers']:.2f} x",
        )  # fmt: skip


def _measured(cores: int, cost: Cost | None) -> tuple[dict[str, float], int]:
    """Seconds by part, and choices."""
    import jax
    from sextant_lab.school import training
    from sextant_lab.school.games import Games
    from sextant_lab.school.replay import Replay

    clock = _Clock()
    steps = GIVEN["steps"]
    course = training.Course(cores, 0, steps, steps, every=GIVEN["every"], replay=steps, cost=cost)
    pupil = training.Pupil(course, Drawing())
    pupil.lesson()  # what is compiled once
    begun = pupil.steps
    watched: list[tuple[Any, str, str]] = [
        (training.Course, "instances", "instances"), (Games, "__init__", "games"), (Games, "play", "games"),
        (Games, "_parts", "worth"), (Replay, "add", "replay"), (Replay, "draw", "replay"),
        (Replay, "surprise", "replay"), (training, "payoffs", "answers"), (type(pupil.learner), "learn", "updates"),
    ]  # fmt: skip
    kept = [(where, name, getattr(where, name)) for where, name, _ in watched]
    try:
        for (where, name, part), (_, _, real) in zip(watched, kept, strict=True):
            setattr(where, name, clock.timed(part, real, jax.block_until_ready if part in PARTS[4:] else None))
        while pupil.steps < steps:
            pupil.lesson()
    finally:
        for where, name, real in kept:
            setattr(where, name, real)
    return dict(clock.seconds), pupil.steps - begun


class _Clock:
    """Of calls within calls each has its own time."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._open: list[float] = []

    def timed(self, part: str, real: Callable[..., Any], wait: Callable[[Any], Any] | None) -> Callable[..., Any]:
        """The same, counted. `wait`: for what runs on beside."""

        @wraps(real)
        def counted(*given: Any, **named: Any) -> Any:
            self._open.append(0.0)
            began = time.process_time()
            found = real(*given, **named)
            if wait is not None:
                wait(found)
            took = time.process_time() - began
            self.seconds[part] += took - self._open.pop()
            if self._open:
                self._open[-1] += took
            return found

        return counted
