"""A placement as a 0-1 program: x of element and core, and for each pair of neighbours and core a y that is at most
both of their x (CoCo, Eq. 3, linearised): the rate of a pair is saved where they stand together."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

PER_CORE = 1000
"""Shares of `timing.problem` have three digits, rates two."""
PER_RATE = 100


@dataclass(frozen=True)
class Program:
    """Whole numbers."""

    shares: tuple[int, ...]
    cores: int
    pairs: tuple[tuple[int, int, int], ...]
    """Two neighbours and their rate."""


def program_of(problem: dict[str, Any]) -> Program:
    """Of a problem of `timing.problem`."""
    names = list(problem["cpu"])
    rates: dict[tuple[int, int], int] = {}
    for chain in problem["chains"]:
        at = [names.index(name) for name in chain["elements"]]
        for one, other in pairwise(at):
            pair = min(one, other), max(one, other)
            rates[pair] = rates.get(pair, 0) + round(PER_RATE * chain["rate"])
    shares = tuple(round(PER_CORE * share) for share in problem["cpu"].values())
    return Program(shares, problem["cores"], tuple((*pair, rate) for pair, rate in rates.items()))


def answered(program: Program, saved: float, proven: bool) -> dict[str, object]:
    """What a solver found."""
    return {"delayed_bytes": (sum(rate for *_, rate in program.pairs) - saved) / PER_RATE, "proven": proven}
