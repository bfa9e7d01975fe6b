"""Many games at once (Sec. IV-A): VNFs choose their cores in turn, each knowing what was chosen and who is to come.

What a VNF gains is known at the end: the part of what it asks for that its core serves, min(1, gamma / load), by the
ideal model (Sec. IV-E) or, where a fitted cost is given, by what VNFs ask for beside others. What is known when a VNF
chooses is the same with both: loads alone, as the engine has them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sextant_lab.school.costs import Beside, Cost

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

DEAREST = 8030.0
"""Cycles a packet that count as 1, as the engine has it."""
MPPS = 1e6


@dataclass(frozen=True, slots=True)
class States:
    """What is known when a VNF chooses, game by game. Rows beyond a game's VNFs are nobody."""

    cores: Floats
    """By game and core: load so far, occupants."""
    vnfs: Floats
    """By game and VNF: cost, Mpps, load, 1 if it has chosen."""
    there: NDArray[np.bool_]
    """By game and VNF: whether there is one."""
    current: Ints
    """By game: who chooses."""

    def __getitem__(self, games: NDArray[Any]) -> "States":
        return States(self.cores[games], self.vnfs[games], self.there[games], self.current[games])


Chooser = Callable[[States], Ints]
"""A core for each game."""


@dataclass(frozen=True, slots=True)
class Played:
    """Choices with what each was worth: states, cores, payoffs; and by game the part of the packets that is served."""

    states: States
    chosen: Ints
    payoffs: Floats
    served: NDArray[np.float64]


class Games:
    """Of several instances, of one number of cores."""

    _beside: Beside | None = None
    """None: by the ideal model. Checkpoints from before there were costs have none."""

    def __init__(self, instances: Sequence[dict[str, Any]], most_vnfs: int, cost: Cost | None = None) -> None:
        """`most_vnfs`: rows of a state. Instances are questions of `solve`; with a cost their VNFs have kinds."""
        count = len(instances)
        self.cores = int(instances[0]["cores"])
        self._gamma = float(instances[0]["gamma"])
        self._rows = np.zeros((count, most_vnfs, 4), dtype=np.float32)
        self._loads = np.zeros((count, most_vnfs))
        self._there = np.zeros((count, most_vnfs), dtype=bool)
        self._chains = [instance["chains"] for instance in instances]
        self._rates = [
            [instance["vnfs"][chain[0]]["rate_pps"] for chain in instance["chains"]] for instance in instances
        ]
        for game, instance in enumerate(instances):
            for vnf, given in enumerate(instance["vnfs"]):
                load = given["cycles"] * given["rate_pps"] / instance["clock_hz"]
                self._rows[game, vnf, :3] = min(1.0, given["cycles"] / DEAREST), given["rate_pps"] / MPPS, load
                self._loads[game, vnf] = load
                self._there[game, vnf] = True
        if cost is not None:
            self._beside = Beside(cost, instances, self._loads)

    def play(self, choose: Chooser) -> Played:
        """All VNFs in the order of arrival; only those of games that have one at a turn choose."""
        count, most = self._there.shape
        every = np.arange(count)
        cores, rows = np.zeros((count, self.cores, 2), dtype=np.float32), self._rows.copy()
        at = np.zeros((count, most), dtype=np.int64)
        seen: list[tuple[States, Ints, Ints]] = []
        for turn in range(most):
            games = every[self._there[:, turn]]
            if not len(games):
                break
            now = States(
                cores[games].copy(), rows[games].copy(), self._there[games], np.full(len(games), turn, dtype=np.int64)
            )
            chosen = choose(now)
            seen.append((now, chosen, games))
            at[games, turn] = chosen
            cores[games, chosen, 0] += rows[games, turn, 2]
            cores[games, chosen, 1] += 1
            rows[games, turn, 3] = 1
        return self._finished(at, seen)

    def served(self, at: Ints) -> NDArray[np.float64]:
        """By game, the part of the packets that is served where VNFs stand so; `at`: by game and VNF."""
        return self._served(at, self._parts(at))

    def _finished(self, at: Ints, seen: Sequence[tuple[States, Ints, Ints]]) -> Played:
        parts = self._parts(at)
        payoffs = [parts[games, chosen].astype(np.float32) for _, chosen, games in seen]
        states = States(*(np.concatenate([getattr(one, name) for one, _, _ in seen]) for name in States.__slots__))
        return Played(
            states, np.concatenate([chosen for _, chosen, _ in seen]), np.concatenate(payoffs), self._served(at, parts)
        )

    def _parts(self, at: Ints) -> NDArray[np.float64]:
        """By game and core: of what it is asked for, what it serves."""
        if self._beside is not None:
            return self._beside.parts(at, self.cores)
        count = len(at)
        asked = np.zeros((count, self.cores))
        for turn in range(at.shape[1]):
            asked[np.arange(count), at[:, turn]] += self._loads[:, turn]
        return np.minimum(1.0, self._gamma / np.maximum(asked, 1e-9))

    def _served(self, at: Ints, parts: NDArray[np.float64]) -> NDArray[np.float64]:
        """A chain carries the least part of its VNFs."""
        found = np.empty(len(at))
        for game, (chains, rates) in enumerate(zip(self._chains, self._rates, strict=True)):
            carried = (rate * parts[game, at[game, chain]].min() for chain, rate in zip(chains, rates, strict=True))
            found[game] = sum(carried) / sum(rates)
        return found
