"""What the same packets cost on four ways of one picture: plain IPv6, the kernel's SRv6, and ours without and with
mirrors.

Rounds of all four follow each other, so that what else the machine does meets all of them alike; ratios are of a round.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from ends import Ends
from measured import Measured, measured
from pace import Pace, judged
from page import head, line
from peers import peers
from setting import NotMeasured

RATIO_GOAL, KPPS_GOAL = 0.95, 60.0
FEWEST_KPPS, MOST_KPPS = 5.0, 160.0
STEPS = 6
"""Halvings of the span, by ratio: 160 / 5 = 2^5, so that steps end at 5.6 %."""
TRIES = 3
"""At a rate: it is carried if any of them loses nothing; what else the machine does may spoil one."""
COST_KPPS = 60.0
PLAIN, KERNEL, INT, MIRROR = "plain IPv6", "kernel SRv6, 3 segments", "INT", "INT, mirrored"


@dataclass(frozen=True)
class Found:
    """Of one round."""

    kpps: float
    """The greatest rate at which nothing was lost."""
    cpu_us: float
    """A packet."""


@dataclass(frozen=True)
class Way:
    """How packets go, and how that begins."""

    name: str
    begin: Callable[[], Ends]
    around: Callable[[], AbstractContextManager[None]] = nullcontext


def ways(pace: Pace) -> Iterator[str]:
    """A row each; ratios to the kernel's SRv6 below."""
    yield from head("way", "kpps at 0 loss", "CPU time a packet, us", "kpps a core by it")
    with ExitStack() as stack:
        kept, missing = _kept(stack)
        rounds = [{way.name: _of(way, pace) for way in _turned(kept, at)} for at in range(pace.repeats)]
        for name in (PLAIN, KERNEL, INT, MIRROR):
            if name in missing:
                yield line(name, f"not measured: {missing[name]}", "-", "-")
            else:
                yield _row(name, [each[name] for each in rounds])
        yield from _goals(rounds)


def _kept(stack: ExitStack) -> tuple[list[Way], dict[str, str]]:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sextant-bench-")))
    chain: Measured = stack.enter_context(measured(folder))
    kept = [Way(INT, lambda: chain.ends, chain.unread), Way(MIRROR, lambda: chain.ends)]
    try:
        both = stack.enter_context(peers(folder))
    except NotMeasured as error:
        return kept, {PLAIN: str(error), KERNEL: str(error)}
    return [Way(PLAIN, both.plain), Way(KERNEL, both.segment_routing), *kept], {}


def _turned(kept: Sequence[Way], by: int) -> list[Way]:
    """Another one first in each round."""
    at = by % len(kept)
    return [*kept[at:], *kept[:at]]


def _of(way: Way, pace: Pace) -> Found:
    both = way.begin()
    with way.around():
        cost = both.send(COST_KPPS, pace.seconds)
        return Found(greatest(both, pace), cost.cpu_ns / 1e3 / max(cost.sent, 1))


def greatest(both: Ends, pace: Pace) -> float:
    """By halving; 0 where even the fewest are lost."""
    low, high, found = FEWEST_KPPS, MOST_KPPS, 0.0
    if not _carried(both, low, pace):
        return found
    found = low
    for _ in range(STEPS):
        tried = (low * high) ** 0.5
        if _carried(both, tried, pace):
            low = found = tried
        else:
            high = tried
    return found


def _carried(both: Ends, kpps: float, pace: Pace) -> bool:
    return any(both.send(kpps, pace.seconds).whole for _ in range(TRIES))


def _row(name: str, found: Sequence[Found]) -> str:
    cpu = [one.cpu_us for one in found]
    return line(name, spread([one.kpps for one in found]), spread(cpu), spread([1e3 / each for each in cpu]))


def spread(values: Sequence[float], digits: int = 1) -> str:
    """Median, and the range."""
    low, middle, high = min(values), median(values), max(values)
    return f"{middle:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def _goals(rounds: Sequence[Mapping[str, Found]]) -> Iterator[str]:
    yield ""
    yield from head("", "of rounds: median (range)", "goal", "")
    for name in (INT, MIRROR):
        if KERNEL in rounds[0]:
            for what, ratios in (
                ("kpps at 0 loss", [_ratio(each[name].kpps, each[KERNEL].kpps) for each in rounds]),
                ("kpps a core by CPU time", [each[KERNEL].cpu_us / each[name].cpu_us for each in rounds]),
            ):
                yield _goal(f"{name} : kernel SRv6, {what}", ratios, RATIO_GOAL, 2)
        yield _goal(f"{name}, kpps at 0 loss", [each[name].kpps for each in rounds], KPPS_GOAL, 1)


def _ratio(one: float, other: float) -> float:
    return one / other if other > 0 else 0.0


def _goal(what: str, values: Sequence[float], goal: float, digits: int) -> str:
    return line(what, spread(values, digits), f">= {goal:g}", judged(median(values) >= goal))
