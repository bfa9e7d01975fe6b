"""What a study found, with all that is needed to repeat it. Every figure in it is simulated."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag, TypeAdapter, model_validator

from sextant_domain.base import BUILT_LATE, Frozen
from sextant_domain.former import renamed
from sextant_domain.plans.evidence import Algorithm
from sextant_domain.studies.numasfp_result import NumasfpResult
from sextant_domain.studies.origin import Origin
from sextant_domain.studies.scenario import Draw, PlacementScenario
from sextant_domain.studies.school import SchoolResult
from sextant_domain.studies.sfc2cpu_result import Sfc2cpuResult


class Placed(Frozen):
    """One set, placed by one algorithm."""

    draw: Draw
    seed: int
    set: str
    algorithm: Algorithm
    nodes: tuple[tuple[int, ...], ...]
    """Of each NF of each chain."""
    predicted_mpps: float
    """By the models, altogether."""
    carried_mpps: tuple[float, ...]
    """On the twin, by chain."""
    by_second_mpps: tuple[float, ...] = ()
    """On the twin, altogether, where time passes."""

    @model_validator(mode="before")
    @classmethod
    def _former(cls, data: Any) -> Any:
        """Results of 0.1 hold `promised_mpps`."""
        return renamed(data, {"promised_mpps": "predicted_mpps"})

    @property
    def total_mpps(self) -> float:
        """Of all chains."""
        return sum(self.carried_mpps)


class StudyPrediction(Frozen):
    """One chain of one random placement."""

    draw: Draw
    seed: int
    set: str
    number: int
    """Of the placement."""
    chain: int
    nodes: tuple[int, ...]
    carried_mpps: float
    """On the twin."""
    ideal_mpps: float
    """Of its slowest NF, alone on the node where it stands, as profiled."""
    predicted_mpps: dict[str, float | None]
    """By predictor; None where it has no model of an NF type."""

    @property
    def drop(self) -> float:
        """What it lost, as a share of its ideal throughput."""
        return 1 - self.carried_mpps / self.ideal_mpps

    def predicted_drop(self, predictor: str) -> float | None:
        """The same, predicted."""
        mpps = self.predicted_mpps.get(predictor)
        return None if mpps is None else 1 - mpps / self.ideal_mpps


class FitNote(Frozen):
    """What one fit of a run was made with, and what was refused."""

    draw: Draw
    seed: int
    points: int
    """Measured on the twin."""
    metric: str
    """Counter by which aggressiveness is measured."""
    qualifies: bool
    """False: the metric explains too little, so that models are not validated."""
    scale: float
    refusals: dict[str, tuple[str, ...]]
    """By NF type of which no model can be promoted."""


class PlacementResult(Frozen):
    """A whole study of placements or predictions."""

    kind: Literal["placement"] = "placement"
    """Results of 0.1 have none."""
    scenario: PlacementScenario
    origin: Origin
    fits: tuple[FitNote, ...]
    placed: tuple[Placed, ...] = ()
    """Of a placement study."""
    predictions: tuple[StudyPrediction, ...] = ()
    """Of a prediction study."""

    @model_validator(mode="before")
    @classmethod
    def _former(cls, data: Any) -> Any:
        """Results of 0.1 hold `foretold`."""
        return renamed(data, {"foretold": "predictions"})


def _kind_of(found: Any) -> str:
    kind = found.get("kind", "placement") if isinstance(found, dict) else getattr(found, "kind", "placement")
    return kind if isinstance(kind, str) else ""


StudyResult = Annotated[
    Annotated[PlacementResult, Tag("placement")]
    | Annotated[NumasfpResult, Tag("numasfp")]
    | Annotated[Sfc2cpuResult, Tag("sfc2cpu")]
    | Annotated[SchoolResult, Tag("school")],
    Discriminator(_kind_of),
]
"""By `kind`; what names none is of placements."""
STUDY_RESULT: TypeAdapter[StudyResult] = TypeAdapter(StudyResult, config=BUILT_LATE)


class Repeated(Frozen):
    """A repetition compared with the study that it repeats."""

    equal: bool
    """Whether every figure is equal."""
    differs: tuple[str, ...] = ()
    """Fields of the origin that are not the same now."""


def compared(now: StudyResult, before: StudyResult) -> Repeated:
    """Does the repetition find what was found?"""
    differs = [name for name, value in now.origin if value != getattr(before.origin, name)]
    return Repeated(equal=_figures(now) == _figures(before), differs=tuple(differs))


def _figures(found: StudyResult) -> tuple[object, ...]:
    if isinstance(found, NumasfpResult):
        return found.kind, found.checks, found.lines, found.cells
    if isinstance(found, Sfc2cpuResult):
        return found.kind, found.checks, found.lines
    if isinstance(found, SchoolResult):
        return found.kind, found.report.curve, found.report.exam, found.weights
    return found.kind, found.fits, found.placed, found.predictions
