"""Instances as the paper draws them (Sec. III-C, Table I): chains, VNFs, rates and costs."""

import random
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Drawing:
    """What is drawn. The paper's loops are mended: its 130 contradict its loads, 1000 do not."""

    system_pps: float = 2.0e6
    """Of all chains together."""
    chains: int = 8
    """1 to."""
    vnfs_a_chain: int = 8
    vnfs: tuple[int, int] = (4, 16)
    alpha: float = 5.0
    """Of the Dirichlet distribution of rates."""
    loops: float = 1000.0
    cycles: float = 80.0
    cycles_a_loop: float = 7.95
    clock_hz: float = 2.2e9
    """The paper's EPYC 7301."""
    gamma: float = 0.97
    """Part of a core's time that is left by switches, within .95 and 1."""

    def instance(self, dice: random.Random, cores: int) -> dict[str, Any]:
        """A question of `solve`. VNFs go to chains without one first, then to any that is not full; each VNF is no
        larger than a core, or than what a core that it is drawn for has left."""
        count = dice.randint(1, self.chains)
        parts = [dice.gammavariate(self.alpha, 1.0) for _ in range(count)]
        rates = [self.system_pps * part / sum(parts) for part in parts]
        chains: list[list[int]] = [[] for _ in range(count)]
        least, most = self.vnfs
        loads = [0.0] * cores
        vnfs: list[dict[str, float]] = []
        for _ in range(dice.randint(max(least, count), most)):
            empty = [index for index, chain in enumerate(chains) if not chain]
            open_ones = [index for index, chain in enumerate(chains) if len(chain) < self.vnfs_a_chain]
            if not open_ones:
                break
            chain = empty[0] if empty else dice.choice(open_ones)
            cycles = self._cycles(dice, rates[chain], loads)
            if cycles is None:
                break
            chains[chain].append(len(vnfs))
            vnfs.append({"cycles": cycles, "rate_pps": rates[chain]})
        return {
            "vnfs": vnfs,
            "chains": [chain for chain in chains if chain],
            "cores": cores,
            "clock_hz": self.clock_hz,
            "gamma": self.gamma,
        }

    def numbered(self, seed: int, cores: int, number: int) -> dict[str, Any]:
        """The same for the same seed, number of cores and number, whatever is asked of it."""
        return self.instance(random.Random(f"{seed} {cores} {number}"), cores)  # noqa: S311

    def _cycles(self, dice: random.Random, rate: float, loads: list[float]) -> float | None:
        """Of a packet, and the core that it is drawn for takes it; None: not even the smallest VNF fits."""
        most = min(self.loops, (self.clock_hz / rate - self.cycles) / self.cycles_a_loop)
        cycles = self.cycles + self.cycles_a_loop * dice.uniform(0, most)
        load: float = cycles * rate / self.clock_hz
        fit = [core for core, taken in enumerate(loads) if taken + load <= 1]
        core = dice.choice(fit) if fit else min(range(len(loads)), key=loads.__getitem__)
        if not fit:
            load = 1 - loads[core]
            if load < self.cycles * rate / self.clock_hz:
                return None
        loads[core] += load
        return load * self.clock_hz / rate
