"""The third predictor as it is stored: a Gaussian process, which is its samples and how alike two of them are."""

from typing import Annotated

from pydantic import Field, model_validator

from sextant_domain.base import Digest, Frozen, Name, digest_of
from sextant_domain.profiling.curves import ChainRole, Handing
from sextant_domain.profiling.model import LocalRemote

MOST_SAMPLES = 1000
"""Of an NF type; a design has some 60."""
MOST_HANDINGS = 8
"""Kinds of neighbours that there are."""
_Figure = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
_Length = Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)]
Loads = Annotated[tuple[_Figure, ...], Field(min_length=5, max_length=5)]
"""Other chains, then packets and references to the last-level cache on the NF's node, and on others."""


class ProcessShape(Frozen):
    """How alike samples are: standard deviations of drops, and loads over which drops change."""

    level: _Figure
    """Of a role behind another NF."""
    bend: _Figure
    """About a straight line."""
    slope: _Figure
    """Of the straight line."""
    lengths: tuple[_Length, ...] = Field(min_length=5, max_length=5)
    """Of square roots of loads."""
    shared: float = Field(ge=0, le=1)
    """By roles on one kind of node."""


class ProcessSample(Frozen):
    """What an NF lost under a load."""

    role: ChainRole
    load: Loads
    drop: float = Field(ge=-1e6, le=1, allow_inf_nan=False)
    """Share of the ideal throughput."""
    variance: float = Field(gt=0, le=1e12, allow_inf_nan=False)
    """Of the drop, the process's own error included."""


class ProcessFit(Frozen):
    """One NF type on one host model: all that a process says of it follows from this."""

    nf_type: Name
    host_model: str
    version: str
    shape: ProcessShape
    ideal_mpps: LocalRemote
    references: _Figure
    """To the last-level cache, a packet, as a share of what an average NF of the fit makes in a microsecond."""
    average_mpps: _Length
    """Of an NF of the fit alone on the local node: what packets are counted in."""
    quantile: float | None = Field(default=None, gt=0, le=1e6)
    """Half of a 95 % interval over the deviation that the process expects, conformal; None of too few samples."""
    handing: tuple[Handing, ...] = Field(default=(), max_length=MOST_HANDINGS)
    samples: tuple[ProcessSample, ...] = Field(min_length=1, max_length=MOST_SAMPLES)


class ProcessModel(Frozen):
    """The same with its digest, by which a change on file is noticed when it is read."""

    fit: ProcessFit
    digest: Digest

    @classmethod
    def of(cls, fit: ProcessFit) -> "ProcessModel":
        """Sealed."""
        return cls(fit=fit, digest=digest_of(fit))

    @model_validator(mode="after")
    def _is_whole(self) -> "ProcessModel":
        if digest_of(self.fit) != self.digest:
            raise ValueError(
                f"the Gaussian process of {self.fit.nf_type} ({self.fit.version}) is not what was stored: its digest "
                "differs; fit the host model again"
            )
        return self
