"""`python -m sextant_engine numasfp VERB`: JSON on standard input, JSON on standard output."""

import argparse
from collections.abc import Callable
from math import isfinite
from typing import Any

from pydantic.json_schema import models_json_schema
from sextant_domain.base import Frozen

from sextant_engine.errors import BadEngineInput
from sextant_engine.laws.numasfp import check, problem, profile, run
from sextant_engine.laws.numasfp.solve import answer
from sextant_engine.stop import Stop

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_VERBS: dict[str, tuple[str, Callable[[bytes, Stop], str]]] = {
    "allocate": ("what a chain needs for a rate", lambda raw, stop: answer("allocate", raw, stop)),
    "run": ("what an algorithm makes of rates, interval after interval", run.run),
    "step": ("the exact optimum of one interval", lambda raw, stop: answer("step", raw, stop)),
    "interval": ("one interval of an algorithm, with its memory", lambda raw, stop: answer("interval", raw, stop)),
    "profile": ("a look-up table, by few measurements of a program", lambda raw, _: profile.profile(raw)),
    "check": ('what is wrong with {"question": a step, "answer": its answer}', lambda raw, _: check.checked(raw)),
}


def add(law: argparse.ArgumentParser, schema_action: type[argparse.Action]) -> None:
    """The verbs of the command `numasfp`. `schema_action`: prints `schema` of its parser's defaults, and ends."""
    law.add_argument(
        "--schema", action=schema_action, const=schema, help="write the JSON Schema of all verbs, and exit"
    )
    verbs = law.add_subparsers(dest="verb", required=True)
    for name, (text, _) in _VERBS.items():
        verb = verbs.add_parser(name, help=text)
        verb.add_argument("--schema", action=schema_action, const=schema, help="write the JSON Schema, and exit")
        verb.add_argument("--seconds", type=float, help="end a search after this wall time; default: run to the end")
        verb.add_argument("--evaluations", type=int, help="end a search after so many steps; default: run to the end")


def answered(options: argparse.Namespace, raw: bytes) -> str:
    """What the verb answers. Raises BadEngineInput."""
    seconds, evaluations = options.seconds, options.evaluations
    if seconds is not None and not (isfinite(seconds) and seconds >= 0):
        raise BadEngineInput("--seconds", f"{seconds} is not a finite number of 0 or more")
    if evaluations is not None and not 0 <= evaluations < 2**63:
        raise BadEngineInput("--evaluations", f"{evaluations} is not within 0 and 2^63")
    return _VERBS[options.verb][1](raw, Stop(seconds=seconds, evaluations=evaluations))


def schema() -> dict[str, Any]:
    """What verbs read and write, one document: `$defs` by the names of the types."""
    models: list[type[Frozen]] = [
        problem.Allocate, problem.Need, problem.Refused, problem.Run, problem.RunAnswer, problem.StepAsked,
        problem.StepAnswer, profile.Profile, profile.Profiled, check.Checked,
    ]  # fmt: skip
    _, found = models_json_schema([(model, "validation") for model in models])
    asked = ("Allocate", "Run", "StepAsked", "Profile")
    return {
        "$schema": DIALECT,
        "title": "What NUMASFP's verbs read",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in asked],
        "$defs": found["$defs"],
    }
