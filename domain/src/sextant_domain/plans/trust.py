"""How far to trust predictions: each beside what came of it, summed up by NF type, host model and predictor."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import Field, model_validator

from sextant_domain.base import Frozen, Name, NfId, Provenance
from sextant_domain.former import renamed
from sextant_domain.hosts.limits import LimitSign
from sextant_domain.profiling.model import IntervalSource

SPARE_PREDICTOR = "time-sharing, room to spare"
"""Names the spread of outcomes of chains that were offered half of what they could carry or less: how far what they
carried was from what was offered."""


class OutcomeTest(StrEnum):
    """Whether an outcome tests its prediction."""

    INFORMATIVE = "informative"
    """The chain was offered as much as it was predicted to carry, or did not carry what it was offered."""
    OFFERED_TOO_LITTLE = "offered_too_little"
    """It carried all it was offered, which is less than it was predicted to carry: the prediction was not tested."""
    PORT_FULL = "port_full"
    """It carried all that its port's line rate allows, less than it was predicted to carry: not tested either."""


class MeasuredLimit(Frozen):
    """The NF that limited a chain while it was measured, whichever was predicted to."""

    nf_id: NfId
    by: LimitSign


class JudgedModel(Frozen):
    """A model that an outcome is compared with: that of the NF that was measured to limit the chain, or was predicted
    to."""

    nf_id: NfId
    nf_type: Name
    version: str
    predicted_mpps: float
    """What this NF was predicted to carry of what the chain is offered; where nothing is said of it alone, what the
    chain was predicted to carry, which is no more."""
    low_mpps: float | None = None
    """Of the 95 % interval; None where that is the chain's, and another NF's model made it."""
    high_mpps: float | None = None
    counts: bool
    """Whether it tests this model. One whose NF did not limit the chain is tested only where the chain carried more
    than the model said it could."""


class Outcome(Frozen):
    """One chain after an apply: predicted against measured."""

    id: int
    plan_id: int
    chain: Name
    host: Name
    host_model: str
    nf_id: NfId
    """The predicted bottleneck."""
    nf_type: Name
    predictor: str
    """`octans`, `curves`, `gaussian-process`, `time-sharing`."""
    version: str
    """Of the model."""
    predicted_mpps: float
    low_mpps: float | None
    high_mpps: float | None
    interval_source: IntervalSource | None = Field(default=None, exclude_if=lambda source: source is None)
    """Where the interval comes from; None without one."""
    measured_mpps: float
    """Mean over the window."""
    offered_mpps: float
    test: OutcomeTest
    """Whether it tests its prediction."""
    limited_by: MeasuredLimit | None = Field(default=None, exclude_if=lambda limit: limit is None)
    """The measured bottleneck; absent where no measurement points to an NF, and on outcomes of an earlier version."""
    judged: tuple[JudgedModel, ...] = ()
    """Models that it is compared with; those for which it counts determine how far they are trusted."""
    seconds: float = Field(gt=0)
    """The window's length."""
    provenance: Provenance
    """Of the measurement: `measured` or `simulated`."""
    at: datetime

    @model_validator(mode="before")
    @classmethod
    def _former(cls, data: Any) -> Any:
        """A snapshot on file of 0.1 holds `told`, whose `telling` is `informative`."""
        data = renamed(data, {"told": "test"})
        return {**data, "test": "informative"} if isinstance(data, dict) and data.get("test") == "telling" else data

    @property
    def inside(self) -> bool | None:
        """Whether what was measured lies inside the interval; None without one."""
        if self.low_mpps is None or self.high_mpps is None:
            return None
        return self.low_mpps <= self.measured_mpps <= self.high_mpps

    @property
    def error_percent(self) -> float:
        """The difference: measured less predicted, in percent of predicted; positive where it carried more. Without
        bound where next to nothing was predicted."""
        return 100 * (self.measured_mpps - self.predicted_mpps) / max(self.predicted_mpps, 1e-9)


class Spread(Frozen):
    """How far off a predictor was on a host model: half of the 95 % interval that its next prediction has by that."""

    host_model: str
    predictor: str
    """`octans`, `time-sharing`; `time-sharing, room to spare` of chains that were offered half of what they could carry
    or less: how far what they carried was from that."""
    half_width: float = Field(ge=0, le=1)
    """As a share of what is predicted."""
    outcomes: int = Field(ge=19)
    """Placed chains that it comes from, each once: of fewer than 19 no rank reaches 95 %."""


class TrustVerdict(StrEnum):
    """Whether this predictor can be relied on here."""

    UNTESTED = "untested"
    """Fewer than three informative outcomes."""
    TRUSTED = "trusted"
    DISTRUSTED = "distrusted"
    """Its error is above the band, or its intervals do not hold: profile again."""


class Trust(Frozen):
    """The trust meter of one NF type on one host model, for one predictor."""

    nf_type: Name
    host_model: str
    predictor: str
    version: str
    """Of the model in use; outcomes of earlier ones do not count."""
    informative: int = Field(ge=0)
    uninformative: int = Field(ge=0)
    """Outcomes that do not test it: of chains that were offered too little, whose port was full, or that another NF
    limited."""
    error_percent: float | None
    """Mean size of the difference, in percent of predicted, over the last informative outcomes; each counts
    as 100 at most."""
    bias_percent: float | None
    """The same with its sign: above 0 where chains carry more than predicted."""
    coverage_percent: float | None
    """Share of them inside their interval; None without intervals."""
    band_percent: float
    """Error up to which it is trusted."""
    verdict: TrustVerdict
    why: str
    """'5 of 6 outcomes inside their intervals, mean error 2.1 %'."""
    last: Outcome | None

    @model_validator(mode="before")
    @classmethod
    def _former(cls, data: Any) -> Any:
        """A snapshot on file of 0.1 holds `telling` and `untold`."""
        return renamed(data, {"telling": "informative", "untold": "uninformative"})
