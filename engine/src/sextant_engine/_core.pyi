"""The native core (engine/binding): from JSON text to JSON text. `native` is what the rest of Sextant uses."""

from collections.abc import Callable

__all__ = ["generate", "solve"]

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
def generate(*, chains: int, nodes: int, cores: int, length: int, mode: str, seed: int) -> str: ...
