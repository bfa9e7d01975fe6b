"""The skeleton of the two baselines: chain by chain, NF by NF, each on the node its rule prefers.

Two candidates are built and the better one by the order of aims is taken: one from scratch, and, where something
runs already, one in which it stays and only the rest is placed. Chains go by falling value (the first aim); within a
chain, NFs without a choice take their cores first.
"""

from collections.abc import Callable, Iterable

from sextant_engine.algorithms.outcome import Outcome
from sextant_engine.model import Assignment, Model, Pattern
from sextant_engine.rank import allowed_nodes, rank_of, violations

Prefer = Callable[[Model, list[int], int, tuple[int, ...]], int]
"""(model, free cores by node, chain, allowed nodes with a free core) -> the node to take."""


def run_greedy(model: Model, prefer: Prefer) -> Outcome:
    """Place by `prefer`; the better of `from scratch` and `what runs stays`."""
    fresh = _place(model, prefer, stay=False)
    candidates = [fresh]
    if any(pattern is not None for pattern in model.initial):
        candidates.append(_place(model, prefer, stay=True))
    allowed = [candidate for candidate in candidates if not violations(model, candidate)]
    if not allowed:
        return Outcome([None] * len(model.weights), len(candidates), proven=False)
    best = allowed[0]
    for candidate in allowed[1:]:
        if rank_of(model, candidate).beats(rank_of(model, best)):
            best = candidate
    return Outcome(best, len(candidates), proven=False)


def _place(model: Model, prefer: Prefer, stay: bool) -> Assignment:
    room = list(model.free)
    choices = [allowed_nodes(model, index) for index in range(len(model.weights))]
    assignment: Assignment = [None] * len(model.weights)
    if stay:
        for index, before in enumerate(model.initial):
            if before is not None and _fits(before, choices[index], room):
                assignment[index] = before
                for node in before:
                    room[node] -= 1
    for index in _order(model, choices):
        if assignment[index] is None:
            assignment[index] = _seat(model, prefer, room, index, choices[index])
    return assignment


def _order(model: Model, choices: list[list[tuple[int, ...]]]) -> Iterable[int]:
    """Chains without any choice first, then by falling value, then as given."""
    return sorted(
        range(len(choices)),
        key=lambda index: (
            any(len(allowed) > 1 for allowed in choices[index]),
            -model.problem.chains[index].value,
            index,
        ),
    )


def _fits(pattern: Pattern, allowed: list[tuple[int, ...]], room: list[int]) -> bool:
    return all(node in choice for node, choice in zip(pattern, allowed, strict=True)) and all(
        pattern.count(node) <= room[node] for node in set(pattern)
    )


def _seat(model: Model, prefer: Prefer, room: list[int], index: int, allowed: list[tuple[int, ...]]) -> Pattern | None:
    """Seat one chain and take its cores from `room`; None, and `room` as it was, if some NF finds no core."""
    taken: dict[int, int] = {}
    for position in sorted(range(len(allowed)), key=lambda position: (len(allowed[position]) > 1, position)):
        open_nodes = tuple(node for node in allowed[position] if room[node] > 0)
        if not open_nodes:
            for node in taken.values():
                room[node] += 1
            return None
        node = prefer(model, room, index, open_nodes)
        taken[position] = node
        room[node] -= 1
    return tuple(taken[position] for position in range(len(allowed)))
