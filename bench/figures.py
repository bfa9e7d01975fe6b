"""What the bench prints: a figure, its goal, and how it was found."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Figure:
    """One measurement beside its goal; both in `unit`. Lower is better for all of them."""

    name: str
    value: float
    goal: float
    unit: str
    how: str


def show(figures: Iterable[Figure]) -> None:
    """A table on stdout."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in ("FIGURE", "MEASURED", "GOAL", "", "HOW"):
        table.add_column(column, justify="right" if column in {"MEASURED", "GOAL"} else "left")
    for figure in figures:
        table.add_row(
            figure.name,
            f"{figure.value:.2f} {figure.unit}",
            f"<= {figure.goal:g} {figure.unit}",
            "met" if figure.value <= figure.goal else "MISSED",
            figure.how,
        )
    Console(width=None if Console().is_terminal else 200).print(table)


def percentile(values: list[float], share: float) -> float:
    """The smallest value that at least `share` (0-1) of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]
