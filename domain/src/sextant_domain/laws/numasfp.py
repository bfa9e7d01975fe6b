"""NUMASFP's law, the node and the resources of whole chains: its parameters, and what it observes."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from sextant_domain.base import Frozen, StrictFloat, StrictInt
from sextant_domain.laws.frame import LawName
from sextant_domain.plans.intents import LossBudget

NUMASFP: LawName = "numasfp"


class NumasfpParameters(Frozen):
    """What is chosen for it, beside the policy that every law has. An interval is one second."""

    law: Literal["numasfp"] = "numasfp"
    hold_intervals: Annotated[StrictInt, Field(ge=1, le=3600)] = 2
    """A gain must have stood for so many intervals, the present one included."""
    margin_percent: Annotated[StrictFloat, Field(ge=0, le=1000)] = 2.0
    """Gain that moves chains as soon as it has stood, of what all chains are offered; a smaller one waits until staying
    has forgone enough."""
    forgone_factor: Annotated[StrictFloat, Field(ge=0, le=1000)] = 0.35
    """A smaller gain moves chains once staying has forgone what the move loses, times this."""
    budget_moves: Annotated[StrictInt, Field(ge=0, le=1000)] = 16
    """Chains that may change their node within `budget_s`; a swap is two."""
    budget_s: Annotated[StrictFloat, Field(ge=1, le=86_400)] = 120.0
    cool_down_s: Annotated[StrictFloat, Field(ge=0, le=3600)] = 5.0
    """After a move nothing moves for so long."""
    forecast_weight: Annotated[StrictFloat, Field(gt=0, le=1)] = 0.8
    """Of the newest rate in the forecast, an exponentially weighted mean; 1: the forecast is the newest rate."""
    horizon: Annotated[StrictFloat, Field(ge=1, le=3600)] = 10.0
    """Intervals over which what a move loses is spread."""
    least_loss: Annotated[StrictFloat, Field(ge=0, le=1)] = 0.2
    """A move counts as losing at least this share of an interval: the budget makes it dear where it loses less."""
    reversal_s: Annotated[StrictFloat, Field(ge=0, le=3600)] = 30.0
    """A chain that goes back within this time has moved in vain: the margin is doubled for `budget_s`."""
    shadow_intervals: Annotated[StrictInt, Field(ge=1, le=86_400)] = 30
    """The published algorithm is followed once it would have carried more in so many intervals running."""
    late_s: Annotated[StrictFloat, Field(ge=0, le=3600)] = 2.5
    """Older measurements are not acted on."""
    most_gbps: Annotated[StrictFloat, Field(gt=0, le=1e6)] = 1000.0
    """No chain of a host is offered more: such a rate is a defect of whoever measured."""
    most_lost_packets: Annotated[StrictInt, Field(ge=0, le=10**12)] | None = None
    """Lost by all chains of one recommendation while they move: one that is expected to lose more is not made, and what
    lost more is undone; None: any number."""
    most_pause_ms: Annotated[StrictFloat, Field(ge=0, le=60_000)] | None = None
    """The longest time in which a chain that moves may forward nothing; None: any."""

    @property
    def loss_budget(self) -> LossBudget | None:
        """Of each plan that moves chains; None: there is none."""
        if self.most_lost_packets is None and self.most_pause_ms is None:
            return None
        return LossBudget(most_packets=self.most_lost_packets, most_pause_ms=self.most_pause_ms)


class NumasfpObservation(Frozen):
    """What a host measured in one interval. Any number is taken: the law itself says what it does not believe."""

    model_config = ConfigDict(allow_inf_nan=True)

    at_s: float
    """When, on the clock that the law is told."""
    rates_gbps: dict[str, float]
    """What each chain is offered, on the wire."""
    carried_gbps: dict[str, float] | None = None
    """What each chain carries, on the wire: where that is more than its table says, the table errs, and what is carried
    already is no gain of a move. None: not measured; what the table says is taken."""
    placement: dict[str, str] | None = None
    """Where chains stand, as the host reports it; None: where the law had them stand."""
    waits_for_answer: bool = False
    """A recommendation of the law waits for an operator's answer: what staying forgoes until then, and what the
    published algorithm carries more, is not counted."""
