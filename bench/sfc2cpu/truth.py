"""A truth that solvers are not shown: what VNFs cost beside others, by the kinds of both, and hand-offs by distance.

It has the form of the model that is fitted on it; a real host, and the twin, have not. What is found here is therefore
the most that can be hoped for.
"""

import random
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from drawing import SETTINGS

HAND_OFF = (60.0, 240.0)
"""Cycles of a packet from another core of the socket, and of another one."""
SOCKET = 0.25
"""Of what others on the same core add."""

Question = dict[str, Any]


class Truth:
    """Sensitivity and aggressiveness of each kind, drawn once an instance."""

    def __init__(self, dice: random.Random, hurt: float) -> None:
        kinds = [f"k{index}" for index in range(SETTINGS["headroom"]["kinds"])]
        drawn = {kind: (dice.uniform(0.3, 1.7), dice.uniform(0.3, 1.7)) for kind in kinds}
        self.kinds = kinds
        self.hurt = {(a, b): hurt * drawn[a][0] * drawn[b][1] for a in kinds for b in kinds}

    def seen(self, question: Question, at: Sequence[int]) -> list[float]:
        """Cycles of a packet, VNF by VNF."""
        vnfs, clock = question["vnfs"], question["clock_hz"]
        loads = [vnf["cycles"] * vnf["rate_pps"] / clock for vnf in vnfs]
        sockets = [question["cores"][core]["socket"] for core in at]
        found = []
        for one, vnf in enumerate(vnfs):
            added = 0.0
            for other, beside in enumerate(vnfs):
                if one != other and sockets[one] == sockets[other]:
                    near = 1.0 if at[one] == at[other] else SOCKET
                    added += near * self.hurt[vnf["kind"], beside["kind"]] * loads[other]
            found.append(vnf["cycles"] * (1 + added))
        for before, after in (pair for chain in question["chains"] for pair in pairwise(chain)):
            if at[before] != at[after]:
                found[after] += HAND_OFF[sockets[before] != sockets[after]]
        return found

    def served(self, question: Question, at: Sequence[int]) -> tuple[float, float]:
        """Part of the packets, and minus the greatest load."""
        loads = [0.0] * len(question["cores"])
        for core, cycles, vnf in zip(at, self.seen(question, at), question["vnfs"], strict=True):
            loads[core] += cycles * vnf["rate_pps"] / question["clock_hz"]
        rates = [question["vnfs"][chain[0]]["rate_pps"] for chain in question["chains"]]
        parts = [min(1.0, question["gamma"] / max(loads[at[vnf]] for vnf in chain)) for chain in question["chains"]]
        carried = sum(rate * part for rate, part in zip(rates, parts, strict=True))
        return carried / sum(rates), -max(loads)


def question(dice: random.Random, cores: int, kinds: Sequence[str]) -> Question:
    """16 VNFs of four chains on two sockets, together as much as the settings say."""
    order = list(range(16))
    cuts = sorted(dice.sample(range(1, 16), 3))
    chains = [order[one:other] for one, other in zip([0, *cuts], [*cuts, 16], strict=True)]
    parts = [dice.gammavariate(SETTINGS["instances"]["alpha"], 1.0) for _ in chains]
    rates = [SETTINGS["instances"]["system_pps"] * part / sum(parts) for part in parts]
    sizes = [dice.uniform(0.2, 1.0) for _ in order]
    scale = SETTINGS["headroom"]["load"] * cores * SETTINGS["clock_hz"] / sum(sizes)
    rate_of = {vnf: rate for chain, rate in zip(chains, rates, strict=True) for vnf in chain}
    return {
        "vnfs": [
            {"cycles": size * scale / rate_of[vnf], "rate_pps": rate_of[vnf], "kind": dice.choice(kinds)}
            for vnf, size in enumerate(sizes)
        ],
        "chains": chains,
        "cores": [{"id": core, "socket": 2 * core // cores} for core in range(cores)],
        "clock_hz": SETTINGS["clock_hz"],
        "gamma": SETTINGS["gamma"],
    }


def placements(dice: random.Random, truth: Truth, asked: Question) -> list[dict[str, Any]]:
    """Drawn ones as they ran, each figure with noise."""
    given, found = SETTINGS["headroom"], []
    for _ in range(given["placements"]):
        at = [dice.randrange(len(asked["cores"])) for _ in asked["vnfs"]]
        seen = [cycles * dice.gauss(1, given["noise"]) for cycles in truth.seen(asked, at)]
        rates = sum(asked["vnfs"][chain[0]]["rate_pps"] for chain in asked["chains"])
        found.append({"cores": at, "system": truth.served(asked, at)[0] * rates / 1e6, "cycles_seen": seen})
    return found


def best_found(dice: random.Random, truth: Truth, asked: Question, starts: Sequence[Sequence[int]]) -> float:
    """Uphill on the truth from the best start, for so many evaluations."""
    best, at = max((truth.served(asked, start), list(start)) for start in starts)
    for _ in range(SETTINGS["headroom"]["evaluations"] - len(starts)):
        other = list(at)
        one, two = dice.randrange(len(at)), dice.randrange(len(at))
        if dice.random() < 0.5:
            other[one], other[two] = other[two], other[one]
        else:
            other[one] = dice.randrange(len(asked["cores"]))
        found = truth.served(asked, other)
        if found >= best:
            at, best = other, found
    return best[0]
