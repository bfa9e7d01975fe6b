"""Settings, samples and profiles for tests of the modelling, written short: "a1 b0" is an a on n1, then a b on n0."""

from collections.abc import Iterable, Mapping
from itertools import combinations_with_replacement, count
from random import Random

from sextant_domain.curves import Role
from sextant_domain.model import LocalRemote
from sextant_domain.profiling import PointPurpose, PointSetting, StandingNf
from sextant_engine.modelling.levels import levels_of, terms_of
from sextant_engine.modelling.predictor import Profiles, Sample

PURPOSES = {
    Role.LOCAL: PointPurpose.LOCAL,
    Role.CROSSING: PointPurpose.CROSSING,
    Role.HEAD: PointPurpose.REMOTE,
    Role.BEHIND: PointPurpose.BEHIND,
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
    """`chain` ends with the subject; the purpose is told from where NFs stand, where none is given."""
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


def _standing(text: str) -> tuple[StandingNf, ...]:
    return tuple(StandingNf(nf_type=one[:-1], node=int(one[-1])) for one in text.split())


def _purpose(found: PointSetting) -> PointPurpose:
    across = terms_of(found).role is Role.LOCAL and found.others and all(nf.node for nf in found.others)
    return PointPurpose.ACROSS if across else PURPOSES[terms_of(found).role]
