"""Why the model of an NF type cannot be promoted: each cause with the next step. Plain Python: no NumPy is loaded.

What samples lack is reported of a design as well, before anything is measured.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sextant_domain.profiling.fit import SideFit
from sextant_domain.profiling.job import PointPurpose, PointSetting
from sextant_domain.profiling.model import LocalRemote, PerformanceModel

NEEDED: Mapping[PointPurpose, int] = {
    PointPurpose.LOCAL: 2,
    PointPurpose.ACROSS: 1,
    PointPurpose.CROSSING: 1,
    PointPurpose.REMOTE: 2,
    PointPurpose.BEHIND: 1,
}
"""Samples, at least: two lengths of a line, and one of each kind that separates coefficients."""
OF_A_MODEL = frozenset(NEEDED)
"""Purposes of samples that Octans' equations are fitted on."""
NEEDED_ON_ONE_NODE: Mapping[PointPurpose, int] = {PointPurpose.LOCAL: 3}
"""A line through any two points fits them."""
NUMBERS_BESIDE = 2
"""Different numbers of competitors on the local node, where hosts of the model have room for as many: what the second
one takes does not follow from what the first one takes, of whatever type (Octans, Fig. 5b)."""
NUMBERS_ELSEWHERE = 2
"""NFs on a node other than that of the packets: the fewest of which one stands beside, or behind, another."""
NOTHING_ELSEWHERE = (
    "remote: alpha, beta and c are 0, not fitted: hosts of this model have one core for NFs on a node other than "
    "that of their packets, where none stands beside or behind another"
)
SEPARATED_BY = {
    "local": "'across' separates memory from the cache and 'crossing' shows what a lost cache costs",
    "remote": "'behind' separates what a lost cache costs from what is always lost",
}
TINY = 0.0005
"""Half of the last digit that is shown: nearer to 0, a coefficient is 0."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a model was made of."""

    one_node: bool
    ideal: LocalRemote | None
    metric: str
    weight: float | None
    """None where the metric is not known of the NF type alone, or not above 0."""
    settings: Sequence[PointSetting]
    """Of its samples that count: every NF in them has a weight."""
    sides: Sequence[SideFit]
    most_beside: int = NUMBERS_BESIDE
    """Competitors that a host of the model has room for on the local node, when nothing runs there."""
    most_elsewhere: int = NUMBERS_ELSEWHERE
    """NFs that a host of the model has room for on one remote node, when nothing runs there."""
    by_lms: bool = False
    """Least mean squares are what plans would use."""
    not_measurable: Mapping[PointPurpose, str] | None = None
    """By purpose, why the host cannot measure such points."""


def refusals(grounds: Grounds) -> tuple[str, ...]:
    """Empty where it can be promoted: cause, then next step."""
    return tuple(_refusals(grounds))


def notes(
    sides: Iterable[SideFit],
    *,
    by_lms: bool = False,
    model: PerformanceModel | None = None,
    full_node: float | None = None,
) -> tuple[str, ...]:
    """What is reported of a model without preventing its promotion. `full_node`: what all cores of a node weigh
    together, of the NF type that presses most; None on hosts of one node."""
    found = [] if model is None or full_node is None else list(_against_algorithm_1(model, full_node))
    if not by_lms:
        found += [
            f"{side.side}: {name} is {value:+.3f} by least mean squares; by least squares that allow none below 0, "
            f"which are used, it is {getattr(side.constrained, name):.3f}"
            for side in sides
            for name, value in _negative(side)
        ]
    return tuple(found)


def _against_algorithm_1(model: PerformanceModel, full_node: float) -> Iterator[str]:
    """Octans' search keeps chains together first, since 'a cache-prefetching chain always has lower performance drop
    against a cross-node chain' (Sec. IV-C) where competing levels are below 1. Levels are, by the scale; but Eq. 10 has
    the local node's coefficients and Eq. 11 the remote one's, so that nothing follows: both are straight in the level
    f, which is looked at with nobody else (0) and beside a full remote node, which weighs 1 at the largest scale and
    down to a sixteenth at others."""
    local, remote, ideal = model.local, model.remote, model.ideal_mpps
    for f, where in ((0.0, "with nobody else"), (full_node, "beside a full remote node")):
        crossing = ideal.local * max(0.0, 1 - local.alpha - local.beta * f - local.c)
        behind = ideal.remote * max(0.0, 1 - (remote.alpha + remote.beta) * f - remote.c)
        if crossing > behind * (1 + TINY):
            yield (
                f"{where} it does {crossing:.3g} Mpps on the local node behind an NF elsewhere, and {behind:.3g} "
                "behind one of its chain on a remote node; the algorithm octans takes that for the better place: "
                "compare its plans with those of anytime"
            )
            return


def staleness(profiled: int, now: int | None) -> str | None:
    """Why a model describes something else than the NF type is now; None where it does not."""
    if now == profiled:
        return None
    if now is None:
        return "there is no such NF type any more"
    return f"profiled at version {profiled}, the NF type is at version {now}: profile it again"


def _refusals(grounds: Grounds) -> Iterator[str]:
    if grounds.ideal is None:
        where = "" if grounds.one_node else " on a local and on a remote node"
        why = _because((grounds.not_measurable or {}).get(PointPurpose.IDEAL))
        yield f"its throughput alone{where} is not known{why}; profile it again, its 'ideal' points first"
    if grounds.weight is None:
        yield f"{grounds.metric} is not known of it alone: it has no weight; profile it again, its 'ideal' points first"
    few = too_few(
        grounds.settings,
        one_node=grounds.one_node,
        most_beside=grounds.most_beside,
        most_elsewhere=grounds.most_elsewhere,
        why=grounds.not_measurable or {},
    )
    if few is not None:
        yield few
    else:
        yield from _not_separated(grounds)
    if grounds.by_lms:
        for side in grounds.sides:
            for name, value in _negative(side):
                yield (
                    f"{side.side}: {name} is {value:+.3f} by least mean squares, as if competitors helped; use "
                    "constrained least squares, or measure more points"
                )


def nothing_elsewhere(most_elsewhere: int) -> bool:
    """Whether a remote NF of such a host never has another beside it or in front of it on its node: its throughput
    alone there is then all that is to be known of it, and the remote coefficients have nothing to act on."""
    return most_elsewhere == 1


def needed(*, one_node: bool, most_beside: int, most_elsewhere: int) -> Mapping[PointPurpose, int]:
    """Samples by purpose, at least; without purposes of which a host has no room for a single point."""
    if one_node:
        return NEEDED_ON_ONE_NODE
    without = {PointPurpose.LOCAL} if most_beside < 1 else set()
    if nothing_elsewhere(most_elsewhere):
        without |= {PointPurpose.REMOTE, PointPurpose.BEHIND}
    return {purpose: number for purpose, number in NEEDED.items() if purpose not in without}


def too_few(
    settings: Iterable[PointSetting],
    *,
    one_node: bool,
    most_beside: int,
    why: Mapping[PointPurpose, str],
    most_elsewhere: int = NUMBERS_ELSEWHERE,
) -> str | None:
    """What these samples of an NF type lack for a model, and the next step; None where they suffice. `why`: what the
    host said of points that it could not measure."""
    found = tuple(settings)
    has = Counter(setting.purpose for setting in found)
    at_least = needed(one_node=one_node, most_beside=most_beside, most_elsewhere=most_elsewhere)
    missing = [
        f"{has[purpose]} of {number} '{purpose}'{_because(why.get(purpose))}"
        for purpose, number in at_least.items()
        if has[purpose] < number
    ]
    numbers = sorted({len(setting.others) for setting in found if setting.purpose is PointPurpose.LOCAL})
    one_number = len(numbers) == 1 and most_beside >= NUMBERS_BESIDE
    if one_number:
        missing.append(f"'local' only beside {numbers[0]} of up to {most_beside} competitors")
    if not missing:
        return None
    if one_node and most_beside < 1 and not has[PointPurpose.LOCAL]:
        step = "hosts of this model have one core for NFs where packets arrive: profile it on hosts of another model"
    else:
        where = ", on a host of this model with more free cores where packets arrive" if one_number else ""
        step = f"profile it again so that these points are measured{where}"
    return f"too few samples: {', '.join(missing)}; {step}"


def _not_separated(grounds: Grounds) -> Iterator[str]:
    for side in grounds.sides:
        if side.rank == side.columns:
            continue
        next_step = "measure it beside several numbers of competitors"
        if not grounds.one_node:
            next_step = f"measure more points: {SEPARATED_BY[side.side]}"
        separated = f"samples tell {side.rank} of {side.columns} coefficients apart"
        yield f"{side.side}: {separated}, {'; '.join(side.collinear)}; {next_step}"


def _because(reason: str | None) -> str:
    return f" ({reason})" if reason else ""


def _negative(side: SideFit) -> Iterator[tuple[str, float]]:
    for name in ("alpha", "beta"):
        value = getattr(side.lms, name)
        if value < -TINY:
            yield name, value
