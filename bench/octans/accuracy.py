"""Drops beside one competitor, measured with real packets, and what predictors say of those that they have not seen."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from statistics import fmean
from typing import Any

import page
from sextant_agent.measuring.program import MeasureFailed, MeasureProgram
from sextant_agent.measuring.protocol import profile
from sextant_agent.measuring.watch import MeasurementWatch
from sextant_domain.base import Provenance
from sextant_domain.profiling.calibration import Calibration
from sextant_domain.profiling.estimates import estimate
from sextant_domain.profiling.job import PointPurpose, PointSetting, ProfileRecord, StandingNf
from sextant_domain.profiling.profile import ProfiledNf, ProfileMode, ProfileRequest, ProfileTraffic
from sextant_domain.studies.summary import shown
from sextant_engine.modelling.curves import Curves
from sextant_engine.modelling.learning import learn
from sextant_engine.modelling.nulls import MeanDrop, ZeroDrop
from sextant_engine.modelling.predictor import Predictor, profiles_of
from sextant_engine.modelling.process import GaussianProcess
from sextant_engine.modelling.validation import cross_validate

MANY = 100_000
"""Flows: tables that outgrow the core's own caches."""
KINDS: Mapping[str, Mapping[str, Any]] = {"basic-monitor": {"flow_table_entries": 1 << 18}, "nat": {}, "router": {}}
MODEL = "this machine"


def one_competitor(
    program: MeasureProgram, calibration: Calibration, core: int, other: int, cores: int
) -> Iterator[str]:
    """Every NF beside every other: the drops, then errors on held-out mixes. `cores`: of the node, for NFs."""
    records: list[ProfileRecord] = []
    reasons: set[str] = set()
    yield from page.head("beside one competitor (measured)", *(f"{kind}: drop %" for kind in KINDS))
    for kind in KINDS:
        cells = []
        records += _record(program, calibration, len(records) + 1, _nf(kind, core), None)
        for competitor in KINDS:
            found = _record(program, calibration, len(records) + 1, _nf(kind, core), _nf(competitor, other))
            records += found
            drop = found[0].result.throughput_drop_percent if found else None
            reasons |= {one.result.not_measurable for one in found if one.result.not_measurable is not None}
            cells.append("not measured" if drop is None else shown(drop))
        yield page.line(kind, *cells)
    yield ""
    for reason in sorted({reason.split(":")[0] for reason in reasons}):
        yield f"Not measured: {reason}."
        yield ""
    yield from _errors(records, cores)


def _errors(records: Sequence[ProfileRecord], cores: int) -> Iterator[str]:
    """Over mixes: fits have not seen the competitor's type. Nothing where too little was measured."""
    profiles = profiles_of(records, 1)
    learnt = learn(profiles, cores)
    predictors: list[Predictor] = [*learnt.by_method.values(), Curves(), GaussianProcess(), ZeroDrop(), MeanDrop()]
    rows = []
    for predictor in predictors:
        residuals = [
            (one, one.residual) for one in cross_validate(predictor, profiles, "mix") if one.residual is not None
        ]
        if residuals:
            within = fmean(abs(off) <= max(0.01, 2 * one.sample.drop_error) for one, off in residuals)
            points = shown(estimate([100 * abs(off) for _, off in residuals]), 2)
            rows.append(page.line(predictor.name, f"{len(residuals)}", points, f"{100 * within:.0f}"))
    if rows:
        yield from page.head("predictor (measured)", "samples", "points of the drop", "within max(1 point, 2 s.e.) %")
        yield from rows


def _record(
    program: MeasureProgram, calibration: Calibration, number: int, nf: ProfiledNf, beside: ProfiledNf | None
) -> list[ProfileRecord]:
    """Empty where the program could not; what this host cannot measure is a record, too."""
    others = () if beside is None else (beside,)
    request = ProfileRequest(
        mode=ProfileMode.COLOCATION if others else ProfileMode.SOLO,
        nf=nf,
        others=others,
        pairs=8,
        half_width_percent=1.0,
        max_samples=5,
    )
    try:
        result = profile(request, program, calibration, MeasurementWatch())
    except MeasureFailed:
        return []
    standing = [StandingNf(nf_type=each.nf_type, node=0) for each in (nf, *others)]
    return [
        ProfileRecord(
            id=number,
            job_id=1,
            point_id=number,
            host="this",
            host_model=MODEL,
            versions={each.nf_type: 1 for each in standing},
            setting=PointSetting(
                purpose=PointPurpose.LOCAL if others else PointPurpose.IDEAL,
                ingress_node=0,
                chain=(standing[0],),
                others=tuple(standing[1:]),
            ),
            request=request,
            result=result,
            stored_at=datetime.now(UTC),
            provenance=Provenance.MEASURED,
        )
    ]


def _nf(kind: str, core: int) -> ProfiledNf:
    return ProfiledNf(nf_type=kind, core=core, config=dict(KINDS[kind]), traffic=ProfileTraffic(flows=MANY))
