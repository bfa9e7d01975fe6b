"""The JSON Schema of what the engine reads and writes, one document.

The document itself is the schema of a problem; `$defs` holds the others: `Evaluation` (what `evaluate` and `explain`
read), `SolveResult`, `EvaluatedPlacement` and `Explanation`. It says shapes and ranges; which names must agree, the
core checks.
"""

from typing import Any

from pydantic.json_schema import models_json_schema
from sextant_domain.base import Frozen

from sextant_engine.problem import Placement, PlacementProblem
from sextant_engine.result import EvaluatedPlacement, Explanation, SolveResult

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class Evaluation(Frozen):
    """A problem and a placement of it to be judged; chains that the placement leaves out count as rejected."""

    problem: PlacementProblem
    assignment: Placement


def schema() -> dict[str, Any]:
    """The document."""
    models: list[type[Frozen]] = [PlacementProblem, Evaluation, SolveResult, EvaluatedPlacement, Explanation]
    _, found = models_json_schema([(model, "validation") for model in models])
    return {
        "$schema": DIALECT,
        "title": "A placement problem of one host",
        "$ref": "#/$defs/PlacementProblem",
        "$defs": found["$defs"],
    }
