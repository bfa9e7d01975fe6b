"""Gate C: networks that School trained beside the calibrated assigner, on kinds that its cost was not fitted on, and
after one rate has risen by a third, when two VNFs may move. Paired: the same instances for both. And the cost that
networks are trained on in the place of the ideal model: gate B's, of an instance that is none of those."""

import json
import random
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import page
from drawing import SETTINGS
from gates import model_of
from intervals import Interval, of_mean, shown
from on_twin import TwinMachine
from sextant_engine.laws.sfc2cpu.trained import TrainedWeights, read_trained
from sextant_lab.school.on_twin import Question, Ran, assigned

SHIFT = 1.33
MOVES = 2
IDEAL = "ideal model"


def table(folders: Sequence[Path], former: Sequence[str] = ()) -> Iterator[str]:
    """A row a network; `folders`: of School, each with its trained.json; `former`: a table whose rows of other networks
    stay, since it takes long to train them again."""
    head = list(page.head(
        "cores, seed", "trained on", "trained for", "instances", "served: calibrated", "network", "network more, 95 %",
        "p50, ms: calibrated", "network", "network shorter, 95 %", "after the shift: network more",
        "network shorter", "verdict",
    ))  # fmt: skip
    trained = [read_trained((folder / "trained.json").read_bytes()) for folder in folders]
    ours = [page.line(*_which(one)).removesuffix("|") for one in trained]
    yield from head
    yield from (row for row in former if row not in head and not any(row.startswith(one) for one in ours))
    twin = TwinMachine()
    yield from (_line(twin, one) for one in trained)


def _which(trained: TrainedWeights) -> tuple[str, str, str]:
    """Cells that tell a network from others."""
    seed, steps = trained.training.seed, trained.training.samples
    return f"{trained.weights.cores}, {seed}", trained_on(trained), f"{steps:,} steps"


def _line(twin: TwinMachine, trained: TrainedWeights) -> str:
    rows = [pairs_of(twin, trained, number) for number in range(SETTINGS["twin"]["instances"])]
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
    verdict = "C: wins" if all(wins) else "C: stays in the lab"
    return page.line(*_which(trained), str(len(rows)), *told, verdict)


def trained_on(trained: TrainedWeights) -> str:
    """Short enough for a table."""
    model, _, digest = trained.training.host_models[0].partition(" sha256:")
    return f"{model} cost {digest[:8]}" if digest else IDEAL


def school_cost(cores: int) -> str:
    """As the verb `fit` answers. Of the first instance after those that the gates use whose VNFs are of all kinds that
    the held-out cost sees, so that a game may draw each of them."""
    twin, given = TwinMachine(), SETTINGS["twin"]
    kinds = given["kinds"][: -given["held_out"]]
    for number in count(2 * given["instances"]):
        asked = twin.question(cores, number, kinds)
        if {vnf["kind"] for vnf in asked["vnfs"]} == set(kinds):
            break
    return json.dumps({"model": model_of(random.Random(f"{SETTINGS['seed']} school {cores}"), twin, asked)})


class Known(NamedTuple):
    """What all networks for as many cores are compared with: questions before and after the shift, what ran."""

    asked: tuple[Question, Question]
    ran: tuple[Ran, Ran]


@cache
def calibrated_of(twin: TwinMachine, cores: int, number: int) -> Known:
    """The calibrated assigner's, of an instance."""
    given = SETTINGS["twin"]
    dice = random.Random(f"{SETTINGS['seed']} gate c {cores} {number}")
    asked = twin.question(cores, number, given["kinds"])
    others = twin.question(cores, number + given["instances"], given["kinds"][: -given["held_out"]])
    model = model_of(dice, twin, others)
    both = asked, _shifted(dice, asked)
    return Known(both, _ran(twin, both, assigner="calibrated", model=model))


def pairs_of(twin: TwinMachine, trained: TrainedWeights, number: int) -> list[tuple[Ran, Ran]]:
    """The calibrated assigner's choice and the network's, before and after the shift."""
    beside = calibrated_of(twin, trained.weights.cores, number)
    ran = _ran(twin, beside.asked, assigner="network", weights=trained.weights.model_dump(mode="json"))
    return list(zip(beside.ran, ran, strict=True))


def _ran(twin: TwinMachine, both: tuple[Question, Question], **by: Any) -> tuple[Ran, Ran]:
    """Before the shift, and after it, when two may move."""
    asked, shifted = both
    at = assigned(asked, **by)
    moved = assigned(shifted, placed={str(vnf): core for vnf, core in enumerate(at)}, max_moves=MOVES, **by)
    return twin.run(asked, at), twin.run(shifted, moved)


def _shifted(dice: random.Random, asked: Question) -> Question:
    chain = set(dice.choice(asked["chains"]))
    vnfs = [
        {**vnf, "rate_pps": vnf["rate_pps"] * (SHIFT if index in chain else 1.0)}
        for index, vnf in enumerate(asked["vnfs"])
    ]
    return {**asked, "vnfs": vnfs}


def _wins(found: Interval, least: float) -> bool:
    return found.figure >= least and found.low > 0
