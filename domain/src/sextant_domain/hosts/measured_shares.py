"""How much of a core an NF takes, by its rate (CoCo's f, Sec. III-A and V-A), as it was measured on a host model:
versions, of which an operator promotes one."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from sextant_domain.base import Frozen, Name, Provenance
from sextant_domain.profiling.shares_ask import HOP_DISTANCES, MOST_SHARE_POINTS, HopDistance


class SharesState(StrEnum):
    """Life of a version."""

    DRAFT = "draft"
    """Measured; no law goes by it."""
    PROMOTED = "promoted"
    """In use: one of an NF type and host model at a time."""
    RETIRED = "retired"
    """Was in use."""


class SharePoint(Frozen):
    """What was measured at one rate."""

    mpps: float = Field(ge=0)
    """What it carried."""
    share: float = Field(ge=0)
    """CPU time of its process over time: 1 is a whole core."""
    half_width: float | None = Field(default=None, ge=0)
    """Of the 95 % confidence interval of `share`; None for a single sample."""


class ShareLine(Frozen):
    """f(v) = slope v + intercept, v in Mpps, f as a part of one core."""

    slope: float = Field(gt=0)
    """Part of a core that one Mpps more takes: microseconds a packet."""
    intercept: float = Field(ge=0, lt=1)
    """Part of a core that it takes however few packets come."""
    slope_half_width: float = Field(ge=0)
    """Of the 95 % confidence interval, by Student's t."""
    intercept_half_width: float | None = Field(default=None, ge=0)
    """Likewise; None of a line through the origin, whose intercept is no estimate."""
    r_squared: float = Field(ge=0, le=1)
    """Of the points' spread, the part that the line explains."""
    through_origin: bool = False
    """The best line would have a share below 0 at rate 0: this is the best one through the origin instead."""

    def share(self, mpps: float) -> float:
        """Part of a core at a rate."""
        return self.slope * mpps + self.intercept


class HopDelay(Frozen):
    """What handing packets on to another process costs (CoCo's t_d), at one distance."""

    distance: HopDistance
    us: float
    """So much longer the median packet takes than if both NFs ran to completion in one process. Below 0: two processes
    are quicker, since both work at once."""
    half_width_us: float | None = Field(default=None, ge=0)
    """Of the 95 % confidence interval; None for a single sample."""
    mpps: float = Field(gt=0)
    """What was offered."""


class MeasuredShares(Frozen):
    """What a job found of an NF type."""

    line: ShareLine | None
    """None: the points are on no line that a law may go by."""
    refused: str | None = None
    """Why there is no line; None where there is one. Hops are judged by themselves (`hops_refused`)."""
    points: Annotated[tuple[SharePoint, ...], Field(max_length=MOST_SHARE_POINTS)]
    """By rising rate."""
    carries_mpps: float = Field(ge=0)
    """What it carried of a full line."""
    packet_bytes: int = Field(ge=64, le=1518)
    flows: int = Field(ge=1)
    hops: Annotated[tuple[HopDelay, ...], Field(max_length=len(HOP_DISTANCES))] = Field(
        default=(), exclude_if=lambda hops: not hops
    )
    """By distance, from near to far; none where they were not asked for."""

    @property
    def hops_refused(self) -> str | None:
        """Why plans cannot go by its hops, whatever became of the line; None where they can."""
        if not self.hops:
            return "no hops were measured"
        to_another_core = any(hop.distance == "same_node" for hop in self.hops)
        return None if to_another_core else "no hop to another core of the node was measured"


class SharesVersion(Frozen):
    """One version of an NF type's line on a host model."""

    id: int
    host_model: str
    nf_type: Name
    nf_version: int
    """Of the NF type that was measured."""
    version: int = Field(ge=1)
    """Counted from 1 for each NF type on each host model."""
    state: SharesState
    measured: MeasuredShares
    provenance: Provenance
    """`measured`, or `simulated` on the twin."""
    job_id: int
    """The profiling job that measured it."""
    host: Name
    """Where it was measured; it may have left the fleet since."""
    stale: str | None = None
    """Why it describes something else than the NF type is now."""
    created_at: datetime
    created_by: str
    decided_at: datetime | None = None
    """When it was promoted or retired last."""
    decided_by: str | None = None
