"""What a run of a study comes to, before it is compared with the paper."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sextant_domain.studies.numasfp_result import StudyCell, StudyLine


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """Of one name."""

    value: float
    unit: str


@dataclass(slots=True)
class Measured:
    """Values by name, in the order in which they are shown, and the lines of the figure."""

    x: str
    values: dict[str, MeasuredValue] = field(default_factory=dict)
    lines: list[StudyLine] = field(default_factory=list)
    cells: list[StudyCell] = field(default_factory=list)

    def add(self, name: str, value: float, unit: str) -> None:
        """A value."""
        self.values[name] = MeasuredValue(round(value, 6), unit)

    def draw(self, name: str, unit: str, x: Sequence[float], y: Sequence[float]) -> None:
        """A line."""
        self.lines.append(
            StudyLine(name=name, unit=unit, x=tuple(map(float, x)), y=tuple(round(value, 6) for value in y))
        )


def percent(ours: float, of: float) -> float:
    """How much more `ours` is; 0 where there is nothing to compare with."""
    return 100 * (ours / of - 1) if of > 0 else 0.0
