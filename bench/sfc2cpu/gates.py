"""Gates A and B on the digital twin: what it leaves to gain over exact min-max; and, where that is enough, how much of
it a cost takes that was fitted on 200 placements drawn by chance, of the same kinds of NFs and of others."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from statistics import mean
from typing import Any

import page
from drawing import SETTINGS
from on_twin import Question, Ran, TwinMachine, best_found
from sextant_engine.laws.sfc2cpu.fit import fitted
from sextant_engine.laws.sfc2cpu.problem import Fit
from sextant_engine.laws.sfc2cpu.solve import answer

Row = Mapping[str, Ran]
"""By assigner, and `best` found."""
SIMPLE = ("min_max", "throughput")
FITTED = ("calibrated", "held_out")


def table() -> Iterator[str]:
    """A row a number of cores: part of the packets that is served, median of their time, means over instances."""
    yield from page.head(
        "cores", "instances", "served: min-max", "`throughput`", "best found", "to gain", "p50, ms: min-max",
        "`throughput`", "best found", "to gain", "gate A", "of that: `throughput`; gate B: calibrated, held-out kinds",
    )  # fmt: skip
    twin, given = TwinMachine(), SETTINGS["twin"]
    for cores in given["cores"]:
        yield _line(twin, cores, [_row(twin, cores, number) for number in range(given["instances"])])


def _row(twin: TwinMachine, cores: int, number: int) -> dict[str, Ran]:
    """What the twin says of simple assigners, and of the best that is found from theirs on."""
    asked = asked_of(twin, cores, number)
    dice = random.Random(f"{SETTINGS['seed']} best {cores} {number}")
    at = {name: cores_of(asked, assigner=name) for name in SIMPLE}
    return {
        **{name: twin.run(asked, one) for name, one in at.items()},
        "best": best_found(dice, twin, asked, list(at.values())),
    }


def _line(twin: TwinMachine, cores: int, rows: Sequence[Row]) -> str:
    names = (*SIMPLE, "best")
    served = {name: mean(row[name].served for row in rows) for name in names}
    p50 = {name: 1000 * mean(row[name].p50_s for row in rows) for name in names}
    more, shorter = served["best"] / served["min_max"] - 1, 1 - p50["best"] / p50["min_max"]
    enough = more >= SETTINGS["twin"]["least_served"], shorter >= SETTINGS["twin"]["least_p50"]
    return page.line(
        str(cores),
        str(len(rows)),
        *(f"{served[name]:.4f}" for name in names),
        f"{100 * more:.2f} %",
        *(f"{p50[name]:.3f}" for name in names),
        f"{100 * shorter:.1f} %",
        "headroom" if any(enough) else "not worth it here",
        "; ".join(_taken(twin, cores, rows, enough)) if any(enough) else "-",
    )


def _taken(twin: TwinMachine, cores: int, rows: Sequence[Row], enough: tuple[bool, bool]) -> Iterator[str]:
    """Of what is to gain, the part that a fitted cost takes. `enough`: whether that is asked of packets, of time."""
    fitted_rows = [{**row, **_fitted_row(twin, cores, number)} for number, row in enumerate(rows)]
    for name in ("throughput", *FITTED):
        parts = [
            (mean(row["best"].served - row["min_max"].served for row in rows),
             mean(one[name].served - row["min_max"].served for one, row in zip(fitted_rows, rows, strict=True))),
            (mean(row["min_max"].p50_s - row["best"].p50_s for row in rows),
             mean(row["min_max"].p50_s - one[name].p50_s for one, row in zip(fitted_rows, rows, strict=True))),
        ]  # fmt: skip
        told = [_told(taken / room) if worth else "-" for worth, (room, taken) in zip(enough, parts, strict=True)]
        yield f"{name.replace('_', ' ')}: packets {told[0]}, p50 {told[1]}"


def _told(part: float) -> str:
    return f"{100 * part:.0f} % {'met' if part >= SETTINGS['twin']['goal'] else '**missed**'}"


def _fitted_row(twin: TwinMachine, cores: int, number: int) -> dict[str, Ran]:
    given = SETTINGS["twin"]
    dice = random.Random(f"{SETTINGS['seed']} fitted {cores} {number}")
    asked = asked_of(twin, cores, number)
    known = twin.question(cores, number + given["instances"], given["kinds"][: -given["held_out"]])
    models = {"calibrated": model_of(dice, twin, asked), "held_out": model_of(dice, twin, known)}
    return {
        name: twin.run(asked, cores_of(asked, assigner="calibrated", model=model)) for name, model in models.items()
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


def cores_of(asked: Question, **by: Any) -> list[int]:
    """By an assigner."""
    found: list[int] = json.loads(answer("solve", json.dumps({**_question(asked), **by})))["cores"]
    return found


def _question(asked: Question) -> Question:
    return {key: value for key, value in asked.items() if key != "work"}
