"""What is solved: sizes, modes and the goals of each row."""

from dataclasses import dataclass
from typing import Any

MODES = ("A", "B", "C")


@dataclass(frozen=True)
class Size:
    """So many chains of so many NFs on so many nodes."""

    chains: int
    nodes: int
    cores: int
    length: int = 3

    @property
    def name(self) -> str:
        """'6 x 2'."""
        return f"{self.chains} x {self.nodes}"

    def recipes(self, mode: str, seeds: int, first: int = 0) -> list[dict[str, Any]]:
        """One problem a seed."""
        return [
            {
                "chains": self.chains,
                "nodes": self.nodes,
                "cores": self.cores,
                "length": self.length,
                "mode": mode,
                "seed": seed,
            }
            for seed in range(first, first + seeds)
        ]


@dataclass(frozen=True)
class CpuGoal:
    """CPU milliseconds of `exact`."""

    median: dict[str, float]
    most: dict[str, float]


EXACT: tuple[tuple[Size, CpuGoal], ...] = (
    (Size(6, 2, 10), CpuGoal(median=dict.fromkeys(MODES, 0.3), most=dict.fromkeys(MODES, 1.0))),
    (Size(6, 4, 10), CpuGoal(median={"A": 1.0, "B": 1.0, "C": 7.0}, most={"A": 20.0, "B": 20.0, "C": 500.0})),
    (Size(12, 2, 21), CpuGoal(median={"A": 10.0, "B": 10.0, "C": 100.0}, most={})),
    (Size(8, 4, 10), CpuGoal(median=dict.fromkeys(MODES, 40.0), most={})),
)
"""Proving the optimum."""

FIGURE_9: tuple[Size, ...] = tuple(Size(chains, nodes, 10) for nodes in (2, 4) for chains in range(1, 7))
"""Octans, Fig. 9: 1 to 6 chains of three NFs, 10 cores a node."""

BRUTE_AT_MOST = 4.0e7
"""Placements that brute force is given: some seconds each."""


@dataclass(frozen=True)
class Large:
    """Search with a certified bound."""

    size: Size
    mode: str
    seconds: float
    to_reference: float | None
    """Greatest allowed distance from the reference, relative."""
    gap: float | None
    """Greatest allowed certified gap, relative."""


REFERENCE_SECONDS = 60.0
ANYTIME: tuple[Large, ...] = (
    Large(Size(24, 4, 20), "A", 5.0, None, 0.005),
    Large(Size(24, 4, 20), "C", 5.0, None, 0.01),
    Large(Size(64, 4, 50), "A", 0.1, 0.001, None),
    Large(Size(64, 4, 50), "C", 0.1, 0.002, None),
    Large(Size(64, 4, 50), "A", 2.0, None, 0.025),
    Large(Size(64, 8, 26), "A", 0.1, 0.003, None),
    Large(Size(64, 8, 26), "C", 0.1, 0.003, None),
)
