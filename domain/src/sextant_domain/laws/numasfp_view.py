"""What operators see of NUMASFP's law on a host: nodes, chains, rates, what was given, and why nothing moves."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from sextant_domain.base import Digest, Frozen, Name, Provenance, StrictFloat, StrictInt
from sextant_domain.hosts.desired import ResourceBounds
from sextant_domain.hosts.telemetry import ControlState, WayTransfer
from sextant_domain.laws.recommendation import PolicyMode
from sextant_domain.plans.operation import MoveOutcome


class NumasfpNode(Frozen):
    """A node of the host, and what the law may give there."""

    node: int
    cores: int
    """For NFs."""
    ways: int
    """That chains can have of their own: one of the cache's stays with all others."""


class NumasfpChain(Frozen):
    """A chain as the law sees it."""

    chain: Name
    node: int | None
    """None: its NFs stand on several, and the law leaves it where it is."""
    local: bool | None
    """It stands on the node that its packets arrive on."""
    nfs: int
    rate_gbps: float | None
    """Offered, on the wire; None: not measured lately."""
    forecast_gbps: float | None
    carried_gbps: float | None
    llc_ways: int | None
    """Reported by its host: what its NFs have together."""
    memory_bandwidth_percent: int | None
    bounds: ResourceBounds | None
    """Within which its host's agent sets both; None: nobody does by itself."""
    control: ControlState | None
    """How the agent's law stands with it; None: it does not say."""
    violations: int = Field(ge=0)
    """Seconds running in which it carried less than 99 % of what it is offered."""
    in_full: bool | None
    note: str | None
    """What the law cannot do with it and why, or what its agent says: a sentence without a full stop."""


class NumasfpMove(Frozen):
    """A move of the law that still counts in its budget."""

    at: datetime
    chain: Name
    from_node: int
    to_node: int | None


class NumasfpTable(Frozen):
    """The promoted table that the law goes by on a host."""

    version: int
    digest: Digest
    nf_types: tuple[Name, ...]
    provenance: Provenance


class NumasfpHost(Frozen):
    """A host as NUMASFP's law sees it."""

    host: Name
    mode: PolicyMode
    stopped: str | None
    """Why no law acts here now; None: it may."""
    provenance: Provenance | None
    """Of the rates; None: nothing was measured lately."""
    evaluated_at: datetime | None
    reason: str
    """Why chains stay, or what is recommended: a sentence without a full stop."""
    table: NumasfpTable | None
    """None: no levels were promoted for its host model."""
    nodes: tuple[NumasfpNode, ...]
    chains: tuple[NumasfpChain, ...]
    moves: tuple[NumasfpMove, ...]
    """In the last `budget_s`."""
    budget_moves: int
    budget_s: float
    margin_gbps: float | None
    """Least gain that moves chains now; None: not reckoned yet."""
    gain_gbps: float | None
    """Of the best placement beside the present one, on forecast rates."""
    held_intervals: int
    """Intervals for which that gain has stood."""
    hold_intervals: int
    following_published: bool
    """The published algorithm would have carried more for long, and is followed."""
    transfers: tuple[WayTransfer, ...]
    """Ways that its agent's law took from one chain for another, oldest first."""
    recommendation_id: int | None
    last_outcome: MoveOutcome | None
    """Of the last operation of the law here."""


HostOrder = Literal["host", "violations", "short_gbps"]


class NumasfpHostRow(Frozen):
    """A host in the list of those that NUMASFP's law looks at."""

    host: Name
    mode: PolicyMode
    chains: int
    violated: int
    """Chains that carried less than 99 % of what they are offered for more than `max_limit` seconds."""
    offered_gbps: float | None
    carried_gbps: float | None
    budget_left: int
    reason: str
    evaluated_at: datetime | None
    provenance: Provenance | None
    recommendation_id: int | None


class NumasfpParametersChange(Frozen):
    """Of the law in the whole fleet; what is left out stays as it is."""

    hold_intervals: Annotated[StrictInt, Field(ge=1, le=3600)] | None = None
    margin_percent: Annotated[StrictFloat, Field(ge=0, le=1000)] | None = None
    budget_moves: Annotated[StrictInt, Field(ge=0, le=1000)] | None = None
    budget_s: Annotated[StrictFloat, Field(ge=1, le=86_400)] | None = None
    cool_down_s: Annotated[StrictFloat, Field(ge=0, le=3600)] | None = None
    forgone_factor: Annotated[StrictFloat, Field(ge=0, le=1000)] | None = None
    most_lost_packets: Annotated[StrictInt, Field(ge=0, le=10**12)] | None = None
    """Null: any number may be lost."""
    most_pause_ms: Annotated[StrictFloat, Field(ge=0, le=60_000)] | None = None
    """Null: chains that move may forward nothing for any time."""

    @property
    def changes(self) -> dict[str, object]:
        """By name. Null is a value of the two that limit what moves may cost; of others it says nothing."""
        named = self.model_fields_set & {"most_lost_packets", "most_pause_ms"}
        return {name: value for name, value in self.model_dump().items() if value is not None or name in named}
