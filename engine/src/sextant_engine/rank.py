"""The order of aims: first the summed value of the accepted chains, then the score.

score = sum of value x counted throughput - price x moved NFs. A move is an NF whose node differs from the initial
placement; the NFs of a new chain move for nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sextant_engine.model import Assignment, Model, Pattern

TOLERANCE = 1e-9
"""Two scores closer than this (relative, or absolute below 1) are equal."""


@dataclass(frozen=True, slots=True)
class Rank:
    """How good a placement is."""

    value: float
    """Summed value of the accepted chains."""
    score: float

    def beats(self, other: "Rank") -> bool:
        """True if better by more than rounding."""
        if not close(self.value, other.value):
            return self.value > other.value
        return self.score > other.score and not close(self.score, other.score)


def close(a: float, b: float) -> bool:
    """Equal within TOLERANCE."""
    return abs(a - b) <= TOLERANCE * max(1.0, abs(a), abs(b))


def rank_of(model: Model, assignment: Sequence[Pattern | None]) -> Rank:
    """The rank of an assignment; one evaluation of the model."""
    value = score = 0.0
    for chain, figures in zip(model.problem.chains, model.evaluate(assignment), strict=True):
        if figures is not None:
            value += chain.value
            score += chain.value * figures.counted_mpps
    return Rank(value, score - model.problem.move_price_mpps * moves_of(model, assignment))


def moves_of(model: Model, assignment: Sequence[Pattern | None]) -> int:
    """NFs whose node differs from the problem's initial placement."""
    return sum(
        sum(now != then for now, then in zip(pattern, before, strict=True))
        for pattern, before in zip(assignment, model.initial, strict=True)
        if pattern is not None and before is not None
    )


def allowed_nodes(model: Model, index: int) -> list[tuple[int, ...]]:
    """For each NF of chain `index` the nodes its pins allow, rising."""
    chain = model.problem.chains[index]
    confined = tuple(sorted(model.node_of[node] for node in chain.pin)) if chain.pin else tuple(range(len(model.free)))
    pins = chain.nf_pins or (None,) * len(chain.nfs)
    return [confined if pin is None else (model.node_of[pin],) for pin in pins]


def violations(model: Model, assignment: Assignment) -> list[str]:
    """Why an assignment breaks capacity, pins or the limit on moves; empty if it does not."""
    found: list[str] = []
    used = [0] * len(model.free)
    for index, pattern in enumerate(assignment):
        for position, (node, allowed) in enumerate(zip(pattern or (), allowed_nodes(model, index), strict=False)):
            used[node] += 1
            if node not in allowed:
                where = f"chain '{model.problem.chains[index].id}', NF {position}"
                found.append(f"{where}: pinned, but placed on '{model.problem.nodes[node].id}'")
    for node, (need, free) in enumerate(zip(used, model.free, strict=True)):
        if need > free:
            found.append(f"node '{model.problem.nodes[node].id}': {need} NFs for {free} free cores")
    limit = model.problem.max_moves
    if limit is not None and moves_of(model, assignment) > limit:
        found.append(f"{moves_of(model, assignment)} moves, {limit} allowed")
    return found


def solo_bound(model: Model, assignment: Sequence[Pattern | None]) -> float:
    """No placement that accepts the same chains can score more: each chain as if it had the host to itself.

    llc, mem and the price of moves are never negative, so throughput <= ideal (1 - c) on the better kind of node.
    """
    bound = 0.0
    for index, pattern in enumerate(assignment):
        if pattern is None:
            continue
        best = min(
            max(
                nf.ideal.local * (1 - nf.local.c)
                if node == model.ingress[index]
                else nf.ideal.remote * (1 - nf.remote.c)
                for node in allowed
            )
            for nf, allowed in zip(model.types[index], allowed_nodes(model, index), strict=True)
        )
        bound += model.problem.chains[index].value * model.counted(index, best)
    return bound
