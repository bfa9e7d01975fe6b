"""`python -m sextant_engine assign VERB`: JSON on standard input, JSON on standard output."""

import argparse
import re
from collections.abc import Callable
from math import isfinite
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic.json_schema import models_json_schema
from sextant_domain.base import Frozen

from sextant_engine.errors import BadEngineInput
from sextant_engine.laws.sfc2cpu import check, platform, problem
from sextant_engine.laws.sfc2cpu.solve import answer
from sextant_engine.stop import Stop

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_UNION = re.compile(r"^(constrained-\w+|float|int|str|tuple\[.*|dict\[.*)$")
"""In a path: which type of several was tried, which is no part of the input."""
Question = TypeVar("Question", bound=Frozen)


def _read(model: type[Question], raw: bytes) -> Question:
    """Raises BadEngineInput by field."""
    try:
        return model.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"] if not _UNION.match(str(part))) or "(whole input)"
        raise BadEngineInput(field, first["msg"]) from None


def _checked(pair: check.Pair) -> check.Checked:
    return check.Checked(findings=check.check(pair.question, pair.answer))


def _fitted(question: problem.Fit) -> problem.Fitted:
    from sextant_engine.laws.sfc2cpu.fit import fitted  # it loads NumPy and SciPy, which no other verb wants

    return fitted(question)


_VERBS: dict[str, tuple[str, Callable[[bytes, Stop], str]]] = {
    "solve": ("the core of each VNF, by an assigner", lambda raw, stop: answer("solve", raw, stop)),
    "evaluate": ("what an assignment serves, by the ideal model", lambda raw, stop: answer("evaluate", raw, stop)),
    "network": ("what the paper's network expects of each core", lambda raw, stop: answer("network", raw, stop)),
    "fit": (
        "what VNFs cost beside others, from placements that ran",
        lambda raw, _: _fitted(_read(problem.Fit, raw)).model_dump_json(),
    ),
    "shares": (
        "how a core's time is shared out, by rate and cost",
        lambda raw, _: platform.shared(_read(problem.Shares, raw)).model_dump_json(),
    ),
    "backpressure": (
        "when packets for a ring are dropped at the entry",
        lambda raw, _: platform.pressed(_read(problem.Backpressure, raw)).model_dump_json(),
    ),
    "check": (
        'what is wrong with {"question": of solve, "answer": its answer}',
        lambda raw, _: _checked(_read(check.Pair, raw)).model_dump_json(),
    ),
}


def add(law: argparse.ArgumentParser, schema_action: type[argparse.Action]) -> None:
    """The verbs of the command `assign`. `schema_action`: prints `schema` of its parser's defaults, and ends."""
    law.add_argument(
        "--schema", action=schema_action, const=schema, help="write the JSON Schema of all verbs, and exit"
    )
    verbs = law.add_subparsers(dest="verb", required=True)
    for name, (text, _) in _VERBS.items():
        verb = verbs.add_parser(name, help=text)
        verb.add_argument("--schema", action=schema_action, const=schema, help="write the JSON Schema, and exit")
        verb.add_argument(
            "--seconds", type=float, help="end a search after this wall time; default: by assigner, about a second"
        )
        verb.add_argument("--evaluations", type=int, help="end a search after so many steps; default: by assigner")


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
    asked: list[type[Frozen]] = [
        problem.Solve, problem.Evaluate, problem.Network, problem.Fit, problem.Shares, problem.Backpressure, check.Pair,
    ]  # fmt: skip
    told: list[type[Frozen]] = [
        problem.Assigned, problem.Evaluated, problem.NetworkAnswer, problem.Fitted,
        problem.SharesAnswer, problem.BackpressureAnswer, check.Checked,
    ]  # fmt: skip
    _, found = models_json_schema([(model, "validation") for model in (*asked, *told)])
    return {
        "$schema": DIALECT,
        "title": "What sfc2cpu's verbs read",
        "anyOf": [{"$ref": f"#/$defs/{model.__name__}"} for model in asked],
        "$defs": found["$defs"],
    }
