"""What hidden interference leaves to gain over exact min-max, and how much of it a fitted cost takes."""

import json
import random
from collections.abc import Iterator
from statistics import mean
from typing import Any

import page
from drawing import SETTINGS
from sextant_engine.laws.sfc2cpu.fit import fitted
from sextant_engine.laws.sfc2cpu.problem import Fit
from sextant_engine.laws.sfc2cpu.solve import answer
from truth import Question, Truth, best_found, placements, question

HELD_OUT = 2
"""Kinds that the held-out model never saw."""


def table() -> Iterator[str]:
    """Served of offered, means over instances; every figure by the truth, not as predicted."""
    given = SETTINGS["headroom"]
    yield from page.head(
        "hurt, cores", "LPT", "min-max", "calibrated", "held-out kinds", "best found", "of the headroom", "held out",
    )  # fmt: skip
    for per_cent, cores in given["rows"]:
        rows = [_row(per_cent, cores, number) for number in range(given["instances"])]
        means = {name: mean(row[name] for row in rows) for name in rows[0]}
        room = means["best"] - means["min_max"]
        told = []
        for name in ("calibrated", "held_out"):
            part = (means[name] - means["min_max"]) / room if room > 1e-6 else 1.0
            told.append(f"{100 * part:.0f} %: {'met' if part >= given['goal'] else '**missed**'}")
        shown = [f"{means[name]:.3f}" for name in ("lpt", "min_max", "calibrated", "held_out", "best")]
        yield page.line(f"{per_cent} %, {cores}", *shown, *told)


def _row(per_cent: int, cores: int, number: int) -> dict[str, float]:
    dice = random.Random(f"{SETTINGS['seed']} {per_cent} {cores} {number}")
    truth = Truth(dice, per_cent / 100)
    asked = question(dice, cores, truth.kinds)
    known = question(dice, cores, truth.kinds[:-HELD_OUT])
    models = {
        "calibrated": _model(asked, placements(dice, truth, asked)),
        "held_out": _model(known, placements(dice, truth, known)),
    }
    at = {name: _cores({**asked, "assigner": name}) for name in ("lpt", "min_max")}
    for name, model in models.items():
        at[name] = _cores({**asked, "assigner": "calibrated", "model": model})
    served = {name: truth.served(asked, one)[0] for name, one in at.items()}
    return {**served, "best": best_found(dice, truth, asked, list(at.values()))}


def _model(asked: Question, ran: list[dict[str, Any]]) -> dict[str, Any]:
    model: dict[str, Any] = fitted(Fit.model_validate_json(json.dumps({**asked, "placements": ran}))).model.model_dump()
    return model


def _cores(asked: Question) -> list[int]:
    found: list[int] = json.loads(answer("solve", json.dumps(asked)))["cores"]
    return found
