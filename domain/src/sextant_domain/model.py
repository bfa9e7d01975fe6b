"""Performance models: what Octans' drop index needs to know of an NF type on a host model."""

from pydantic import Field

from sextant_domain.base import Frozen, Name, Provenance


class DropCoefficients(Frozen):
    """drop = alpha x LLC competition + beta x memory competition + c (Octans, Eq. 9)."""

    alpha: float = Field(ge=0)
    beta: float = Field(ge=0)
    c: float


class LocalRemote(Frozen):
    """A throughput in Mpps on the node with the NIC, and on any other."""

    local: float = Field(gt=0)
    remote: float = Field(gt=0)


class PerformanceModel(Frozen):
    """Fitted on profiles, or assumed; named by every plan that used it."""

    nf_type: Name
    host_model: str
    version: str
    provenance: Provenance
    stalls: float = Field(gt=0)
    """Resource stalls per processed packet; the weight of an NF is 1 / stalls (Octans, Eq. 7)."""
    ideal_mpps: LocalRemote
    local: DropCoefficients
    remote: DropCoefficients
