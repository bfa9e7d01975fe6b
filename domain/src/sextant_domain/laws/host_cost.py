"""What packets cost on a host's shared cores beside others, as it was fitted on what ran there (sfc2cpu): versions."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from sextant_domain.base import Frozen, Name, Provenance


class HostCost(Frozen):
    """A version: what it was fitted on, and how far off it is."""

    version: int = Field(ge=1)
    """Counted from 1 for each host; the newest is the one that counts."""
    fitted_at: datetime
    fitted_by: str
    since: datetime
    """Of the samples that it was fitted on, by the host's clock; likewise `until`."""
    until: datetime
    windows: int = Field(ge=1)
    """Spans of ten seconds of which the means were fitted on."""
    placements: int = Field(ge=1)
    """How differently the NFs stood in them: with one, what is on the same core cannot be told from what is not."""
    nf_types: tuple[Name, ...]
    """By name, those whose cost beside others it knows."""
    weight: Literal["load", "presence"]
    """Whether others count by their load, or each the same."""
    median_error: float = Field(ge=0)
    """Of the cost of a packet, relative, where it was fitted: .02 is 2 %."""
    left_out_error: float = Field(ge=0)
    """The 90th percentile in fifths of the windows that a fit did not use."""
    provenance: Provenance
    """`measured`, or `simulated` on the twin."""
