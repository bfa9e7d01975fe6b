"""Weights that come from a training: read as from a stranger. Shape, size, range and digest, before anything is stored
and again before a plan goes by them.
"""

import json
from math import isfinite

from pydantic import ValidationError
from sextant_engine.errors import BadEngineInput
from sextant_engine.laws.sfc2cpu.problem import Weights
from sextant_engine.laws.sfc2cpu.trained import TrainedWeights, digest_of_weights, read_trained

MAX_BYTES = 1024 * 1024
"""Of a document: weights for 32 cores are a tenth of it."""


def read(document: bytes, cores: int, digest: str | None = None) -> TrainedWeights:
    """What the engine can compute by. `digest`: which weights they are to be. Raises BadEngineInput by field."""
    if len(document) > MAX_BYTES:
        raise BadEngineInput("document", f"has {len(document)} bytes; the most is {MAX_BYTES}")
    found = read_trained(document, cores)
    if digest is not None and digest != found.digest:
        raise BadEngineInput("digest", f"is {found.digest}, not {digest}")
    answers(found.weights)
    return found


def read_weights(raw: str, cores: int, digest: str) -> None:
    """Weights by themselves, as a snapshot has them. Raises BadEngineInput by field."""
    if len(raw) > MAX_BYTES:
        raise BadEngineInput("document", f"has {len(raw)} characters; the most is {MAX_BYTES}")
    try:
        weights = Weights.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors()[0]
        raise BadEngineInput(".".join(map(str, first["loc"])) or "document", first["msg"]) from error
    if weights.cores != cores:
        raise BadEngineInput("cores", f"are {weights.cores}, not {cores}")
    if digest_of_weights(weights) != digest:
        raise BadEngineInput("weights", "is not their digest")
    answers(weights)


def answers(weights: Weights) -> None:
    """The core reads them, and expects something finite of a first choice. Raises BadEngineInput by field."""
    from sextant_engine.laws.sfc2cpu.solve import answer  # the Rust core, which few processes need

    state = {"cores": [[0, 0]] * weights.cores, "vnfs": [[0.5, 1, 0.5, 0]]}
    question = {"weights": weights.model_dump(mode="json"), "state": state}
    expected = json.loads(answer("network", json.dumps(question)))["q"]
    if not all(isinstance(value, float | int) and isfinite(value) for value in expected):
        raise BadEngineInput("weights", "expect something that is no number of a first choice")
