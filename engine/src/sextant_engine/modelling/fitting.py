"""All models of one host model out of its stored measurements: what was learnt, how it held, what can be promoted."""

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from sextant_domain.base import Provenance
from sextant_domain.profiling.fit import Fit, ValidationScore
from sextant_domain.profiling.job import PointPurpose, ProfileRecord
from sextant_domain.profiling.model import PerformanceModel

from sextant_engine.errors import BadEngineInput
from sextant_engine.modelling.conformal import normalised_quantile, with_intervals
from sextant_engine.modelling.learning import SPLITS, InUse, Learnt, learn
from sextant_engine.modelling.nulls import LinearReferences, MeanDrop, ZeroDrop
from sextant_engine.modelling.octans import Method
from sextant_engine.modelling.predictor import Predictor, profiles_of
from sextant_engine.modelling.process import GaussianProcess
from sextant_engine.modelling.validation import HeldOut, by_subject, cross_validate, scores_of
from sextant_engine.modelling.versions import Findings, Validated, version_of
from sextant_engine.parameters import assumed_models

__all__ = ["InUse", "fit"]

WITH_INTERVALS = frozenset({"octans", "octans-lms", "curves", GaussianProcess.name})


def fit(
    records: Sequence[ProfileRecord],
    *,
    fit_id: int,
    now: datetime,
    host_model: str,
    cores_a_node: int,
    nodes: int | None = None,
    most_beside: int | None = None,
    most_elsewhere: int | None = None,
    job_id: int | None = None,
    in_use: InUse | None = None,
    versions_now: Mapping[str, int] | None = None,
    method: Method = "constrained",
) -> Fit:
    """Models of every NF type in `records`, which are of one host model and one basis (measured or simulated).

    `cores_a_node`: of the host model, what a full node is. `nodes`: of the host model; None: as many as the records
    speak of. `most_beside`: competitors that a host of the model has room for beside a local NF; None: all cores of a
    node but one. `most_elsewhere`: NFs that a host of the model has room for on one remote node; None: all cores of a
    node. `in_use` stays unless something else is plainly better. `versions_now`: of NF types, to decide
    which models are stale; None: all are fresh. Models are numbered from 1; whoever stores them gives them ids.

    Raises BadEngineInput for no records, and for records of several bases or of another host model.
    """
    began = time.process_time()
    basis = _basis_of(records, host_model)
    learnt = learn(profiles_of(records, nodes), cores_a_node, in_use)
    found = Findings(
        fit_id=fit_id,
        now=now,
        host_model=host_model,
        basis=basis,
        learnt=learnt,
        method=method,
        validated=_validate(learnt),
        assumed=_assumed(records, host_model, cores_a_node),
        not_measurable=_not_measurable(records),
        versions_now=versions_now,
        cores_a_node=cores_a_node,
        most_beside=cores_a_node - 1 if most_beside is None else most_beside,
        most_elsewhere=cores_a_node if most_elsewhere is None else most_elsewhere,
        reservations=_reservations(records),
    )
    return Fit(
        id=fit_id,
        host_model=host_model,
        job_id=job_id,
        metric=learnt.metric,
        scale=learnt.scale,
        models=tuple(version_of(found, nf_type, number) for number, nf_type in enumerate(_types(records), 1)),
        scores=tuple(score for score in found.validated.scores if score.nf_type is None),
        samples=sum(1 for _ in learnt.profiles.every_sample()),
        seconds=time.process_time() - began,
        basis=basis,
        created_at=now,
    )


def _basis_of(records: Sequence[ProfileRecord], host_model: str) -> Provenance:
    if not records:
        raise BadEngineInput("records", f"no measurement of {host_model}; profile an NF type there first")
    strange = sorted({record.host_model for record in records} - {host_model})
    if strange:
        raise BadEngineInput("records", f"of {', '.join(strange)}, not of {host_model}; fit each host model by itself")
    bases = {record.provenance for record in records}
    if len(bases) > 1:
        raise BadEngineInput("records", "measured and simulated ones are of no one model; fit them apart")
    return bases.pop()


def _validate(learnt: Learnt) -> Validated:
    scores: list[ValidationScore] = []
    by_mix: dict[str, Mapping[str, Sequence[HeldOut]]] = {}
    process = GaussianProcess()
    predictors: list[Predictor] = [
        *learnt.by_method.values(),
        learnt.by_curves,
        process,
        ZeroDrop(),
        MeanDrop(),
        LinearReferences(),
    ]
    for split in SPLITS:
        held_out: dict[str, Sequence[HeldOut]] = {}
        for predictor in predictors:
            found = cross_validate(predictor, learnt.profiles, split, learnt.folds[split])
            if split == "mix":
                found = with_intervals(found) if predictor.name in WITH_INTERVALS else found
                by_mix[predictor.name] = by_subject(found)
            held_out[predictor.name] = found
        scores += scores_of(split, held_out)
    of_all = (one for of_type in by_mix[process.name].values() for one in of_type)
    return Validated(tuple(scores), by_mix, process.fit(learnt.profiles), normalised_quantile(of_all))


def _types(records: Sequence[ProfileRecord]) -> list[str]:
    """Those whose figures were asked for; a reporter's are another NF's."""
    asked = (one.setting for one in records if one.setting.purpose is not PointPurpose.CONTENTIOUSNESS)
    return sorted({setting.subject.nf_type for setting in asked})


def _assumed(records: Sequence[ProfileRecord], host_model: str, cores_a_node: int) -> dict[str, PerformanceModel]:
    built_in = {model.nf_type: model for model in assumed_models(host_model, cores_a_node)}
    asked = {record.request.nf.nf_type: record.request.nf.runs for record in records}
    return {nf_type: built_in[runs] for nf_type, runs in asked.items() if runs in built_in}


def _reservations(records: Sequence[ProfileRecord]) -> Mapping[str, Sequence[str]]:
    """Each once, as the newest record has it last."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for record in sorted(records, key=lambda record: record.id):
        found[record.setting.subject.nf_type].update(dict.fromkeys(record.result.notes))
    return {nf_type: tuple(notes) for nf_type, notes in found.items()}


def _not_measurable(records: Sequence[ProfileRecord]) -> Mapping[str, Mapping[PointPurpose, str]]:
    found: dict[str, dict[PointPurpose, str]] = defaultdict(dict)
    for record in sorted(records, key=lambda record: record.id):
        if record.result.not_measurable is not None:
            found[record.setting.subject.nf_type][record.setting.purpose] = record.result.not_measurable
    return found
