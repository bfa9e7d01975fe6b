"""Mixes of small chains that two real cores are offered, drawn with a seed; and the placements that costs are fitted
on. Pure."""

import json
import random
import tomllib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from sextant_engine.laws.sfc2cpu.solve import answer

REAL: dict[str, Any] = tomllib.loads(Path(__file__).with_name("on_real_cores.toml").read_text())
CORES = 2


class MixedChain(NamedTuple):
    """Before anybody knows what its NFs cost."""

    name: str
    types: tuple[str, ...]
    """Of its NFs, each another one."""
    part: float
    """Of all that both cores are asked for."""


def drawn(number: int) -> list[MixedChain]:
    """Chains of a mix."""
    dice = random.Random(f"{REAL['seed']} mix {number}")
    count = dice.randint(*REAL["chains"])
    lengths = [dice.randint(*REAL["nfs_a_chain"]) for _ in range(count)]
    while sum(lengths) > REAL["most_nfs"]:
        lengths[lengths.index(max(lengths))] -= 1
    parts = [dice.uniform(*REAL["parts"]) for _ in lengths]
    known = sorted(REAL["types"])
    return [
        MixedChain(f"m{number}c{index}", tuple(dice.sample(known, length)), part / sum(parts))
        for index, (length, part) in enumerate(zip(lengths, parts, strict=True))
    ]


def training() -> list[MixedChain]:
    """Each type twice, first and second of a chain, beside another neighbour: hand-offs are seen, too."""
    known = sorted(REAL["types"])
    around = list(pairwise([*known, known[0]]))
    return [MixedChain(f"t{index}", pair, 1 / len(around)) for index, pair in enumerate(around)]


def rates(chains: Sequence[MixedChain], alone_us: Mapping[str, float], load: float) -> list[float]:
    """Mpps of each, so that they ask for `load` of both cores by what packets cost alone."""
    return [float(f"{chain.part * load * CORES / sum(alone_us[kind] for kind in chain.types):.4g}") for chain in chains]


def ideal_mpps(
    chains: Sequence[MixedChain], mpps: Sequence[float], alone_us: Mapping[str, float], at: Mapping[str, int]
) -> float:
    """What the ideal model says of an assignment, where packets cost beside others what they cost alone. It knows no
    source and no sink."""
    vnfs = [(chain, rate, kind) for chain, rate in zip(chains, mpps, strict=True) for kind in chain.types]
    numbers = iter(range(len(vnfs)))
    question = {
        "vnfs": [{"cycles": alone_us[kind], "rate_pps": rate * 1e6} for _, rate, kind in vnfs],
        "chains": [[next(numbers) for _ in chain.types] for chain in chains],
        "clock_hz": 1e6,  # a cycle is a microsecond
        "cores": [{"id": core, "socket": 0} for core in sorted(set(at.values()))],
        "assignment": [at[f"{chain.name}.{kind}"] for chain, _, kind in vnfs],
        "gamma": REAL["gamma"],
    }
    return float(json.loads(answer("evaluate", json.dumps(question)))["system_mpps"])


def slots(nfs: int) -> int:
    """A core: there is room for all, and for as many on each core, or one more on that which is used first."""
    return nfs - nfs // CORES


def placements(nf_ids: Sequence[str], first: int, second: int) -> list[dict[str, int]]:
    """Halves that are drawn, each division once."""
    dice = random.Random(f"{REAL['seed']} training")
    half, found = len(nf_ids) // CORES, list[dict[str, int]]()
    while len(found) < REAL["training"]["placements"]:
        chosen = set(dice.sample(sorted(nf_ids), half))
        one = {nf_id: first if nf_id in chosen else second for nf_id in nf_ids}
        if one not in found:
            found.append(one)
    return found


def moves(standing: Mapping[str, int], wanted: Mapping[str, int]) -> dict[str, int]:
    """NFs that change their core, and to which."""
    return {nf_id: core for nf_id, core in sorted(wanted.items()) if standing[nf_id] != core}
