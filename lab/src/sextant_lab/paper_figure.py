"""What a run of a study comes to, and the same beside its paper."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sextant_domain.studies.paper_figure import Expected, StudyCheck, StudyLine, checked
from sextant_domain.studies.scenario import BadScenario


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """Of one name."""

    value: float
    unit: str


@dataclass
class Measured:
    """Values by name, in the order in which they are shown, and the lines of the figure."""

    x: str
    values: dict[str, MeasuredValue] = field(default_factory=dict)
    lines: list[StudyLine] = field(default_factory=list)

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


def checks_of(expect: Sequence[Expected], values: Mapping[str, MeasuredValue]) -> tuple[StudyCheck, ...]:
    """Those that a scenario names, in its order; all where it names none. Raises BadScenario for one that was not
    measured."""
    if not expect:
        return tuple(checked(name, value.unit, value.value, None) for name, value in values.items())
    checks = []
    for number, expected in enumerate(expect):
        value = values.get(expected.what)
        if value is None:
            known = "; ".join(list(values)[:40])
            raise BadScenario(f"expect.{number}.what", f"{expected.what!r} is not measured; measured are: {known}")
        checks.append(checked(expected.what, value.unit, value.value, expected))
    return tuple(checks)
