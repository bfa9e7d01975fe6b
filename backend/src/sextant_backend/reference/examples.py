"""Examples of bodies and answers: `examples.json`, by operation; put into the contract beside the schemas they fit.

Answers were recorded from a console under test and shortened; a test holds each to its schema, and sends every body.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any

JSON = "application/json"


@cache
def examples() -> dict[str, dict[str, Any]]:
    """By operation: `request`, and `responses` by status, with a media type after it where it is not JSON."""
    found: dict[str, dict[str, Any]] = json.loads(files(__package__).joinpath("examples.json").read_bytes())
    return found


def attach(document: dict[str, Any]) -> None:
    """Put them where OpenAPI has them."""
    for operations in document["paths"].values():
        for operation in operations.values():
            example = examples().get(operation["operationId"], {})
            if "request" in example:
                operation["requestBody"]["content"][JSON]["example"] = example["request"]
            for key, answer in example.get("responses", {}).items():
                status, _, media = key.partition(" ")
                operation["responses"][status]["content"][media or JSON]["example"] = answer
