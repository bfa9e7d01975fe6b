"""The native core, typed: JSON text in, JSON text out, no GIL meanwhile.

Import this module only where a problem is solved: the rest of the engine runs without the native core.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

from sextant_engine import _core

Progress = Callable[[float, float, int], bool]
"""`progress(best score, bound of the score, evaluations)`, about ten times a second; true: end with the best so far.

Before a first placement the best is -inf; before a first bound the bound is inf.
"""


class Solved(NamedTuple):
    """What `solve` returns."""

    result: str
    """JSON."""
    cpu_seconds: float
    """Of the search alone, in this thread; reading the problem and writing the result are left out."""


def solve(
    problem: str | bytes,
    algorithm: str,
    *,
    params: str | None = None,
    seed: int = 0,
    seconds: float | None = None,
    evaluations: int | None = None,
    start: str | None = None,
    progress: Progress | None = None,
) -> Solved:
    """Place the chains of `problem` (JSON).

    `params`: the algorithm's parameters, `start`: a placement to begin the search with (both JSON). `seconds` of wall
    time and `evaluations` of placements limit the search; Ctrl-C ends it, and so does what `progress` raises. Raises
    BadInput, and EngineDefect for a bug of ours.
    """
    return Solved(
        *_core.solve(
            problem,
            algorithm,
            params=params,
            seed=seed,
            seconds=seconds,
            evaluations=evaluations,
            start=start,
            progress=progress,
        )
    )


def generate(*, chains: int, nodes: int, cores: int, length: int, mode: Literal["A", "B", "C"], seed: int) -> str:
    """A problem (JSON) for tests and benchmarks; equal seeds give equal problems on any machine.

    Mode A: four NF types, B: every NF its own profile, C: types of similar speed.
    """
    return _core.generate(chains=chains, nodes=nodes, cores=cores, length=length, mode=mode, seed=seed)
