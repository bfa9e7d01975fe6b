"""A learned assigner of cores: which weights, and what they were trained on. The lab trains some; no plan loads any."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from sextant_domain.base import Digest, Frozen, Name


class TrainingRecord(Frozen):
    """How weights came to be: enough to train them again and compare."""

    trained_at: datetime
    seed: int = Field(ge=0, lt=2**31)
    samples: int = Field(ge=1)
    """Placements, or steps of a simulation, that were learned from."""
    host_models: tuple[str, ...] = Field(min_length=1)
    """Those that the samples are of: of any other the weights say nothing."""
    data: Digest
    """Of the samples, in the order in which they were learned."""


class AssignerModel(Frozen):
    """A version of a learned assigner. It never changes: other weights are another version."""

    kind: Literal["assigner"] = "assigner"
    name: Name
    version: int = Field(ge=1)
    weights: Digest
    """The artefact that holds them."""
    training: TrainingRecord
