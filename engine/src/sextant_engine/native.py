"""The native core, typed: JSON text in, JSON text out, no GIL meanwhile.

Import this module only where a problem is solved: the rest of the engine, but for fits of curves
(`modelling.curve_table`), runs without the native core.
"""

from collections.abc import Callable
from math import isfinite
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
    BadEngineInput, and EngineDefect for a bug of ours.
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


def solve_law(
    law: str,
    verb: str,
    question: str | bytes,
    *,
    seconds: float | None = None,
    evaluations: int | None = None,
    progress: Progress | None = None,
) -> Solved:
    """What a verb of a law answers (JSON). Limits, `progress` and errors as in `solve`."""
    return Solved(*_core.solve_law(law, verb, question, seconds=seconds, evaluations=evaluations, progress=progress))


class FleetProgress(NamedTuple):
    """How far the search over a fleet is."""

    stage: str
    """choosing, exchanging or solving."""
    done: int
    total: int
    """Chains or hosts of this stage."""
    best: float | None
    bound: float | None
    """None: none yet."""
    evaluations: int


def plan_fleet(
    request: str | bytes,
    *,
    algorithm: str | None = None,
    seed: int = 0,
    seconds: float | None = None,
    progress: Callable[[FleetProgress], bool] | None = None,
) -> str:
    """Place the chains of a fleet (JSON), hosts on threads; `algorithm` None chooses by the size of each host.

    `progress` as in `solve`. Raises as `solve` does.
    """

    def on_progress(  # noqa: PLR0917 - the core's order
        stage: str, done: int, total: int, best: float, bound: float, evaluations: int
    ) -> bool:
        if progress is None:
            return False
        return progress(FleetProgress(stage, done, total, _finite(best), _finite(bound), evaluations))

    return _core.plan_fleet(request, algorithm=algorithm, seed=seed, seconds=seconds, progress=on_progress)


def _finite(figure: float) -> float | None:
    return figure if isfinite(figure) else None


def evaluate(evaluation: str | bytes) -> str:
    """What the placement in {"problem": ..., "assignment": ...} is worth, NF by NF. Raises as `solve` does."""
    return _core.evaluate(evaluation)


def explain(evaluation: str | bytes) -> str:
    """Who hurts whom under the placement in {"problem": ..., "assignment": ...}. Raises as `solve` does."""
    return _core.explain(evaluation)


def report(
    evaluation: str | bytes, *, most_moves: int = 0, most_causes: int | None = None, seconds: float | None = None
) -> str:
    """All that a plan shows of a host with the placement in {"problem": ..., "assignment": ...}.

    `most_moves` points of the frontier are searched for `seconds`; `most_causes`: how many causes of each NF's loss are
    reported at most, greatest first; None: all. Raises as `solve` does."""
    return _core.report(evaluation, most_moves=most_moves, most_causes=most_causes, seconds=seconds)


def algorithms() -> str:
    """What is declared of every algorithm (JSON), in the order in which they are offered."""
    return _core.algorithms()


def numasfp_algorithms() -> str:
    """What is declared of NUMASFP's algorithms (JSON)."""
    return _core.numasfp_algorithms()


def generate(*, chains: int, nodes: int, cores: int, length: int, mode: Literal["A", "B", "C"], seed: int) -> str:
    """A problem (JSON) for tests and benchmarks; equal seeds give equal problems on any machine.

    Mode A: four NF types, B: every NF its own profile, C: types of similar speed.
    """
    return _core.generate(chains=chains, nodes=nodes, cores=cores, length=length, mode=mode, seed=seed)
