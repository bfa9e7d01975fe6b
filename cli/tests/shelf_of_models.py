"""The small console's fits, models and outcomes, by docs/contracts/console.md: one fit of two NF types."""

from typing import Any

from sextant_domain.base import Provenance
from sextant_domain.hosts.limits import LimitSign
from sextant_domain.plans.trust import JudgedModel, MeasuredLimit, Outcome, OutcomeTest, Trust, TrustVerdict
from sextant_domain.profiling.fit import (
    Fit,
    FitState,
    FitView,
    MetricScore,
    MetricSelection,
    ModelState,
    ModelVersion,
    PromotionChange,
    PromotionPreview,
    PromotionSkip,
    ValidationScore,
)
from sextant_domain.profiling.model import DropCoefficients, HalfWidths, LocalRemote, PerformanceModel

from .answers import NOW

HOST_MODEL = "test-cpu 1x2"
NOTHING = DropCoefficients(alpha=0.2, beta=0.1, c=0.0)


def a_version(number: int, nf_type: str, **changes: Any) -> ModelVersion:
    both = LocalRemote(local=10.0, remote=8.0)
    model = PerformanceModel(
        nf_type=nf_type,
        host_model=HOST_MODEL,
        version="fit-1",
        provenance=Provenance.PREDICTED,
        stalls=12.0,
        ideal_mpps=both,
        local=NOTHING,
        remote=NOTHING,
        half_width=HalfWidths(local=0.03, remote=0.05),
        ideal_half_width=HalfWidths(local=0.004, remote=0.006),
    )
    values: dict[str, Any] = {
        "id": number,
        "fit_id": 1,
        "nf_type": nf_type,
        "nf_version": 2,
        "host_model": HOST_MODEL,
        "state": ModelState.CANDIDATE,
        "method": "constrained",
        "model": model,
        "curves": None,
        "sides": (),
        "scores": (),
        "held_out": (),
        "samples": 40,
        "basis": Provenance.MEASURED,
        "validated": True,
        "created_at": NOW,
        "decided_at": None,
        "decided_by": None,
    }
    return ModelVersion(**{**values, **changes})


AN_OUTCOME = Outcome(
    id=1,
    plan_id=3,
    chain="web-edge",
    host="edge-1",
    host_model=HOST_MODEL,
    nf_id="web-edge.firewall",
    nf_type="firewall",
    predictor="octans",
    version="fit-1",
    predicted_mpps=9.0,
    low_mpps=8.7,
    high_mpps=9.3,
    interval_source="held-out",
    measured_mpps=8.9,
    offered_mpps=12.0,
    test=OutcomeTest.INFORMATIVE,
    limited_by=MeasuredLimit(nf_id="web-edge.nat", by=LimitSign.DROPS),
    judged=(
        JudgedModel(nf_id="web-edge.nat", nf_type="nat", version="fit-1", predicted_mpps=9.4, counts=True),
        JudgedModel(nf_id="web-edge.firewall", nf_type="firewall", version="fit-1", predicted_mpps=9.0, counts=False),
    ),
    seconds=10.0,
    provenance=Provenance.SIMULATED,
    at=NOW,
)
NOTHING_HELD_OUT = ValidationScore(
    predictor="octans",
    split="mix",
    nf_type=None,
    samples=0,
    error_points=None,
    error_p95_points=None,
    relative_percent=None,
    throughput_percent=None,
)
A_TRUST = Trust(
    nf_type="firewall",
    host_model=HOST_MODEL,
    predictor="octans",
    version="fit-1",
    informative=6,
    uninformative=2,
    error_percent=14.2,
    bias_percent=-3.0,
    coverage_percent=50.0,
    band_percent=5.0,
    verdict=TrustVerdict.DISTRUSTED,
    why="3 of 6 outcomes inside their intervals, mean error 14.2 %, more than 5 %",
    last=AN_OUTCOME,
)


class ShelfOfModels:
    """One fit, of which nothing is promoted."""

    def __init__(self) -> None:
        why = ("too few samples: 2 of 3 'local'; profile it again so that these points are measured",)
        self.versions = {
            "firewall": a_version(1, "firewall"),
            "nat": a_version(2, "nat", model=None, state=ModelState.REFUSED, refusals=why),
        }
        self.version = 1
        self.sent: dict[str, Any] = {}
        """The newest body of a promotion."""
        self.in_use: int | None = None
        """The fit whose firewall plans use."""
        self.retires: tuple[str, ...] = ()
        self.changed_meanwhile = 0
        """So many promotions come too late."""

    def preview(self) -> PromotionPreview:
        return PromotionPreview(
            promotes=(PromotionChange(nf_type="firewall", fit_id=self.in_use),),
            retires=tuple(PromotionChange(nf_type=name, fit_id=3) for name in self.retires),
            skips=(PromotionSkip(nf_type="nat", why=self.versions["nat"].refusals[0]),),
        )

    def promote(self, body: Any, tag: str | None) -> FitView | None:
        """None: it has changed since it was read."""
        if self.changed_meanwhile:
            self.changed_meanwhile -= 1
            self.version += 1
        if tag != f'"{self.version}"':
            return None
        self.sent = body
        self.versions["firewall"] = a_version(1, "firewall", state=ModelState.PROMOTED)
        return self.view()

    def view(self) -> FitView:
        score = MetricScore(
            metric="cycles", variance=0.1, correlation=-0.9, aggressiveness=0.2, qualifies=False, why_not="sign"
        )
        metric = MetricSelection(
            host_model=HOST_MODEL, chosen=None, used="cycles", scores=(score,), stability=(), alone=()
        )
        fit = Fit(
            id=1,
            host_model=HOST_MODEL,
            job_id=None,
            metric=metric,
            scale=2.5,
            models=tuple(self.versions.values()),
            scores=(NOTHING_HELD_OUT,),
            samples=80,
            seconds=0.031,
            basis=Provenance.MEASURED,
            created_at=NOW,
        )
        return FitView(
            id=1,
            host_model=HOST_MODEL,
            state=FitState.DONE,
            job_id=7,
            nf_types=tuple(self.versions),
            promoted=tuple(name for name, one in self.versions.items() if one.state is ModelState.PROMOTED),
            metric="cycles",
            samples=80,
            basis=Provenance.MEASURED,
            error=None,
            created_at=NOW,
            created_by="ada",
            version=self.version,
            fit=fit,
        )
