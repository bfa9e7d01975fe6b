"""The paper's figures of throughput and latency (Fig. 5b and 5c) on the digital twin of its machine: simple assigners;
exact min-max, which stands for the paper's s2c, since plans go by it where no costs were fitted; and a trained network
where one is given.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import median

import page
from drawing import SETTINGS
from gates import asked_of
from on_twin import TwinMachine
from sextant_engine.laws.sfc2cpu.trained import TrainedWeights, read_trained
from sextant_lab.school.on_twin import Ran, assigned

RULES = ("rr", "llf", "ffd", "min_max")
OURS = {"s2c": "min_max"}
Found = Mapping[str, Sequence[Ran]]
"""By assigner, instance by instance."""


def throughput(folders: Sequence[Path]) -> Iterator[str]:
    """Median Mpps of instances."""
    given = SETTINGS["paper"]
    yield from page.head(
        "cores", "instances", *(f"`{name}`" for name in RULES), "network", "as published, or not",
        f"over `rr`; published: up to {given['over_rr_percent']} %; sign, and half of it",
    )  # fmt: skip
    for cores, found in _all(tuple(folders)).items():
        mpps = {name: median(one.served for one in ran) * _offered() for name, ran in found.items()}
        told = [
            f"{name} {low} to {high}: {_verdict(low <= mpps[OURS.get(name, name)] <= high)}"
            for name, (low, high) in given["mpps"][str(cores)].items()
        ]
        over = 100 * (mpps[OURS["s2c"]] / mpps["rr"] - 1)
        yield page.line(
            str(cores), str(len(found["rr"])), *_cells(mpps, 2), "; ".join(told), _half(over, given["over_rr_percent"])
        )


def latency(folders: Sequence[Path]) -> Iterator[str]:
    """Median of instances' medians, ms. Only the order is asked for."""
    yield from page.head(
        "cores", *(f"`{name}`" for name in RULES), "network", "s2c as published", "ours is the least",
        "FFD's is the longest",
        f"shorter than `rr`; published: up to {SETTINGS['paper']['under_rr_percent']} %; sign, and half of it",
    )  # fmt: skip
    for cores, found in _all(tuple(folders)).items():
        ms = {name: 1000 * median(one.p50_s for one in ran) for name, ran in found.items()}
        ours, published = ms[OURS["s2c"]], SETTINGS["paper"]["ms"].get(str(cores))
        simple = [ms[name] for name in ("rr", "llf", "ffd")]
        yield page.line(
            str(cores), *_cells(ms, 3), "-" if published is None else f"{published}",
            "-" if published is None else _verdict(ours < min(simple)), _verdict(ms["ffd"] == max(simple)),
            _half(100 * (1 - ours / ms["rr"]), SETTINGS["paper"]["under_rr_percent"]),
        )  # fmt: skip


def _cells(figures: Mapping[str, float], digits: int) -> list[str]:
    return [f"{figures[name]:.{digits}f}" if name in figures else "-" for name in (*RULES, "network")]


def _half(found: float, published: float) -> str:
    """A gain over round robin, per cent, of which the sign and half of what was published at most are asked for."""
    return f"{found:+.1f} %: sign {_verdict(found > 0)}, half {_verdict(found >= published / 2)}"


def _verdict(passed: bool) -> str:
    return "passed" if passed else "**failed**"


def _offered() -> float:
    return float(SETTINGS["instances"]["system_pps"]) / 1e6


@cache
def _all(folders: tuple[Path, ...]) -> dict[int, Found]:
    """By number of cores; of networks the first for as many."""
    twin, given = TwinMachine(), SETTINGS["twin"]
    networks: dict[int, TrainedWeights] = {}
    for folder in folders:
        one = read_trained((folder / "trained.json").read_bytes())
        networks.setdefault(one.weights.cores, one)
    return {cores: _found(twin, cores, networks.get(cores)) for cores in given["cores"]}


def _found(twin: TwinMachine, cores: int, network: TrainedWeights | None) -> Found:
    found: dict[str, list[Ran]] = {name: [] for name in RULES}
    weights = None if network is None else network.weights.model_dump(mode="json")
    for number in range(SETTINGS["twin"]["instances"]):
        asked = asked_of(twin, cores, number)
        for name in RULES:
            found[name].append(twin.run(asked, assigned(asked, assigner=name)))
        if weights is not None:
            at = assigned(asked, assigner="network", weights=weights)
            found.setdefault("network", []).append(twin.run(asked, at))
    return found
