"""Gate C: networks that School trained beside the calibrated assigner, on kinds that its cost was not fitted on, and
after one rate has risen by a third, when two VNFs may move. Paired: the same instances for both."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import page
from drawing import SETTINGS
from gates import cores_of, model_of
from intervals import Interval, of_mean, shown
from on_twin import TwinMachine
from sextant_engine.laws.sfc2cpu.trained import TrainedWeights, read_trained
from sextant_lab.school.on_twin import Question, Ran

SHIFT = 1.33
MOVES = 2


def table(folders: Sequence[Path]) -> Iterator[str]:
    """A row a network; `folders`: of School, each with its trained.json."""
    yield from page.head(
        "cores, seed", "trained for", "instances", "served: calibrated", "network", "network more, 95 %",
        "p50, ms: calibrated", "network", "network shorter, 95 %", "after the shift: network more",
        "network shorter", "verdict",
    )  # fmt: skip
    twin = TwinMachine()
    for folder in folders:
        yield _line(twin, read_trained((folder / "trained.json").read_bytes()))


def _line(twin: TwinMachine, trained: TrainedWeights) -> str:
    cores = trained.weights.cores
    rows = [_pairs(twin, trained, number) for number in range(SETTINGS["twin"]["instances"])]
    told: list[str] = []
    wins = []
    for shifted in (0, 1):
        pairs = [row[shifted] for row in rows]
        more = of_mean([100 * (network.served / known.served - 1) for known, network in pairs])
        shorter = of_mean([100 * (1 - network.p50_s / known.p50_s) for known, network in pairs])
        wins.append(_wins(more, SETTINGS["gate_c"]["served"]) or _wins(shorter, SETTINGS["gate_c"]["p50"]))
        if shifted:
            told += [shown(more), shown(shorter)]
        else:
            told += [f"{mean(known.served for known, _ in pairs):.4f}", f"{mean(one.served for _, one in pairs):.4f}"]
            told += [shown(more)]
            told += [f"{1000 * mean(known.p50_s for known, _ in pairs):.3f}"]
            told += [f"{1000 * mean(one.p50_s for _, one in pairs):.3f}", shown(shorter)]
    seed, steps = trained.training.seed, trained.training.samples
    verdict = "C: wins" if all(wins) else "C: stays in the lab"
    return page.line(f"{cores}, {seed}", f"{steps:,} steps", str(len(rows)), *told, verdict)


def _pairs(twin: TwinMachine, trained: TrainedWeights, number: int) -> list[tuple[Ran, Ran]]:
    """The calibrated assigner's choice and the network's, before and after the shift."""
    given, cores = SETTINGS["twin"], trained.weights.cores
    dice = random.Random(f"{SETTINGS['seed']} gate c {cores} {number}")
    asked = twin.question(cores, number, given["kinds"])
    known = twin.question(cores, number + given["instances"], given["kinds"][: -given["held_out"]])
    by: list[dict[str, Any]] = [
        {"assigner": "calibrated", "model": model_of(dice, twin, known)},
        {"assigner": "network", "weights": trained.weights.model_dump(mode="json")},
    ]
    at = [cores_of(asked, **one) for one in by]
    shifted = _shifted(dice, asked)
    moved = [
        cores_of(shifted, placed={str(vnf): core for vnf, core in enumerate(stands)}, max_moves=MOVES, **one)
        for stands, one in zip(at, by, strict=True)
    ]
    before, after = ([twin.run(one, each) for each in cores] for one, cores in ((asked, at), (shifted, moved)))
    return [(before[0], before[1]), (after[0], after[1])]


def _shifted(dice: random.Random, asked: Question) -> Question:
    chain = set(dice.choice(asked["chains"]))
    vnfs = [
        {**vnf, "rate_pps": vnf["rate_pps"] * (SHIFT if index in chain else 1.0)}
        for index, vnf in enumerate(asked["vnfs"])
    ]
    return {**asked, "vnfs": vnfs}


def _wins(found: Interval, least: float) -> bool:
    return found.figure >= least and found.low > 0
