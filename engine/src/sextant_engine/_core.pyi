"""The native core (engine/binding): from JSON text to JSON text. `native` is what the rest of Sextant uses, and
`modelling.curve_table` of curves and `modelling.stored_process` of processes."""

from collections.abc import Callable, Sequence
from typing import final

__all__ = [
    "CurveTable",
    "ProcessTable",
    "algorithms",
    "evaluate",
    "explain",
    "generate",
    "numasfp_algorithms",
    "plan_fleet",
    "report",
    "solve",
    "solve_law",
]

_Load = tuple[float, float, float, float, float]
_Fed = tuple[Sequence[tuple[int, int]], int, float]

def solve(
    problem: str | bytes,
    algorithm: str,
    *,
    params: str | None = None,
    seed: int = 0,
    seconds: float | None = None,
    evaluations: int | None = None,
    start: str | None = None,
    progress: Callable[[float, float, int], bool] | None = None,
) -> tuple[str, float]: ...
def solve_law(
    law: str,
    verb: str,
    question: str | bytes,
    *,
    seconds: float | None = None,
    evaluations: int | None = None,
    progress: Callable[[float, float, int], bool] | None = None,
) -> tuple[str, float]: ...
def plan_fleet(
    request: str | bytes,
    *,
    algorithm: str | None = None,
    seed: int = 0,
    seconds: float | None = None,
    evaluations: int | None = None,
    threads: int | None = None,
    progress: Callable[[str, int, int, float, float, int], bool] | None = None,
) -> str: ...
def evaluate(evaluation: str | bytes) -> str: ...
def explain(evaluation: str | bytes) -> str: ...
def report(
    evaluation: str | bytes, *, most_moves: int = 0, most_causes: int | None = None, seconds: float | None = None
) -> str: ...
def algorithms() -> str: ...
def numasfp_algorithms() -> str: ...
def generate(*, chains: int, nodes: int, cores: int, length: int, mode: str, seed: int) -> str: ...

@final
class CurveTable:
    def __new__(
        cls,
        *,
        types: int,
        curves: Sequence[tuple[int, bool, int | None]],
        samples: Sequence[tuple[int, float, float, Sequence[tuple[int, bool, float]]]],
    ) -> CurveTable: ...
    def raised(self, exponent: float) -> CurveTable: ...
    def fit(
        self, left: Sequence[bool]
    ) -> tuple[
        list[float | None],
        list[float | None],
        list[tuple[int, list[float], list[float], float, int]],
        list[float | None],
    ]: ...

@final
class ProcessTable:
    def __new__(
        cls,
        *,
        shape: tuple[float, float, float, _Load, float],
        average_mpps: float,
        types: Sequence[
            tuple[
                float,
                float,
                float,
                Sequence[tuple[bool, bool, bool, float]],
                Sequence[tuple[int, _Load, float, float]],
            ]
        ],
    ) -> ProcessTable: ...
    def drops(self, nf_type: int, loads: Sequence[tuple[int, _Load]]) -> list[tuple[float, float]]: ...
    def rates(self, chains: Sequence[_Fed]) -> tuple[list[float], bool]: ...
    def rest(self, chains: Sequence[_Fed]) -> tuple[list[float], bool, list[list[tuple[float, float, float]]]]: ...
