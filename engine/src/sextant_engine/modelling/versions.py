"""The model version of one NF type out of what a fit found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from sextant_domain.base import Provenance
from sextant_domain.profiling.fit import ModelState, ModelVersion, Side, SideFit, ValidationScore
from sextant_domain.profiling.job import PointPurpose
from sextant_domain.profiling.model import DropCoefficients, Levels, PerformanceModel
from sextant_domain.profiling.process import ProcessModel

from sextant_engine.modelling.conformal import half_widths
from sextant_engine.modelling.learning import Learnt
from sextant_engine.modelling.octans import Method as LearningMethod
from sextant_engine.modelling.octans import Octans
from sextant_engine.modelling.process import FittedProcess
from sextant_engine.modelling.promotion import (
    NOTHING_ELSEWHERE,
    NUMBERS_ELSEWHERE,
    Grounds,
    notes,
    nothing_elsewhere,
    refusals,
    staleness,
)
from sextant_engine.modelling.side_fits import side_fits
from sextant_engine.modelling.validation import HeldOut, fitted_points
from sextant_engine.parameters import rescaled

Method = Literal["constrained", "lms", "one-node", "solo"]


@dataclass(frozen=True, slots=True)
class Validated:
    """How predictors did on what was held out."""

    scores: tuple[ValidationScore, ...]
    by_mix: Mapping[str, Mapping[str, Sequence[HeldOut]]]
    """By predictor and NF type, of the split by mix."""
    process: FittedProcess
    """On all samples."""
    process_quantile: float | None
    """Of all NF types, which are ranked together."""

    def process_of(self, nf_type: str, version: str) -> ProcessModel | None:
        """To be stored."""
        return self.process.model_of(nf_type, version, self.process_quantile)

    def of_type(self, predictor: str, nf_type: str) -> Sequence[HeldOut]:
        """Samples of an NF type, by mix."""
        return self.by_mix.get(predictor, {}).get(nf_type, ())


@dataclass(frozen=True, slots=True)
class Findings:
    """All that the models of one fit are made of."""

    fit_id: int
    now: datetime
    host_model: str
    basis: Provenance
    learnt: Learnt
    method: LearningMethod
    validated: Validated
    assumed: Mapping[str, PerformanceModel]
    """By NF type: of the built-in type whose program runs; without those nothing is assumed of."""
    not_measurable: Mapping[str, Mapping[PointPurpose, str]]
    """By NF type and purpose, why the host cannot measure such points."""
    versions_now: Mapping[str, int] | None
    cores_a_node: int
    most_beside: int
    """Competitors that there is room for beside a local NF, when nothing else runs."""
    most_elsewhere: int = NUMBERS_ELSEWHERE
    """NFs that there is room for on one remote node, when nothing else runs."""
    reservations: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By NF type, how its figures are to be taken, in the words of who measured them."""

    @property
    def remote_fixed(self) -> bool:
        """The remote coefficients are 0 and not fitted: nothing acts on them."""
        return not self.octans.equations.one_node and nothing_elsewhere(self.most_elsewhere)

    @property
    def octans(self) -> Octans:
        """Whose coefficients plans shall use."""
        return self.learnt.by_method[self.method]

    @property
    def name(self) -> str:
        """Version of its models."""
        return f"fit-{self.fit_id}"


def version_of(found: Findings, nf_type: str, number: int) -> ModelVersion:
    """With its model where nothing is said against it; `number` stands for the id that the store will give."""
    profiles, validated = found.learnt.profiles, found.validated
    method = _method(found, nf_type)
    sides = () if method == "solo" else side_fits(found.learnt.by_method, nf_type, remote=not found.remote_fixed)
    nf_version = profiles.versions.get(nf_type, 1)
    why_not = _refusals(found, nf_type, method, sides)
    model = None if why_not else _model(found, nf_type, method, nf_version)
    return ModelVersion(
        id=number,
        fit_id=found.fit_id,
        nf_type=nf_type,
        nf_version=nf_version,
        host_model=found.host_model,
        state=ModelState.REFUSED if why_not else ModelState.CANDIDATE,
        method=method,
        model=model,
        curves=found.learnt.curves.model_of(nf_type, found.name, half_widths(validated.of_type("curves", nf_type))),
        process=validated.process_of(nf_type, found.name),
        sides=sides,
        scores=tuple(score for score in validated.scores if score.nf_type == nf_type),
        held_out=fitted_points(validated.of_type(found.octans.name, nf_type)),
        samples=len(profiles.plain(nf_type)),
        basis=found.basis,
        refusals=why_not,
        notes=_notes(found, nf_type, method, sides, model),
        stale=None if found.versions_now is None else staleness(nf_version, found.versions_now.get(nf_type)),
        validated=found.learnt.metric.chosen is not None,
        created_at=found.now,
        decided_at=None,
        decided_by=None,
    )


def _method(found: Findings, nf_type: str) -> Method:
    if nf_type in found.learnt.profiles.ideal and not found.learnt.profiles.plain(nf_type):
        return "solo"
    if found.octans.method == "lms":
        return "lms"
    return "one-node" if found.octans.equations.one_node else "constrained"


def _refusals(found: Findings, nf_type: str, method: Method, sides: Sequence[SideFit]) -> tuple[str, ...]:
    if method == "solo":
        known = nf_type in found.assumed
        return () if known else (f"no drops are assumed for {nf_type}: profile it beside others",)
    return refusals(
        Grounds(
            one_node=found.octans.equations.one_node,
            ideal=found.learnt.profiles.ideal.get(nf_type),
            metric=found.learnt.metric.used,
            weight=found.learnt.weights.get(nf_type),
            settings=found.octans.settings(nf_type),
            most_beside=found.most_beside,
            most_elsewhere=found.most_elsewhere,
            sides=sides,
            by_lms=method == "lms",
            not_measurable=found.not_measurable.get(nf_type, {}),
        )
    )


def _model(found: Findings, nf_type: str, method: Method, nf_version: int) -> PerformanceModel:
    """Of an NF type that nothing is said against."""
    if method == "solo":
        return _solo(found, nf_type, nf_version)
    local = _drops(found.octans, nf_type, "local")
    return PerformanceModel(
        nf_type=nf_type,
        host_model=found.host_model,
        version=found.name,
        provenance=Provenance.PREDICTED,
        stalls=1 / found.learnt.weights[nf_type],
        ideal_mpps=found.learnt.profiles.ideal[nf_type],
        local=local,
        remote=_remote_drops(found, nf_type, local),
        ideal_provenance=found.basis,
        nf_version=nf_version,
        half_width=half_widths(found.validated.of_type(found.octans.name, nf_type)),
        ideal_half_width=found.learnt.profiles.ideal_half_width.get(nf_type),
        most_level=_most_level(found, nf_type),
    )


def _most_level(found: Findings, nf_type: str) -> Levels:
    """Of the NFs on the subject's node, over all samples; on hosts of one node nothing is remote."""
    most = {True: 0.0, False: 0.0}
    for setting in found.octans.settings(nf_type):
        near = (*setting.others, *setting.chain[:-1])
        level = sum(found.learnt.weights[nf.nf_type] for nf in near if nf.node == setting.subject.node)
        most[setting.local] = max(most[setting.local], level)
    one_node = found.octans.equations.one_node
    return Levels(local=most[True], remote=most[True] if one_node else most[False])


def _notes(
    found: Findings, nf_type: str, method: Method, sides: Sequence[SideFit], model: PerformanceModel | None
) -> tuple[str, ...]:
    said = notes(sides, by_lms=method == "lms", model=model, full_node=_full_node(found))
    fixed = (NOTHING_ELSEWHERE,) if method != "solo" and found.remote_fixed else ()
    return (*said, *fixed, *found.reservations.get(nf_type, ()))


def _remote_drops(found: Findings, nf_type: str, local: DropCoefficients) -> DropCoefficients:
    if found.octans.equations.one_node:
        return local
    if found.remote_fixed:
        return DropCoefficients(alpha=0.0, beta=0.0, c=0.0)
    return _drops(found.octans, nf_type, "remote")


def _drops(octans: Octans, nf_type: str, side: Side) -> DropCoefficients:
    found = octans.fit(octans.equations.profiles).coefficients[nf_type, side]
    # Least mean squares may leave a coefficient a rounding below 0, which nothing is said against.
    return DropCoefficients(alpha=max(found.alpha, 0.0), beta=max(found.beta, 0.0), c=found.c)


def _solo(found: Findings, nf_type: str, nf_version: int) -> PerformanceModel:
    """Measured throughput alone, assumed drops. Where other types' weights are measured so is its own, and the assumed
    drops are rescaled to those."""
    assumed = found.assumed[nf_type]
    changes: dict[str, object] = {
        "nf_type": nf_type,
        "version": found.name,
        "ideal_mpps": found.learnt.profiles.ideal[nf_type],
        "ideal_provenance": found.basis,
        "ideal_half_width": found.learnt.profiles.ideal_half_width.get(nf_type),
        "nf_version": nf_version,
    }
    weight = found.learnt.weights.get(nf_type) if found.octans.equations.samples else None
    if weight is not None:
        # The assumed weights of a full node sum to at most about 1, the measured ones perhaps to less.
        part = min(1.0, found.cores_a_node * max(found.learnt.weights.values()))
        changes |= {"stalls": 1 / weight, **rescaled(assumed, part)}
    return assumed.model_copy(update=changes)


def _full_node(found: Findings) -> float | None:
    """What a full node of the NF type that presses most weighs; None where no two NFs stand on a remote node."""
    if found.octans.equations.one_node or found.remote_fixed:
        return None
    return found.cores_a_node * max(found.learnt.weights.values(), default=0.0)
