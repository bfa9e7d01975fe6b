"""Seeded worlds of VNFs that hurt each other, whose truth no solver is shown: kinds hurt kinds by load on a core, a
quarter of that on the socket, and a packet from another core costs 60 cycles, from another socket 240."""

import json
import random
from itertools import pairwise

from sextant_engine.laws.sfc2cpu.command import _VERBS
from sextant_engine.stop import Stop

KINDS = ("crypto", "dpi", "lpm", "nat")


def asked(verb, question):
    """What a verb answers."""
    return json.loads(_VERBS[verb][1](json.dumps(question).encode(), Stop()))


class World:
    """Up to `load` of all cores asked for by VNFs alone, and up to `hurt` added by each other."""

    def __init__(self, seed, cores=4, vnfs=12, load=0.85, hurt=0.6):
        dice = random.Random(seed)
        order = list(range(vnfs))
        cuts = sorted(dice.sample(range(1, vnfs), 3))
        self.chains = [order[one:other] for one, other in zip([0, *cuts], [*cuts, vnfs], strict=True)]
        rates = [dice.uniform(2e5, 8e5) for _ in self.chains]
        self.rates = [rate for chain, rate in zip(self.chains, rates, strict=True) for _ in chain]
        parts = [dice.uniform(0.2, 1) for _ in order]
        self.clock_hz = 2.2e9
        scale = load * cores * self.clock_hz / sum(parts)
        self.cycles = [part * scale / rate for part, rate in zip(parts, self.rates, strict=True)]
        self.kinds = [dice.choice(KINDS) for _ in order]
        self.cores = [{"id": core, "socket": 2 * core // cores} for core in range(cores)]
        hurts = [(dice.uniform(0.1, 1.5), dice.uniform(0.1, 1.5)) for _ in KINDS]
        self.hurt = {
            (one, other): hurt * hurts[a][0] * hurts[b][1]
            for a, one in enumerate(KINDS)
            for b, other in enumerate(KINDS)
        }

    def question(self):
        """All that is known before anything ran."""
        vnfs = zip(self.cycles, self.rates, self.kinds, strict=True)
        return {
            "vnfs": [{"cycles": cycles, "rate_pps": rate, "kind": kind} for cycles, rate, kind in vnfs],
            "chains": self.chains,
            "cores": self.cores,
            "clock_hz": self.clock_hz,
            "gamma": 0.97,
        }

    def seen(self, at):
        """Cycles of a packet."""
        socket = [self.cores[core]["socket"] for core in at]
        loads = [cycles * rate / self.clock_hz for cycles, rate in zip(self.cycles, self.rates, strict=True)]
        found = []
        for one, cycles in enumerate(self.cycles):
            added = 0.0
            for other in range(len(at)):
                near = 1 if at[one] == at[other] else 0.25 if socket[one] == socket[other] else 0
                added += near * (one != other) * self.hurt[self.kinds[one], self.kinds[other]] * loads[other]
            found.append(cycles * (1 + added))
        for before, after in (pair for chain in self.chains for pair in pairwise(chain)):
            if at[before] != at[after]:
                found[after] += 60 if socket[before] == socket[after] else 240
        return found

    def served(self, at):
        """Mpps, and the greatest load."""
        loads = [0.0] * len(self.cores)
        for core, cycles, rate in zip(at, self.seen(at), self.rates, strict=True):
            loads[core] += cycles * rate / self.clock_hz
        chains = [self.rates[chain[0]] * min(1, 0.97 / max(loads[at[vnf]] for vnf in chain)) for chain in self.chains]
        return sum(chains) / 1e6, max(loads)

    def placements(self, count=200, seed=0, noise=0.0, bursts=0.0):
        """Drawn ones, as they ran; a burst that was pre-empted reads three times."""
        dice = random.Random(seed)
        found = []
        for _ in range(count):
            at = [dice.randrange(len(self.cores)) for _ in self.cycles]
            seen = [cycles * dice.gauss(1, noise) * (3 if dice.random() < bursts else 1) for cycles in self.seen(at)]
            found.append({"cores": at, "system": self.served(at)[0], "cycles_seen": seen})
        return found

    def best(self, at, seed=0, steps=2000):
        """What so many trials on the truth find, from an assignment on."""
        dice = random.Random(seed)
        best = self.served(at)
        for _ in range(steps):
            other = list(at)
            one, two = dice.randrange(len(at)), dice.randrange(len(at))
            if dice.random() < 0.5:
                other[one], other[two] = other[two], other[one]
            else:
                other[one] = dice.randrange(len(self.cores))
            found = self.served(other)
            if (found[0], -found[1]) >= (best[0], -best[1]):
                at, best = other, found
        return best[0]
