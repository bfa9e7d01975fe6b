"""Prioritised experience replay (Schaul and others): what surprised is seen more often, and weighs less for it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sextant_lab.school.games import Floats, Ints, Played, States

ALPHA = 0.6
"""How much surprise counts."""
LEAST = 1e-3
"""Of a priority: what surprised nobody is seen again, too."""


class Replay:
    """A ring of choices with what they were worth. Priorities are leaves of a tree of sums."""

    def __init__(self, capacity: int, cores: int, most_vnfs: int) -> None:
        """`capacity` is rounded up to a power of two."""
        self._size = 1 << (capacity - 1).bit_length()
        self._states = States(
            np.zeros((self._size, cores, 2), dtype=np.float32),
            np.zeros((self._size, most_vnfs, 4), dtype=np.float32),
            np.zeros((self._size, most_vnfs), dtype=bool),
            np.zeros(self._size, dtype=np.int64),
        )
        self._chosen = np.zeros(self._size, dtype=np.int64)
        self._payoffs = np.zeros(self._size, dtype=np.float32)
        self._sums = np.zeros(2 * self._size)
        self._next = 0
        self.held = 0

    def add(self, played: Played) -> None:
        """New ones are as surprising as the most surprising so far."""
        count = len(played.chosen)
        at = (self._next + np.arange(count)) % self._size
        for name in States.__slots__:
            getattr(self._states, name)[at] = getattr(played.states, name)
        self._chosen[at], self._payoffs[at] = played.chosen, played.payoffs
        most = float(self._sums[self._size :].max()) if self.held else 1.0
        self._next, self.held = (self._next + count) % self._size, min(self._size, self.held + count)
        self._set(at, np.full(count, most or 1.0))

    def draw(self, dice: np.random.Generator, count: int, beta: float) -> tuple[Ints, States, Ints, Floats, Floats]:
        """In proportion to priority: places, states, cores, payoffs, and weights that undo the proportion by `beta`."""
        left = (np.arange(count) + dice.random(count)) * (self._sums[1] / count)
        at = np.ones(count, dtype=np.int64)
        while at[0] < self._size:
            at *= 2
            beyond = (left >= self._sums[at]) & (self._sums[at + 1] > 0)
            left = np.where(beyond, left - self._sums[at], left)
            at += beyond
        places = at - self._size
        chance = np.maximum(self._sums[at] / self._sums[1], 1e-12)
        weights = (self.held * chance) ** -beta
        weights = (weights / weights.max()).astype(np.float32)
        return places, self._states[places], self._chosen[places], self._payoffs[places], weights

    def surprise(self, places: Ints, errors: NDArray[Any]) -> None:
        """How wrong the network was about these."""
        self._set(places, (np.abs(errors) + LEAST) ** ALPHA)

    def _set(self, places: Ints, priorities: NDArray[np.float64]) -> None:
        at = places + self._size
        self._sums[at] = priorities
        while at[0] > 1:
            at = np.unique(at // 2)
            self._sums[at] = self._sums[2 * at] + self._sums[2 * at + 1]
