"""Local search under any judge: the best of some candidates, then moves and swaps of NFs while they pay.

Nothing is used of a judge but its figures, so that nothing is proved here: the result is the best that was seen. Moves
and swaps are tried in turn, and taken as soon as one pays (first improvement): from every candidate, then from seeded
disturbances of the best (iterated local search; H. Lourenco, O. Martin and T. Stuetzle, Handbook of Metaheuristics).
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf
from time import monotonic

from sextant_engine.problem import Placement, PlacementProblem
from sextant_engine.stop import Stop

Judge = Callable[[Placement], float | None]
"""Sum of value x Mpps over all chains of a placement; None where it cannot be predicted."""

LEAST_GAIN = 5e-4
"""Of the score, to be a gain: predictors that look for rates at rest know them to about 1e-4."""
KICKS = 6
"""Disturbances of the best, in a row without a gain."""
KICKED = 3
"""Moves or swaps in each."""
REPORT_EVERY_S = 0.1

Seats = tuple[str, ...]
"""The node of every NF, chain by chain."""
_Step = tuple[int, str | int]
"""An NF, and the node that it moves to or the NF that it changes nodes with."""


@dataclass(frozen=True, slots=True)
class MovesSeen:
    """The best that was seen with at most so many moves from the initial placement."""

    moves: int
    score: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The best placement that was seen."""

    placement: Placement
    score: float
    """By the judge, less the price of moves."""
    begun_with: str
    """The candidate that led to it."""
    improved: bool
    """False: it is that candidate."""
    candidates: Mapping[str, float]
    """Score of each."""
    evaluations: int
    ended: bool
    """By its limit: there was more to try."""
    by_moves: tuple[MovesSeen, ...]
    """By rising moves, each better than those before."""


def local_search(
    problem: PlacementProblem,
    candidates: Mapping[str, Placement],
    judge: Judge,
    *,
    seed: int = 0,
    stop: Stop | None = None,
) -> SearchResult | None:
    """The best placement of those chains that the candidates of most value accept; never worse than one of these.

    Candidates must be feasible. Equal seeds and limits of evaluations give equal results; whatever ends the search, the
    best so far is the result. None where a candidate cannot be judged.
    """
    values = {chain.id: chain.value for chain in problem.chains}
    accepted = {name: sum(values[chain] for chain in one) for name, one in candidates.items()}
    most = max(accepted.values(), default=0.0)
    full = {name: one for name, one in candidates.items() if accepted[name] >= most * (1 - 1e-9)}
    chains = {frozenset(one) for one in full.values()}
    if len(chains) != 1:  # nothing to place, or other chains in each: no moves lead from one to the other
        full = dict([max(full.items(), key=lambda one: len(one[1]))]) if full else {}
    if not any(full.values()):
        return None
    search = _Search(problem, sorted(next(iter(full.values()))), judge, stop or Stop())
    return search.run(full, random.Random(seed))  # noqa: S311 - lots, not secrets


class _Ended(Exception):
    """The limit is reached."""


class _Search:
    def __init__(self, problem: PlacementProblem, chains: Sequence[str], judge: Judge, stop: Stop) -> None:
        self._judge, self._stop, self._began, self._reported_at = judge, stop, monotonic(), 0.0
        self._price, self._most_moves = problem.move_price_mpps, problem.max_moves
        self._chains = [(chain.id, len(chain.nfs)) for chain in problem.chains if chain.id in chains]
        self._room = {node.id: node.cores - node.taken for node in problem.nodes}
        initial = problem.initial or {}
        self._initial: list[str | None] = [
            node for name, length in self._chains for node in initial.get(name, [None] * length)
        ]
        self._steps = _steps(problem, chains)
        self._known: dict[Seats, float | None] = {}
        self._best: tuple[float, Seats, str] = (-inf, (), "")

    def run(self, candidates: Mapping[str, Placement], lots: random.Random) -> SearchResult | None:
        """Candidates are judged whatever the limit."""
        seats = {name: self._seats(one) for name, one in candidates.items()}
        scores = {name: score for name, one in seats.items() if (score := self._score(one)) is not None}
        if len(scores) < len(seats):
            return None
        first = max(scores, key=lambda name: scores[name])
        self._best = (scores[first], seats[first], first)
        ended = False
        try:
            for name in sorted(scores, key=lambda name: -scores[name]):
                self._climb(seats[name], name)
            self._disturb(lots)
        except _Ended:
            ended = True
        score, found, begun_with = self._best
        return SearchResult(
            placement=self._placement(found),
            score=score,
            begun_with=begun_with,
            improved=found != seats[begun_with],
            candidates=scores,
            evaluations=len(self._known),
            ended=ended,
            by_moves=self._by_moves(),
        )

    def _climb(self, here: Seats, name: str) -> None:
        """To a placement that no move and no swap makes better."""
        score = self._judged(here)
        fruitless = turn = 0
        while score is not None and fruitless < len(self._steps):
            there = self._after(here, self._steps[turn % len(self._steps)])
            turn, fruitless = turn + 1, fruitless + 1
            if there is None:
                continue
            found = self._judged(there)
            if found is not None and _beats(found, score):
                here, score, fruitless = there, found, 0
                if _beats(score, self._best[0]):
                    self._best = (score, here, name)

    def _disturb(self, lots: random.Random) -> None:
        fruitless = 0
        while self._steps and fruitless < KICKS:
            before, here, name = self._best
            for _ in range(KICKED):
                here = self._after(here, lots.choice(self._steps)) or here
            self._climb(here, name)
            fruitless = 0 if self._best[0] > before else fruitless + 1

    def _after(self, here: Seats, step: _Step) -> Seats | None:
        """None where there is no room, nothing changes, or too much would move."""
        nf, to = step
        changed = {nf: here[to], to: here[nf]} if isinstance(to, int) else {nf: to}
        if all(here[one] == node for one, node in changed.items()):
            return None
        if not isinstance(to, int) and Counter(here)[to] >= self._room[to]:
            return None
        there = tuple([changed.get(one, node) for one, node in enumerate(here)])
        return None if self._most_moves is not None and self._moves(there) > self._most_moves else there

    def _judged(self, seats: Seats) -> float | None:
        """The same within the limits, which raise _Ended."""
        if seats in self._known:
            return self._known[seats]
        stop, passed = self._stop, monotonic() - self._began
        if stop.evaluations is not None and len(self._known) >= stop.evaluations:
            raise _Ended
        if stop.seconds is not None and passed >= stop.seconds:
            raise _Ended
        if stop.progress is not None and passed >= self._reported_at + REPORT_EVERY_S:
            self._reported_at = passed
            if stop.progress(self._best[0], inf, len(self._known)):
                raise _Ended
        return self._score(seats)

    def _score(self, seats: Seats) -> float | None:
        if seats not in self._known:
            worth = self._judge(self._placement(seats))
            self._known[seats] = None if worth is None else worth - self._price * self._moves(seats)
        return self._known[seats]

    def _moves(self, seats: Seats) -> int:
        return sum(then not in (None, now) for then, now in zip(self._initial, seats, strict=True))

    def _by_moves(self) -> tuple[MovesSeen, ...]:
        best: dict[int, float] = {}
        for seats, score in self._known.items():
            if score is not None:
                moves = self._moves(seats)
                best[moves] = max(score, best.get(moves, -inf))
        found: list[MovesSeen] = []
        for moves in sorted(best):
            if not found or best[moves] > found[-1].score:
                found.append(MovesSeen(moves, best[moves]))
        return tuple(found)

    def _seats(self, placement: Placement) -> Seats:
        return tuple(node for name, _ in self._chains for node in placement[name])

    def _placement(self, seats: Seats) -> Placement:
        nodes = iter(seats)
        return {name: tuple(next(nodes) for _ in range(length)) for name, length in self._chains}


def _beats(score: float, other: float) -> bool:
    return score > other + LEAST_GAIN * abs(other)


def _steps(problem: PlacementProblem, chains: Sequence[str]) -> list[_Step]:
    """All moves and swaps that pins allow."""
    allowed: list[frozenset[str]] = []
    for chain in problem.chains:
        if chain.id in chains:
            pins = chain.nf_pins or (None,) * len(chain.nfs)
            nodes = frozenset(chain.pin or [node.id for node in problem.nodes])
            allowed += [nodes if pin is None else frozenset([pin]) for pin in pins]
    moves: list[_Step] = [
        (nf, node.id)
        for nf, nodes in enumerate(allowed)
        for node in problem.nodes
        if node.id in nodes and len(nodes) > 1
    ]
    free = [nf for nf, nodes in enumerate(allowed) if len(nodes) > 1]
    return moves + [(one, other) for one, other in combinations(free, 2) if allowed[one] == allowed[other]]
