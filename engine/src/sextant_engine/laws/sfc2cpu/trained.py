"""Weights of a trained network as a document: its digest says which they are, its record how they came to be."""

from typing import Any

from pydantic import ValidationError
from sextant_domain.base import Digest, Frozen, digest_of
from sextant_domain.profiling.assigner import TrainingRecord

from sextant_engine.errors import BadEngineInput
from sextant_engine.laws.sfc2cpu.problem import Weights

LATENT, DENSE, HIDDEN, FEATURES = 12, 16, 48, 4


class TrainedWeights(Frozen):
    """What School leaves."""

    weights: Weights
    digest: Digest
    """Of `weights` as JSON."""
    training: TrainingRecord


def digest_of_weights(weights: Weights) -> str:
    """Which they are."""
    return digest_of(weights)


def read_trained(raw: str | bytes, cores: int | None = None) -> TrainedWeights:
    """A document. Raises BadEngineInput by field: weights of another shape, of another number of cores than is asked
    for, or other ones than the digest says."""
    try:
        found = TrainedWeights.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors()[0]
        raise BadEngineInput(".".join(map(str, first["loc"])) or "document", first["msg"]) from error
    digest = digest_of_weights(found.weights)
    if digest != found.digest:
        raise BadEngineInput("digest", f"is {found.digest}, and that of the weights is {digest}: they were changed")
    if cores is not None and cores != found.weights.cores:
        raise BadEngineInput("weights", f"are for {found.weights.cores} cores, not {cores}")
    _shaped(found.weights)
    return found


def _shaped(weights: Weights) -> None:
    cores = weights.cores
    shapes = {
        **dict.fromkeys(("query", "key", "value"), (FEATURES, LATENT)),
        "dense": (LATENT, DENSE),
        "first": (2 * cores + DENSE, HIDDEN),
        "second": (HIDDEN, HIDDEN),
        "head": (HIDDEN, cores + 1),
    }
    for name, (inputs, outputs) in shapes.items():
        matrix: Any = getattr(weights, name)
        if len(matrix) != inputs or any(len(row) != outputs for row in matrix):
            raise BadEngineInput(f"weights.{name}", f"is not {inputs} x {outputs}")
        bias: Any = getattr(weights, f"{name}_bias", None)
        if bias is not None and len(bias) != outputs:
            raise BadEngineInput(f"weights.{name}_bias", f"has {len(bias)} numbers, not {outputs}")
