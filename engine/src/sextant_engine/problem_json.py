"""Read a problem from JSON, strictly: what is doubtful is refused with the path of the field."""

import json
from math import isfinite
from typing import Any, TypeVar

from pydantic import ValidationError

from sextant_engine.errors import BadInput
from sextant_engine.problem import Input, Placement, Problem

MAX_BYTES = 64 * 2**20
WHOLE = "(whole input)"

_MESSAGES = {
    "extra_forbidden": "is not a key of the format; remove it or correct its spelling",
    "missing": "is missing; it is required",
}

T = TypeVar("T", bound=Input)


class Evaluation(Input):
    """Input of `evaluate`."""

    problem: Problem
    assignment: Placement


def read(kind: type[T], raw: bytes) -> T:
    """The value that `raw` holds; raises BadInput."""
    if len(raw) > MAX_BYTES:
        raise BadInput(WHOLE, f"is larger than {MAX_BYTES} bytes")
    try:
        text = raw.decode()
        tree = json.loads(text, object_pairs_hook=_Object)
    except UnicodeDecodeError as error:
        raise BadInput(WHOLE, f"is not UTF-8 (byte {error.start}); write it in UTF-8") from error
    except json.JSONDecodeError as error:
        raise BadInput(WHOLE, f"is not JSON: {error.msg} in line {error.lineno}, column {error.colno}") from error
    except (RecursionError, ValueError) as error:
        raise BadInput(WHOLE, "is nested too deeply or holds a number of too many digits") from error
    _refuse_doubtful(tree)
    try:
        return kind.model_validate_json(text, strict=True)
    except ValidationError as error:
        raise bad_input_of(error) from error


def bad_input_of(error: ValidationError) -> BadInput:
    """The first thing wrong, with its path."""
    first = error.errors(include_url=False)[0]
    path = [str(part) for part in first["loc"]]
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, BadInput):
        return BadInput(".".join([*path, cause.field]), cause.message)
    return BadInput(".".join(path) or WHOLE, _MESSAGES.get(first["type"], first["msg"]))


class _Object(dict[str, Any]):
    """A JSON object that remembers a key it was given twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__()
        self.repeated: str | None = None
        for key, value in pairs:
            if key in self and self.repeated is None:
                self.repeated = key
            self[key] = value


def _refuse_doubtful(tree: Any) -> None:
    """Repeated keys and numbers that are not finite, wherever they are."""
    queue: list[tuple[str, Any]] = [("", tree)]
    while queue:
        path, value = queue.pop()
        if isinstance(value, float) and not isfinite(value):
            raise BadInput(path.lstrip(".") or WHOLE, "is not a finite number")
        if isinstance(value, _Object):
            if value.repeated is not None:
                raise BadInput(f"{path}.{value.repeated}".lstrip("."), "occurs twice in its object; keep one")
            queue += [(f"{path}.{key}", item) for key, item in reversed(value.items())]
        elif isinstance(value, list):
            queue += [(f"{path}.{index}", item) for index, item in reversed(list(enumerate(value)))]
