"""Settings, samples and profiles for tests of the modelling, written short: "a1 b0" is an a on n1, then a b on n0."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import combinations_with_replacement, count
from random import Random

from sextant_domain.base import Provenance
from sextant_domain.profiling.curves import ChainRole
from sextant_domain.profiling.job import PointPurpose, PointSetting, ProfileRecord, StandingNf
from sextant_domain.profiling.model import LocalRemote
from sextant_domain.profiling.profile import (
    Estimate,
    NfEstimates,
    ProfiledNf,
    ProfileMode,
    ProfileRequest,
    ProfileResult,
)
from sextant_engine.modelling.levels import levels_of, terms_of
from sextant_engine.modelling.predictor import Profiles, Sample

PURPOSES = {
    ChainRole.LOCAL: PointPurpose.LOCAL,
    ChainRole.CROSSING: PointPurpose.CROSSING,
    ChainRole.HEAD: PointPurpose.REMOTE,
    ChainRole.BEHIND: PointPurpose.BEHIND,
}
TRUE = {
    "a": ((0.6, 0.2, 0.01), (0.5, 0.3, -0.4)),
    "b": ((0.4, 0.3, 0.0), (0.3, 0.4, -0.3)),
    "d": ((0.2, 0.05, 0.02), (0.1, 0.1, -0.05)),
}
"""alpha, beta, c by NF type, local and remote, that `profiles` follows."""
STALLS = {"a": 100.0, "b": 50.0, "d": 40.0}
"""At scale 10: weights .1, .2, .25."""
SCALE = 10.0


def setting(
    chain: str,
    others: str = "",
    *,
    ingress: int = 0,
    purpose: PointPurpose | None = None,
    bubble_kib: int | None = None,
) -> PointSetting:
    """`chain` ends with the subject; where no purpose is given, it follows from where NFs stand."""
    found = PointSetting(
        purpose=purpose or PointPurpose.LOCAL,
        ingress_node=ingress,
        chain=_standing(chain),
        others=_standing(others),
        bubble_kib=bubble_kib,
    )
    return found if purpose else found.model_copy(update={"purpose": _purpose(found)})


def sample(point_id: int, asked: PointSetting, drop: float, error: float = 0.001, **counts: float) -> Sample:
    """Of an NF that would do 10 Mpps alone."""
    return Sample(point_id, asked, 10 * (1 - drop), 10 * error, drop, error, {"cycles": 100.0, **counts})


def profiles(
    samples: Iterable[Sample],
    *,
    nodes: int = 2,
    counts_alone: Mapping[str, Mapping[str, float]] | None = None,
    ideal: Mapping[str, LocalRemote] | None = None,
) -> Profiles:
    """Of those samples; types alone stall as `STALLS` says, ideal throughput falls in a line with the stalls."""
    by_type: dict[str, list[Sample]] = {}
    for one in samples:
        by_type.setdefault(one.setting.subject.nf_type, []).append(one)
    alone = counts_alone
    if alone is None:
        alone = {nf_type: {"cycles": 100.0, "stalls": stalls} for nf_type, stalls in STALLS.items()}
    if ideal is None:
        ideal = {
            nf_type: LocalRemote(
                local=20 - counts.get("stalls", 50.0) / 10, remote=16 - counts.get("stalls", 50.0) / 10
            )
            for nf_type, counts in alone.items()
        }
    return Profiles(
        host_model="test",
        nodes=nodes,
        samples={nf_type: tuple(found) for nf_type, found in by_type.items()},
        ideal=ideal,
        counts_alone=alone,
        versions=dict.fromkeys(alone, 1),
    )


def octans_samples(noise: float = 0.0, seed: int = 0, most: int = 3, scale: float = SCALE) -> list[Sample]:
    """Drops that follow Eq. 9-11 with `TRUE`: each type beside up to `most` others, there and elsewhere, in chains."""
    random, ids = Random(seed), count(1)
    weights = {nf_type: scale / stalls for nf_type, stalls in STALLS.items()}
    found = []
    for asked in designed(most):
        levels = levels_of(asked, weights)
        assert levels is not None
        alpha, beta, c = TRUE[asked.subject.nf_type][levels.side == "remote"]
        drop = alpha * levels.llc + beta * levels.mem + c + random.gauss(0, noise)
        found.append(sample(next(ids), asked, drop, noise, stalls=STALLS[asked.subject.nf_type]))
    return found


def designed(most: int = 3) -> list[PointSetting]:
    """A design like a job's: every purpose of Eq. 9-11 for each of the three types."""
    found = []
    for subject in sorted(TRUE):
        for number in range(1, most + 1):
            for mix in combinations_with_replacement(sorted(TRUE), number):
                here, there = (" ".join(f"{nf_type}{node}" for nf_type in mix) for node in (0, 1))
                found += [setting(f"{subject}0", here), setting(f"{subject}0", there), setting(f"{subject}1", there)]
        for upstream in sorted(TRUE):
            for other in sorted(TRUE):
                found += [setting(f"{upstream}1 {subject}0", f"{other}0")]
                found += [setting(f"{upstream}1 {subject}1", f"{other}1 {other}1")]
    return found


NOW = datetime(2026, 1, 2, tzinfo=UTC)


def record(
    point_id: int,
    asked: PointSetting,
    mpps: float,
    *,
    drop: float | None = None,
    error: float = 0.001,
    counts: Mapping[str, float] | None = None,
    not_measurable: str | None = None,
    implementation: str | None = None,
    versions: Mapping[str, int] | None = None,
    provenance: Provenance = Provenance.MEASURED,
) -> ProfileRecord:
    """A stored measurement; `drop` as ABBA pairs give it, None where it follows from `mpps` alone."""
    cores = iter(range(32))

    def nf(standing: StandingNf) -> ProfiledNf:
        own = implementation if standing == asked.subject else None
        return ProfiledNf(nf_type=standing.nf_type, core=next(cores), implementation=own)

    request = ProfileRequest(
        mode=ProfileMode.COLOCATION if asked.others else ProfileMode.SOLO,
        nf=nf(asked.subject),
        upstream=tuple(nf(one) for one in asked.chain[:-1]),
        others=tuple(nf(one) for one in asked.others),
    )
    figures = NfEstimates(
        mpps=_estimate(mpps, error * mpps),
        cycles_per_packet=_estimate(100.0, 0.0),
        cpu_percent=_estimate(100.0, 0.0),
        counts={name: _estimate(value, 0.0) for name, value in (counts or {}).items()},
    )
    return ProfileRecord(
        id=point_id,
        job_id=1,
        point_id=point_id,
        host="h",
        host_model="test",
        versions=dict(versions or {one.nf_type: 1 for one in (*asked.chain, *asked.others)}),
        setting=asked,
        request=request,
        result=ProfileResult(
            request=request,
            provenance=provenance,
            ended="not-measurable" if not_measurable else "narrow",
            not_measurable=not_measurable,
            nf=None if not_measurable else figures,
            throughput_drop_percent=None if drop is None else _estimate(100 * drop, 100 * error),
        ),
        stored_at=NOW,
        provenance=provenance,
    )


def ideal_records(nf_type: str, first_id: int, nodes: int = 2, **fields: object) -> list[ProfileRecord]:
    """Alone on each kind of node, with the ideal throughput and counts of `profiles`."""
    counts = {"stalls": STALLS.get(nf_type, 50.0)}
    mpps = (20 - counts["stalls"] / 10, 16 - counts["stalls"] / 10)
    return [
        record(
            first_id + node,
            setting(f"{nf_type}{node}", purpose=PointPurpose.IDEAL),
            mpps[node],
            counts=counts,
            **fields,  # type: ignore[arg-type]
        )
        for node in range(nodes)
    ]


def octans_records(noise: float = 0.0, seed: int = 0, most: int = 3, scale: float = SCALE) -> list[ProfileRecord]:
    """What a host stores of `octans_samples`, ideals included."""
    found = [one for number, kind in enumerate(sorted(TRUE)) for one in ideal_records(kind, 10_000 + 10 * number)]
    ideal = {
        (one.setting.subject.nf_type, one.setting.local): one.result.nf.mpps.value for one in found if one.result.nf
    }
    for one in octans_samples(noise, seed, most, scale):
        asked = one.setting
        mpps = ideal[asked.subject.nf_type, asked.local] * (1 - one.drop)
        drop = None if len(asked.chain) > 1 else one.drop
        stalls = {"stalls": STALLS[asked.subject.nf_type]}
        found.append(record(one.point_id, asked, mpps, drop=drop, error=noise, counts=stalls))
    return found


def _estimate(value: float, error: float) -> Estimate:
    return Estimate(value=value, standard_error=error, count=5)


def _standing(text: str) -> tuple[StandingNf, ...]:
    return tuple(StandingNf(nf_type=one[:-1], node=int(one[-1])) for one in text.split())


def _purpose(found: PointSetting) -> PointPurpose:
    across = terms_of(found).role is ChainRole.LOCAL and found.others and all(nf.node for nf in found.others)
    return PointPurpose.ACROSS if across else PURPOSES[terms_of(found).role]
