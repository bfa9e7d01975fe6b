"""CoCo's queue matching with real packets on this machine: three chains share a core, and their rates change places.

The agent's own loop divides the core every 100 ms through the root helper. Beside it the same with equal CPU shares.
What is fair: all three are served the same part of what they are offered. Other work on the core voids a try.
"""

import os
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import page
from host import SETTLE_S, BenchHost, ChainLoad, chain_of, host
from setting import NotMeasured, Setting
from sextant_agent.controllers.core_shares import CoreShares
from sextant_agent.controllers.shares_loop import SharesLoop
from sextant_domain.chains.cpu_bounds import ShareBounds
from sextant_domain.hosts.desired import HostContent
from sextant_engine.control.shared_core import PERIOD_S

SETTINGS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("fair.toml").read_text())
EQUAL = 333
"""CPU share of each: a third of what the agent hands out, so that other work takes the same from both."""
NAMES = ("c0", "c1", "c2")


@dataclass(frozen=True)
class Moment:
    """Of each chain, cumulative; and what the three used of their core."""

    at_s: float
    offered: tuple[int, ...]
    served: tuple[int, ...]
    cpu_s: float


@dataclass(frozen=True)
class Window:
    """Between two moments."""

    parts: tuple[float, ...]
    """Percent of what each chain is offered that it is served."""
    of_core: float
    """Percent of it that the three had."""

    @property
    def spread(self) -> float:
        """Points between the best and the worst served."""
        return max(self.parts) - min(self.parts)


@dataclass(frozen=True)
class Run:
    """One try."""

    before: Window
    after: Window
    """From the period by which the core must be divided fairly."""
    fair_from: int | None
    """The first period after the step from which on five together are fair; None: there is none."""

    @property
    def void(self) -> bool:
        """Other work took the core."""
        return min(self.before.of_core, self.after.of_core) < SETTINGS["least_of_core"]


def table() -> Iterator[str]:
    """A row an arm."""
    after, points = SETTINGS["fair_after"], SETTINGS["fair_points"]
    yield from page.head(
        "CPU shares",
        "served before the step, %",
        f"after it, from period {after + 1} on, %",
        f"points between them: {points:g} at most",
        "fair from period",
        "of the core, %",
        "load before, after",
    )
    for name, bounds in (("equal", None), ("by CoCo's scheduler", _bounds())):
        load = os.getloadavg()[0]
        try:
            cells = _cells(_measured(bounds))
        except NotMeasured as why:
            cells = ["-", "-", f"not measured: {why}", "-", "-"]
        yield page.line(name, *cells, f"{load:.1f}, {os.getloadavg()[0]:.1f}")


def _bounds() -> ShareBounds:
    return ShareBounds(least_percent=SETTINGS["least_percent"], most_percent=SETTINGS["most_percent"])


def _cells(run: Run) -> list[str]:
    passed = "met" if run.after.spread <= SETTINGS["fair_points"] else "**missed**"
    return [
        _text(run.before.parts),
        _text(run.after.parts),
        f"{run.after.spread:.0f}: {passed}",
        "never" if run.fair_from is None else str(run.fair_from),
        _text((run.before.of_core, run.after.of_core)),
    ]


def _text(figures: Sequence[float]) -> str:
    return " / ".join(f"{each:.0f}" for each in figures)


def _measured(bounds: ShareBounds | None) -> Run:
    """The first try that other work leaves alone. Raises NotMeasured."""
    of_core = 0.0
    for _ in range(SETTINGS["tries"]):
        with host(Setting(quick=False, cores=tuple(sorted(os.sched_getaffinity(0))))) as found:
            run = _try(found, bounds)
        if not run.void:
            return run
        of_core = max(of_core, min(run.before.of_core, run.after.of_core))
    raise NotMeasured(f"other work uses the core: of {SETTINGS['tries']} tries the best left the three {of_core:.0f} %")


class Divided:
    """What the agent's loop asks of a host, with the order in force."""

    def __init__(self, found: BenchHost, content: HostContent) -> None:
        self.content = content
        self._shares = CoreShares(found.driver, lambda: None)

    def share_cores(self) -> bool:
        """A period."""
        return self._shares.tick(self.content)


def _try(found: BenchHost, bounds: ShareBounds | None) -> Run:
    first, second = (_content(found, SETTINGS[when], bounds) for when in ("mpps_before", "mpps_after"))
    _apply(found, first)
    divided = Divided(found, first)
    loop = SharesLoop(lambda: (divided,))
    loop.start()
    try:
        time.sleep(SETTLE_S)
        before = _moments(found, SETTINGS["periods_before"])
        _apply(found, second)
        divided.content = second
        after = _moments(found, SETTINGS["periods_after"])
    finally:
        loop.stop()
    return Run(_window(before[0], before[-1]), _window(after[SETTINGS["fair_after"]], after[-1]), _fair_from(after))


def _fair_from(after: Sequence[Moment]) -> int | None:
    together = 5
    fair = [
        _window(after[at], after[at + together]).spread <= SETTINGS["fair_points"]
        for at in range(len(after) - together)
    ]
    unfair = [at for at, one in enumerate(fair) if not one]
    first = unfair[-1] + 1 if unfair else 0
    return first + 1 if first < len(fair) else None


def _content(found: BenchHost, rates: Sequence[float], bounds: ShareBounds | None) -> HostContent:
    chains = (
        chain_of(ChainLoad(name, {"loops": loops}, rate, EQUAL), found.core, slot)
        for slot, (name, loops, rate) in enumerate(zip(NAMES, SETTINGS["loops"], rates, strict=True))
    )
    return HostContent(host_id="bench", chains=tuple(one.model_copy(update={"share_bounds": bounds}) for one in chains))


def _apply(found: BenchHost, content: HostContent) -> None:
    report = found.driver.apply(content)
    if report.failures:
        raise NotMeasured("; ".join(failure.message for failure in report.failures.values()))


def _moments(found: BenchHost, periods: int) -> list[Moment]:
    due, moments = time.monotonic(), [_moment(found)]
    for _ in range(periods):
        due += PERIOD_S
        time.sleep(max(0.0, due - time.monotonic()))
        moments.append(_moment(found))
    return moments


def _moment(found: BenchHost) -> Moment:
    sample = found.driver.sample()
    nfs = [sample.nfs[f"{name}.nf"] for name in NAMES]
    return Moment(
        at_s=sample.taken_ns / 1e9,
        offered=tuple(sample.chains[name].offered for name in NAMES),
        served=tuple(nf.rx for nf in nfs),
        cpu_s=sum(nf.cpu_ns for nf in nfs) / 1e9,
    )


def _window(first: Moment, last: Moment) -> Window:
    pairs = zip(first.offered, last.offered, first.served, last.served, strict=True)
    parts = tuple(100 * (served - was) / max(1, offered - were) for were, offered, was, served in pairs)
    return Window(parts, 100 * (last.cpu_s - first.cpu_s) / (last.at_s - first.at_s))
