"""Stopping rules. Every algorithm asks one now and then, and returns its best and its bound when it says stop."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

Clock = Callable[[], float]
"""Seconds from any fixed point, never backwards: `time.monotonic`, or a counter in tests."""


class Stop(Protocol):
    """Says when an algorithm shall end."""

    def reached(self, evaluations: int) -> bool:
        """True to stop; `evaluations` counts the placements evaluated in this solve."""
        ...


@dataclass(frozen=True)
class Never:
    """Run to the end."""

    def reached(self, evaluations: int) -> bool:  # noqa: ARG002 - the protocol's signature
        """Never."""
        return False


@dataclass(frozen=True)
class MaxEvaluations:
    """Stop after so many evaluated placements: the rule that gives equal results on any machine."""

    limit: int

    def reached(self, evaluations: int) -> bool:
        """True from the limit on."""
        return evaluations >= self.limit


@dataclass(frozen=True)
class Deadline:
    """Stop `seconds` after it was made, by the clock that is passed in."""

    seconds: float
    clock: Clock
    started: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "started", self.clock())

    def reached(self, evaluations: int) -> bool:  # noqa: ARG002 - the protocol's signature
        """True once the time is up."""
        return self.clock() - self.started >= self.seconds


@dataclass(frozen=True)
class AnyOf:
    """Stop as soon as one of several rules says so."""

    rules: tuple[Stop, ...]

    def reached(self, evaluations: int) -> bool:
        """True when any rule is reached."""
        return any(rule.reached(evaluations) for rule in self.rules)
