"""The exact step as a program of whole numbers: one binary a chain, node and level, at most one of them by chain."""

from dataclasses import dataclass
from typing import Any

PER_GBPS = 10**6
# Table I of the paper; of all NFs of a chain the greatest need counts.
TABLE = {
    "router": (
        {4: (2, 10), 5: (2, 20), 7: (3, 20), 8: (3, 30), 9: (4, 30), 10: (5, 40)},
        {4: (3, 20), 5: (3, 30), 7: (5, 30)},
    ),
    "basic-monitor": (
        {4: (2, 10), 5: (2, 20), 7: (2, 30), 8: (4, 30), 9: (4, 30), 10: (4, 50)},
        {4: (3, 20), 5: (3, 30), 7: (4, 40)},
    ),
}


@dataclass(frozen=True)
class Choice:
    """A chain on a node at a level."""

    node: int
    ways: int
    percent: int
    value: int
    """Millionths of a Gbps."""


@dataclass(frozen=True)
class Program:
    """Choices by chain; there are cores for every chain on every node."""

    ways: tuple[int, ...]
    percent: tuple[int, ...]
    chains: tuple[tuple[Choice, ...], ...]


def program_of(problem: dict[str, Any]) -> Program:
    """Of a problem of `timing.problem`."""
    nodes = list(problem["nodes"])
    chains = []
    for name, types in problem["chains"].items():
        choices = []
        for index, node in enumerate(nodes):
            moves = problem["current"][name] != node
            weight = 1 - problem["loss"] / problem["horizon"] if moves else 1.0
            sides = [TABLE[nf][0 if node == "local" else 1] for nf in types]
            for level in sides[0]:
                ways, percent = (max(side[level][of] for side in sides) for of in (0, 1))
                value = round(min(level, problem["rates_gbps"][name]) * weight * PER_GBPS)
                choices.append(Choice(index, ways, percent, value))
        chains.append(tuple(choices))
    given = problem["nodes"].values()
    return Program(tuple(n["ways"] for n in given), tuple(n["mb_percent"] for n in given), tuple(chains))


def answered(millionths: float, proven: bool) -> dict[str, object]:
    """What a solver found."""
    return {"objective_gbps": millionths / PER_GBPS, "proven": proven}
