"""Drops beside one competitor, measured with real packets, and what predictors say of those that they have not seen."""

import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from statistics import fmean
from typing import Any, NamedTuple

import page
from sextant_agent.measuring.program import MeasureFailed, MeasureProgram
from sextant_agent.measuring.protocol import profile
from sextant_agent.measuring.watch import MeasurementWatch
from sextant_domain.base import Provenance
from sextant_domain.profiling.calibration import Calibration
from sextant_domain.profiling.estimates import estimate
from sextant_domain.profiling.job import PointPurpose, PointSetting, ProfileRecord, StandingNf
from sextant_domain.profiling.profile import Estimate, ProfiledNf, ProfileMode, ProfileRequest, ProfileTraffic
from sextant_domain.studies.summary import shown
from sextant_engine.modelling.curves import Curves
from sextant_engine.modelling.learning import learn
from sextant_engine.modelling.nulls import MeanDrop, ZeroDrop
from sextant_engine.modelling.predictor import Predictor, profiles_of
from sextant_engine.modelling.process import GaussianProcess
from sextant_engine.modelling.validation import cross_validate

MANY = 1_000_000
"""Flows, so that tables are larger than the last-level cache of most machines."""
KINDS: Mapping[str, Mapping[str, Any]] = {
    "basic-monitor": {"flow_table_entries": 1 << 20},
    "nat": {"flow_table_entries": 1 << 20},
    "router": {"synthetic_routes": 100_000},
}
BUBBLES = (1 / 4, 1.0, 4.0)
"""Working sets of rivals, as parts of the last-level cache."""
LINES_A_PACKET = 64
LARGEST_BUBBLE = 256 << 20
ASKED_DROP = 5.0
"""Percent: where nothing loses so much, a model that predicts no drop is as good as any."""
TRIES, BETWEEN_S = 5, 4.0
"""Of a point whose cores have stood elsewhere than when they were calibrated: they may come back."""
MODEL = "this machine"


class _Nf(NamedTuple):
    """An NF type with its configuration; bubbles of a size are a type of their own."""

    name: str
    nf_type: str
    config: Mapping[str, Any]


NFS = tuple(_Nf(kind, kind, config) for kind, config in KINDS.items())


class _Bench:
    """Measures on two cores, and keeps what it measured."""

    def __init__(self, program: MeasureProgram, calibration: Calibration, core: int, other: int) -> None:
        self._program, self._calibration = program, calibration
        self._core, self._other = core, other
        self.asked = 0
        self.records: list[ProfileRecord] = []
        self.reasons: list[str] = []
        """Of points that could not be measured, in order."""

    def drop(self, nf: _Nf, beside: _Nf | None) -> Estimate | None:
        """Percent of throughput; None for an NF alone, and where it could not be measured."""
        rival = None if beside is None else _profiled(beside, self._other)
        self.asked += 1
        asked = _profiled(nf, self._core)
        try:
            for attempt in range(TRIES):
                if attempt:
                    time.sleep(BETWEEN_S)
                found = _record(self._program, self._calibration, self.asked, asked, rival, nf, beside)
                if found.result.not_measurable is None:
                    break
        except MeasureFailed as error:
            self.reasons.append(str(error))
            return None
        self.records.append(found)
        if found.result.not_measurable is not None:
            self.reasons.append(found.result.not_measurable)
        return found.result.throughput_drop_percent


def one_competitor(
    program: MeasureProgram, calibration: Calibration, core: int, other: int, cores: int
) -> Iterator[str]:
    """Every NF beside bubbles that grow until one loses 5 %, and then beside every other NF: the drops, then errors on
    held-out mixes. Where none loses so much no predictor can be told from another, which is all that is said.

    `cores`: of the node, for NFs.
    """
    bench = _Bench(program, calibration, core, other)
    for nf in NFS:
        bench.drop(nf, None)
    cache = calibration.caches[-1].size_bytes
    yield from page.head("beside one competitor (measured)", *(f"{nf.name}: drop %" for nf in NFS))
    most: Estimate | None = None
    for part in BUBBLES:
        bubble = _bubble(min(LARGEST_BUBBLE, round(cache * part)))
        bench.drop(bubble, None)
        drops = [bench.drop(nf, bubble) for nf in NFS]
        yield _line(bubble.name, drops)
        most = max((one for one in (most, *drops) if one is not None), key=lambda one: one.value, default=None)
        if most is not None and most.value >= ASKED_DROP:
            break
    for competitor in NFS:
        yield _line(competitor.name, [bench.drop(nf, competitor) for nf in NFS])
    yield ""
    if bench.reasons:
        not_measured = f"{len(bench.reasons)} of {bench.asked} points could not be measured"
        yield f"{not_measured}, the last one because: {bench.reasons[-1]}."
        yield ""
    if most is None or most.value < ASKED_DROP:
        yield _no_test(most, cache, all_measured=not bench.reasons)
        return
    yield from _errors(bench.records, cores)


def _no_test(most: Estimate | None, cache: int, *, all_measured: bool) -> str:
    largest = "nothing could be measured" if most is None else f"at most {shown(most)} %"
    if not all_measured:
        return (
            f"**No test is possible here**: of the points that could be measured none loses {ASKED_DROP:.0f} % "
            f"({largest}), and the cores do not stand still for the others."
        )
    return (
        f"**No test is possible here**: beside a bubble of {BUBBLES[-1]:.0f} times the {cache / 2**20:.0f} MiB of the "
        f"last-level cache no NF loses {ASKED_DROP:.0f} % ({largest}). Whoever predicts no drop is right."
    )


def _line(name: str, drops: Sequence[Estimate | None]) -> str:
    return page.line(name, *("not measured" if drop is None else shown(drop) for drop in drops))


def _bubble(size: int) -> _Nf:
    size -= size % 64
    config = {"working_set_bytes": size, "lines_per_packet": LINES_A_PACKET}
    return _Nf(f"bubble-{size >> 20}m", "bubble", config)


def _profiled(nf: _Nf, core: int) -> ProfiledNf:
    return ProfiledNf(nf_type=nf.nf_type, core=core, config=dict(nf.config), traffic=ProfileTraffic(flows=MANY))


def _errors(records: Sequence[ProfileRecord], cores: int) -> Iterator[str]:
    """Over mixes: fits have not seen the competitor's type. Nothing where too little was measured."""
    profiles = profiles_of(records, 1)
    learnt = learn(profiles, cores)
    knowing: list[Predictor] = [*learnt.by_method.values(), Curves(), GaussianProcess()]
    predictors = [*knowing, ZeroDrop(), MeanDrop()]
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
    program: MeasureProgram,
    calibration: Calibration,
    number: int,
    nf: ProfiledNf,
    beside: ProfiledNf | None,
    *called: _Nf | None,
) -> ProfileRecord:
    """What this host cannot measure is a record, too. `called`: the same NFs. Raises MeasureFailed."""
    others = () if beside is None else (beside,)
    request = ProfileRequest(
        mode=ProfileMode.COLOCATION if others else ProfileMode.SOLO,
        nf=nf,
        others=others,
        pairs=8,
        half_width_percent=1.0,
        max_samples=5,
    )
    result = profile(request, program, calibration, MeasurementWatch())
    standing = [StandingNf(nf_type=one.name, node=0) for one in called if one is not None]
    return ProfileRecord(
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
