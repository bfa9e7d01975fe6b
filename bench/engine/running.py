"""Runs solvers in processes of their own and summarises what they answered."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from peer_running import answered

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Run:
    """Answers of one solver to one row's problems."""

    answers: tuple[dict[str, Any], ...]
    rss_mib: float
    """Peak of the solver's process."""

    @property
    def cpu_ms(self) -> list[float]:
        """CPU milliseconds, one a problem."""
        return [answer["cpu_seconds"] * 1e3 for answer in self.answers]

    @property
    def median_ms(self) -> float:
        """Median of `cpu_ms`."""
        return median(self.cpu_ms)

    @property
    def most_ms(self) -> float:
        """Greatest of `cpu_ms`."""
        return max(self.cpu_ms)

    @property
    def proven(self) -> int:
        """Problems whose optimum was proven."""
        return sum(answer["proven"] for answer in self.answers)


def ours(
    recipes: Sequence[dict[str, Any]],
    algorithm: str,
    params: dict[str, Any] | None = None,
    seconds: float | None = None,
) -> Run:
    """One of our algorithms."""
    job = {"recipes": list(recipes), "algorithm": algorithm, "params": params, "seconds": seconds}
    answer = answered([sys.executable, str(HERE / "ours.py")], job)
    return Run(tuple(answer["answers"]), answer["rss_kib"] / 1024)


def peer(name: str, problems: Sequence[str], seconds: float, python: Path) -> Run:
    """`cpsat` or `highs`, a process a problem: the two cannot be imported together."""
    script = str(HERE / "peers" / f"{name}.py")
    answers = [answered([str(python), script], {"problem": json.loads(text), "seconds": seconds}) for text in problems]
    return Run(tuple(answers), max(answer["rss_kib"] for answer in answers) / 1024)
