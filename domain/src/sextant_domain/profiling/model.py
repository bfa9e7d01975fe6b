"""Performance models: what Octans' drop index needs to know of an NF type on a host model."""

from typing import Literal

from pydantic import Field

from sextant_domain.base import Frozen, Name, Provenance

ASSUMED_VERSION = "assumed-1"
"""Of the shipped defaults."""


class DropCoefficients(Frozen):
    """drop = alpha x LLC competition + beta x memory competition + c (Octans, Eq. 9)."""

    alpha: float = Field(ge=0)
    beta: float = Field(ge=0)
    c: float


class LocalRemote(Frozen):
    """A throughput in Mpps on the node with the NIC, and on any other."""

    local: float = Field(gt=0)
    remote: float = Field(gt=0)


class HalfWidths(Frozen):
    """Half of the 95 % interval of a predicted drop, as a share of the ideal throughput: 0.03 is 3 points."""

    local: float = Field(ge=0, le=1)
    remote: float = Field(ge=0, le=1)


class Levels(Frozen):
    """Sums of weights (1 / stalls) of NFs, on the node with the NIC and on any other."""

    local: float = Field(ge=0)
    remote: float = Field(ge=0)


IntervalSource = Literal["held-out", "outcomes", "spare"]
"""Where the interval of a prediction comes from: errors on held-out mixes of a fit, or errors of earlier predictions
beside what was measured then; both are conformal, 95 %. `spare`: the chain is offered half of its predicted capacity or
less, so that it carries its offer unless half of that capacity is wrong."""


class PerformanceModel(Frozen):
    """Fitted on profiles, or assumed; named by every plan that used it."""

    nf_type: Name
    host_model: str
    version: str
    """`assumed-1`, or `fit-7`: the fit that it is part of."""
    provenance: Provenance
    """`predicted` where drops were fitted on profiles; `assumed` where they are shipped defaults."""
    stalls: float = Field(gt=0)
    """Resource stalls per packet over the scale of the host model; an NF's weight is 1 / stalls (Octans, Eq. 7)."""
    ideal_mpps: LocalRemote
    local: DropCoefficients
    remote: DropCoefficients
    ideal_provenance: Provenance | None = Field(default=None, exclude_if=lambda value: value is None)
    """Of `ideal_mpps`, where it is another one: measured throughput beside assumed drops."""
    nf_version: int | None = Field(default=None, exclude_if=lambda value: value is None)
    """Of the NF type that was profiled; the model of a later version is stale."""
    half_width: HalfWidths | None = Field(default=None, exclude_if=lambda value: value is None)
    """Conformal, from held-out mixes; None where nothing was held out."""
    ideal_half_width: HalfWidths | None = Field(default=None, exclude_if=lambda value: value is None)
    """Of the 95 % interval of `ideal_mpps`, as a share of it, by Student's t over repetitions; None where it is
    assumed, or was measured once."""

    most_level: Levels | None = Field(default=None, exclude_if=lambda value: value is None)
    """Of the NFs beside it on its node, in any sample: beyond, drops are extrapolated. None where they are assumed."""

    @property
    def ideal_known(self) -> bool:
        """True where the ideal throughput was measured, or simulated, rather than assumed."""
        return (self.ideal_provenance or self.provenance) is not Provenance.ASSUMED
