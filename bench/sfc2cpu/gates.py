"""Gates A and B on the digital twin: what it leaves to gain over exact min-max; and, where that is enough, how much of
it a cost takes that was fitted on 200 placements drawn by chance, of the same kinds of NFs and of others."""

import json
import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import cache
from itertools import repeat
from statistics import mean
from typing import Any

import page
from drawing import SETTINGS
from intervals import Interval, of_any, shown
from on_twin import TwinMachine, best_found
from sextant_engine.laws.sfc2cpu.fit import fitted
from sextant_engine.laws.sfc2cpu.problem import Fit
from sextant_lab.school.on_twin import Question, Ran, assigned

Row = Mapping[str, Ran]
"""By assigner, and `best` found."""
SIMPLE = ("min_max", "throughput")
FITTED = ("calibrated", "held_out")


def table() -> Iterator[str]:
    """A row a number of cores: part of the packets that is served, median of their time, means over instances;
    95 % about what is to gain and about the part of it that is taken. Instances hang on their numbers alone: each
    processor has some."""
    yield from page.head(
        "cores", "instances", "served: min-max", "`throughput`", "best found", "to gain", "p50, ms: min-max",
        "`throughput`", "best found", "to gain", "gate A", "of that: `throughput`; gate B: calibrated, held-out kinds",
    )  # fmt: skip
    given = SETTINGS["twin"]
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for cores in given["cores"]:
            yield _line(pool, cores, list(pool.map(_row, repeat(cores), range(given["instances"]))))


@cache
def _twin() -> TwinMachine:
    """Of this process."""
    return TwinMachine()


def _row(cores: int, number: int) -> dict[str, Ran]:
    """What the twin says of simple assigners, and of the best that is found from theirs on."""
    twin = _twin()
    asked = asked_of(twin, cores, number)
    dice = random.Random(f"{SETTINGS['seed']} best {cores} {number}")
    at = {name: assigned(asked, assigner=name) for name in SIMPLE}
    return {
        **{name: twin.run(asked, one) for name, one in at.items()},
        "best": best_found(dice, twin, asked, list(at.values())),
    }


def _line(pool: Executor, cores: int, rows: Sequence[Row]) -> str:
    names = (*SIMPLE, "best")
    served = {name: mean(row[name].served for row in rows) for name in names}
    p50 = {name: 1000 * mean(row[name].p50_s for row in rows) for name in names}
    more, shorter = of_any(rows, _more), of_any(rows, _shorter)
    enough = (
        more.figure >= 100 * SETTINGS["twin"]["least_served"],
        shorter.figure >= 100 * SETTINGS["twin"]["least_p50"],
    )
    return page.line(
        str(cores),
        str(len(rows)),
        *(f"{served[name]:.4f}" for name in names),
        shown(more),
        *(f"{p50[name]:.3f}" for name in names),
        shown(shorter, 1),
        "headroom" if any(enough) else "not worth it here",
        "; ".join(_taken(pool, cores, rows, enough)) if any(enough) else "-",
    )


def _more(rows: Sequence[Row]) -> float:
    """Packets that the best serves more than min-max, per cent."""
    return 100 * (mean(row["best"].served for row in rows) / mean(row["min_max"].served for row in rows) - 1)


def _shorter(rows: Sequence[Row]) -> float:
    """By how much its median time is shorter, per cent."""
    return 100 * (1 - mean(row["best"].p50_s for row in rows) / mean(row["min_max"].p50_s for row in rows))


def _taken(pool: Executor, cores: int, rows: Sequence[Row], enough: tuple[bool, bool]) -> Iterator[str]:
    """Of what is to gain, the part that a fitted cost takes. `enough`: whether that is asked of packets, of time."""
    fitted_rows = [
        {**row, **found}
        for row, found in zip(rows, pool.map(_fitted_row, repeat(cores), range(len(rows))), strict=True)
    ]
    for name in ("throughput", *FITTED):
        parts = (_part_of_packets(name), _part_of_time(name))
        told = [_told(of_any(fitted_rows, part)) if worth else "-" for worth, part in zip(enough, parts, strict=True)]
        yield f"{name.replace('_', ' ')}: packets {told[0]}, p50 {told[1]}"


def _part_of_packets(name: str) -> Callable[[Sequence[Row]], float]:
    def part(rows: Sequence[Row]) -> float:
        room = sum(row["best"].served - row["min_max"].served for row in rows)
        return 100 * sum(row[name].served - row["min_max"].served for row in rows) / room if room > 0 else 0.0

    return part


def _part_of_time(name: str) -> Callable[[Sequence[Row]], float]:
    def part(rows: Sequence[Row]) -> float:
        room = sum(row["min_max"].p50_s - row["best"].p50_s for row in rows)
        return 100 * sum(row["min_max"].p50_s - row[name].p50_s for row in rows) / room if room > 0 else 0.0

    return part


def _told(part: Interval) -> str:
    verdict = "met" if part.figure >= 100 * SETTINGS["twin"]["goal"] else "**missed**"
    return f"{part.figure:.0f} % ({part.low:.0f} to {part.high:.0f}) {verdict}"


def _fitted_row(cores: int, number: int) -> dict[str, Ran]:
    twin, given = _twin(), SETTINGS["twin"]
    dice = random.Random(f"{SETTINGS['seed']} fitted {cores} {number}")
    asked = asked_of(twin, cores, number)
    known = twin.question(cores, number + given["instances"], given["kinds"][: -given["held_out"]])
    models = {"calibrated": model_of(dice, twin, asked), "held_out": model_of(dice, twin, known)}
    return {
        name: twin.run(asked, assigned(asked, assigner="calibrated", model=model)) for name, model in models.items()
    }


def asked_of(twin: TwinMachine, cores: int, number: int) -> Question:
    """An instance of all kinds."""
    return twin.question(cores, number, SETTINGS["twin"]["kinds"])


def model_of(dice: random.Random, twin: TwinMachine, asked: Question) -> dict[str, Any]:
    """Fitted on placements drawn by chance, as they ran."""
    ran = []
    for _ in range(SETTINGS["twin"]["placements"]):
        at = [dice.randrange(len(asked["cores"])) for _ in asked["vnfs"]]
        seen = twin.run(asked, at)
        rates = sum(asked["vnfs"][chain[0]]["rate_pps"] for chain in asked["chains"])
        ran.append({"cores": at, "system": seen.served * rates / 1e6, "cycles_seen": list(seen.cycles)})
    found = fitted(Fit.model_validate_json(json.dumps({**_question(asked), "placements": ran})))
    model: dict[str, Any] = found.model.model_dump()
    return model


def _question(asked: Question) -> Question:
    return {key: value for key, value in asked.items() if key != "work"}
