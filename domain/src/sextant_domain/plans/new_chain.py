"""What a chain that nobody has submitted would do: where it would stand, what it would carry, whom it would slow down.

Nothing is stored and no plan is made; a plan of the same fleet says the same.
"""

from datetime import datetime

from pydantic import Field

from sextant_domain.base import Frozen, Name, NfId, Provenance
from sextant_domain.plans.evidence import Doubt
from sextant_domain.plans.placement import Seat
from sextant_domain.plans.plan import ChainPrediction, Rejection
from sextant_domain.problem import NextAction


class NewNf(Frozen):
    """An NF of the chain where it would stand."""

    nf_id: NfId
    nf_type: Name
    seat: Seat
    local: bool
    """On the node where the chain's packets arrive."""
    crosses: bool
    """Packets cross between NUMA nodes to reach it from the NF before, or from the port."""
    shares_with: int = Field(ge=0)
    """Other NFs on its core."""


class AffectedChain(Frozen):
    """A chain that runs on that host and would do worse beside the new one."""

    chain: Name
    before_mpps: float | None
    """What it is predicted to carry as it stands."""
    after_mpps: float | None
    """Beside the new chain; None with `before_mpps` where nothing is predicted of it."""
    low_mpps: float | None
    """Of the 95 % interval of `after_mpps`; None where a model that may hold it up has none."""
    high_mpps: float | None
    provenance: Provenance
    breaks_slo: bool
    """Its throughput objective is met now, by prediction, and would be missed."""
    longer: str | None
    """Why its latency will rise; by how much is not predicted."""


class NewChainPrediction(Frozen):
    """Of one chain, on the fleet at one moment."""

    chain: Name
    taken_at: datetime
    """When the fleet was as it was predicted for."""
    host: Name | None
    """Where it would go; None where it fits nowhere, see `rejected`."""
    nfs: tuple[NewNf, ...]
    """In the order of the chain; empty where it fits nowhere."""
    prediction: ChainPrediction | None
    """As a plan would have it; its `throughput_mpps` is None where nothing is predicted, see `unmeasured` and its
    `note`."""
    unmeasured: tuple[Name, ...]
    """NF types whose throughput alone was never measured on that host's model, of the chain and of those that it would
    share cores with: what rests on them is assumed, or not predicted at all."""
    affected: tuple[AffectedChain, ...]
    """What breaks an objective first."""
    others_mpps: float | None
    """What all other chains of the host together would carry more (or less) than now; None where that is not
    predicted."""
    rejected: Rejection | None
    """Why it fits nowhere, and what would help."""
    stopped: bool
    """The time for it ended the search: a plan searches longer, and may find better."""
    doubt: Doubt | None
    """Why the models are not to be relied on."""
    warnings: tuple[str, ...]
    next_actions: tuple[NextAction, ...]
    """What would make a figure of what is not predicted."""
