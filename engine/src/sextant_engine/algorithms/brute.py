"""Exhaustive search: every way to accept or reject and to seat every NF. The reference for tiny problems."""

from dataclasses import dataclass
from itertools import product
from math import prod

from sextant_engine.algorithms import node_first
from sextant_engine.algorithms.outcome import NoParams, Outcome
from sextant_engine.errors import BadInput
from sextant_engine.model import Assignment, Model
from sextant_engine.rank import Rank, allowed_nodes, close, moves_of, rank_of, violations
from sextant_engine.stop import Never, Stop

NAME = "brute"


class TooLarge(BadInput):
    """The problem has more placements than exhaustive search may try."""


@dataclass(frozen=True)
class Params:
    """Guard of the exhaustive search."""

    max_placements: int = 300_000
    """About ten seconds of pure Python at six chains."""


def placements_of(model: Model) -> int:
    """How many combinations there are, infeasible ones included: the product over chains of patterns + 1."""
    return prod(
        prod(len(allowed) for allowed in allowed_nodes(model, index)) + 1 for index in range(len(model.weights))
    )


def run(model: Model, params: Params, seed: int, stop: Stop, start: Assignment | None) -> Outcome:
    """Best of all, or best so far when `stop` says so; raises TooLarge beyond the guard."""
    size = placements_of(model)
    if size > params.max_placements:
        raise TooLarge(
            "algorithm",
            f"brute would try {size:.3g} placements, at most {params.max_placements} are allowed; "
            "use node_first or node_balance, or pin more NFs",
        )
    search = _Search(model, stop, start or node_first.run(model, NoParams(), seed, Never(), None).assignment)
    search.descend(0, list(model.free), 0.0)
    return Outcome(search.best, search.evaluations, proven=not search.stopped)


class _Search:
    """Depth first over the chains; a branch that cannot reach the best accepted value is cut."""

    def __init__(self, model: Model, stop: Stop, start: Assignment) -> None:
        self.model, self.stop = model, stop
        self.patterns = [list(product(*allowed_nodes(model, index))) for index in range(len(model.weights))]
        values = [chain.value for chain in model.problem.chains]
        self.value_left = [sum(values[index:]) for index in range(len(values) + 1)]
        self.current: Assignment = [None] * len(values)
        usable = start if not violations(model, start) else list(self.current)
        self.best: Assignment = list(usable)
        self.best_rank: Rank = rank_of(model, self.best)
        self.evaluations, self.stopped = 1, False

    def descend(self, index: int, room: list[int], value: float) -> None:
        reachable = value + self.value_left[index]
        if self.stopped or (reachable < self.best_rank.value and not close(reachable, self.best_rank.value)):
            return
        if index == len(self.patterns):
            self._judge()
            return
        for pattern in self.patterns[index]:
            if all(pattern.count(node) <= room[node] for node in set(pattern)):
                for node in pattern:
                    room[node] -= 1
                self.current[index] = pattern
                self.descend(index + 1, room, value + self.model.problem.chains[index].value)
                for node in pattern:
                    room[node] += 1
        self.current[index] = None
        self.descend(index + 1, room, value)

    def _judge(self) -> None:
        limit = self.model.problem.max_moves
        if limit is None or moves_of(self.model, self.current) <= limit:
            rank = rank_of(self.model, self.current)
            self.evaluations += 1
            if rank.beats(self.best_rank):
                self.best, self.best_rank = list(self.current), rank
        self.stopped = self.stop.reached(self.evaluations)
