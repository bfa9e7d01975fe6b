"""The published rows: `rows.toml`, read and checked."""

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from sextant_domain.base import Frozen

FILE = Path(__file__).with_name("rows.toml")
Published = float | tuple[float, float]
"""A figure, or the range that was published: "below 2.5" is 0 to 2.5."""


class PublishedSeries(Frozen):
    """A published series, and how far from it the twin may be."""

    name: str
    title: str
    use: Literal["C", "V"]
    """C: calibrated on. V: held out."""
    about: Literal["machine", "nf"]
    """What it tests: the machine alone, on figures that no NF has part in, or what NFs do on it."""
    payload: bool = False
    """It turns on what NFs do with payload, which nobody published: predictable only if no null model is nearer."""
    unit: Literal["ns", "GB/s", "%", "ratio"]
    tolerance: float | tuple[float, float]
    """A distance, relative for ns and GB/s, in points for %; two: the range that the twin must lie in."""
    same_order: bool = False
    """The twin's points must rise and fall as the published ones do."""
    rank: float | None = None
    """The least rank correlation with the published points."""
    source: str
    measure: str
    x: str
    points: Annotated[tuple[tuple[int | float | str, Published], ...], Field(min_length=1)]
    reading: float = Field(gt=0)
    """How exactly the figures are known, in the row's unit: as they were rounded or read, nine of ten within it."""
    setting: dict[str, Any] = Field(default_factory=dict)
    assumed: str | None = None
    """What of the setting was not published."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if len({str(x) for x, _ in self.points}) != len(self.points):
            raise ValueError("points: two have the same x")
        return self

    @property
    def xs(self) -> list[Any]:
        """Where in the series."""
        return [x for x, _ in self.points]

    @property
    def ranges(self) -> list[tuple[float, float]]:
        """What was published there, least and most; the same twice where it is a figure."""
        return [value if isinstance(value, tuple) else (value, value) for _, value in self.points]

    @property
    def published(self) -> list[float]:
        """The same as a figure: the middle of a range, for what needs one (ranks, means)."""
        return [(least + most) / 2 for least, most in self.ranges]


def load() -> list[PublishedSeries]:
    """All rows, in the file's order."""
    return [PublishedSeries.model_validate(row) for row in tomllib.loads(FILE.read_text())["row"]]
