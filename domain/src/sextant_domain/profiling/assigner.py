"""A learned assigner of cores: which weights, and what they were trained on. The lab trains some; plans go by
those that an operator promotes."""

from datetime import datetime

from pydantic import Field

from sextant_domain.base import Digest, Frozen


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


class PromotedNetwork(Frozen):
    """A network that an operator promoted for hosts of so many cores, as plans go by it."""

    cores: int = Field(ge=1)
    """That NFs may share: it knows hosts with so many, and no others."""
    weights: Digest
    """Which weights."""
    steps: int = Field(ge=1)
    """Of training."""
    promoted_at: datetime
    document: str
    """The weights as JSON, as the engine's core reads them."""
