"""Settings of the bench, and instances as the paper draws them (Sec. III-C, Table I)."""

import random
import tomllib
from pathlib import Path
from typing import Any

PATH = Path(__file__).parent / "settings.toml"
SETTINGS: dict[str, Any] = tomllib.loads(PATH.read_text())


def instance(cores: int, number: int) -> dict[str, Any]:
    """A question of `solve`. VNFs go to chains without one first, then to any that is not full; each VNF is no larger
    than a core, or than what a core that it is drawn for has left."""
    given = SETTINGS["instances"]
    dice = random.Random(f"{SETTINGS['seed']} {cores} {number}")
    count = dice.randint(1, given["chains"])
    parts = [dice.gammavariate(given["alpha"], 1.0) for _ in range(count)]
    rates = [given["system_pps"] * part / sum(parts) for part in parts]
    chains: list[list[int]] = [[] for _ in range(count)]
    least, most = given["vnfs"]
    loads = [0.0] * cores
    vnfs: list[dict[str, float]] = []
    for _ in range(dice.randint(max(least, count), most)):
        empty = [index for index, chain in enumerate(chains) if not chain]
        open_ones = [index for index, chain in enumerate(chains) if len(chain) < given["vnfs_a_chain"]]
        if not open_ones:
            break
        chain = empty[0] if empty else dice.choice(open_ones)
        cycles = _cycles(dice, rates[chain], loads)
        if cycles is None:
            break
        chains[chain].append(len(vnfs))
        vnfs.append({"cycles": cycles, "rate_pps": rates[chain]})
    return {
        "vnfs": vnfs,
        "chains": [chain for chain in chains if chain],
        "cores": cores,
        "clock_hz": SETTINGS["clock_hz"],
        "gamma": SETTINGS["gamma"],
    }


def _cycles(dice: random.Random, rate: float, loads: list[float]) -> float | None:
    """Of a packet, and the core that it is drawn for takes it; None: not even the smallest VNF fits."""
    given = SETTINGS["instances"]
    clock: float = SETTINGS["clock_hz"]
    most = min(given["loops"], (clock / rate - given["cycles"]) / given["cycles_a_loop"])
    cycles = given["cycles"] + given["cycles_a_loop"] * dice.uniform(0, most)
    load: float = cycles * rate / clock
    fit = [core for core, taken in enumerate(loads) if taken + load <= 1]
    core = dice.choice(fit) if fit else min(range(len(loads)), key=loads.__getitem__)
    if not fit:
        load = 1 - loads[core]
        if load < given["cycles"] * rate / clock:
            return None
    loads[core] += load
    return load * clock / rate
