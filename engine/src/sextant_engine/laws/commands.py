"""What the commands of all laws have in common: verbs with the same options, questions that are read by field, and one
JSON Schema of all they read and write."""

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic.json_schema import models_json_schema
from sextant_domain.base import Frozen

from sextant_engine.errors import BadEngineInput
from sextant_engine.schema import DIALECT
from sextant_engine.stop import Stop

_UNION = re.compile(r"^(constrained-\w+|float|int|str|tuple\[.*|dict\[.*|\w+Given)$")
"""In a path: which type of several was tried, which is no part of the input."""
Question = TypeVar("Question", bound=Frozen)
Verb = Callable[[bytes, Stop], str]
"""From the question to the answer, both JSON. Raises BadEngineInput."""


@dataclass(frozen=True, slots=True)
class LawCommand:
    """`python -m sextant_engine LAW VERB`."""

    whose: str
    """CoCo's."""
    verbs: Mapping[str, tuple[str, Verb]]
    """By name: what it is for, and what it does."""
    asked: Sequence[type[Frozen]]
    told: Sequence[type[Frozen]]
    seconds: str = "run to the end"
    """When a search ends that is given no `--seconds`."""
    evaluations: str = "run to the end"

    def add(self, law: argparse.ArgumentParser, schema_action: type[argparse.Action]) -> None:
        """The verbs. `schema_action`: prints `schema` of its parser's defaults, and ends."""
        law.add_argument(
            "--schema", action=schema_action, const=self.schema, help="write the JSON Schema of all verbs, and exit"
        )
        verbs = law.add_subparsers(dest="verb", required=True)
        for name, (text, _) in self.verbs.items():
            verb = verbs.add_parser(name, help=text)
            verb.add_argument(
                "--schema", action=schema_action, const=self.schema, help="write the JSON Schema, and exit"
            )
            verb.add_argument(
                "--seconds", type=float, help=f"end a search after this wall time; default: {self.seconds}"
            )
            verb.add_argument(
                "--evaluations", type=int, help=f"end a search after so many steps; default: {self.evaluations}"
            )

    def answered(self, options: argparse.Namespace, raw: bytes) -> str:
        """What the verb answers. Raises BadEngineInput."""
        seconds, evaluations = options.seconds, options.evaluations
        if seconds is not None and not (isfinite(seconds) and seconds >= 0):
            raise BadEngineInput("--seconds", f"{seconds} is not a finite number of 0 or more")
        if evaluations is not None and not 0 <= evaluations < 2**63:
            raise BadEngineInput("--evaluations", f"{evaluations} is not within 0 and 2^63")
        return self.verbs[options.verb][1](raw, Stop(seconds=seconds, evaluations=evaluations))

    def schema(self) -> dict[str, Any]:
        """One document: `$defs` by the names of the types."""
        _, found = models_json_schema([(model, "validation") for model in (*self.asked, *self.told)])
        return {
            "$schema": DIALECT,
            "title": f"What {self.whose} verbs read",
            "anyOf": [{"$ref": f"#/$defs/{model.__name__}"} for model in self.asked],
            "$defs": found["$defs"],
        }


def read(model: type[Question], raw: bytes) -> Question:
    """Raises BadEngineInput by field."""
    try:
        return model.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"] if not _UNION.match(str(part))) or "(whole input)"
        raise BadEngineInput(field, first["msg"]) from None
