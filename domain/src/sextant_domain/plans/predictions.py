"""What applied plans predict of the chains that stand on hosts now, beside what they carry now."""

from typing import Any

from pydantic import Field

from sextant_domain.base import Frozen, Name, NfId
from sextant_domain.plans.trust import OutcomeTest


def _where_known() -> Any:
    return Field(default=None, exclude_if=lambda value: value is None)


class StandingPrediction(Frozen):
    """One chain as it stands: predicted by the plan that its host runs by, and measured over the newest seconds.

    Throughputs in Mpps, to five significant digits; what is not known is left out of JSON.
    """

    chain: Name
    bottleneck: NfId
    """The NF that was predicted to limit it: whose model the prediction is of."""
    predicted_mpps: float
    low_mpps: float | None = _where_known()
    """Of the 95 % interval; absent where a model that it rests on has none."""
    high_mpps: float | None = _where_known()
    offered_mpps: float | None = _where_known()
    """Mean over the window; absent with `measured_mpps` and `test` until it is whole, and while the host is silent."""
    measured_mpps: float | None = _where_known()
    """What it carried: delivered, and dropped because its rules say so."""
    test: OutcomeTest | None = _where_known()
    """Whether the two can be compared: by the rule that outcomes are judged by."""
    assumed: bool = Field(default=False, exclude_if=lambda assumed: not assumed)
    """A model that it rests on is assumed, not fitted; left out of JSON where none is."""


class HostPredictions(Frozen):
    """Chains of a host of which the plan that it runs by predicts something."""

    host: Name
    plan_id: int
    generation: int
    """Of the order that the plan gave: with any other the predictions are those of something else."""
    predictor: str
    """`octans`, or `time-sharing` on shared cores: what the plan rests on."""
    chains: tuple[StandingPrediction, ...]


class FleetPredictions(Frozen):
    """By host, by chain. Hosts of which nothing is predicted are absent."""

    window_s: float
    """What `measured_mpps` is the mean of, up to the newest sample of its host."""
    hosts: tuple[HostPredictions, ...]
