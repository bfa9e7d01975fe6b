"""The calibrated assigner beside LPT on two real cores: mixes of small chains that ask for more than the cores can
give, each placed in both ways in the order A B B A (LPT, calibrated, calibrated, LPT), and what the console counts.

Both plans are asked for from the same state, for chains that run nowhere yet; then NFs move from the one placement to
the other. Where both are the same nothing is measured. All cores are divided by rate and cost: the second table says
how far the time that NFs got of full cores was from it.
"""

import os
import platform
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

import page
from compared import FullCore, Ran, full_cores, more_percent
from intervals import of_mean, shown
from mixes import CORES, REAL, MixedChain, drawn
from real_host import RealHost, real_host
from setting import NotMeasured
from sextant_agent.measuring.fingerprint import read_fingerprint
from sextant_domain.profiling.host_cost import ACCEPTED_ERROR

HEAD = (
    "mix", "chains, NFs", "NFs on another core", "LPT, Mpps", "calibrated, Mpps", "calibrated more",
    "load before, after",
)  # fmt: skip
SHARES_HEAD = ("mix", "full cores", "furthest from rate x cost, points: median", "most")


class Compared(NamedTuple):
    """A mix."""

    number: int
    chains: list[MixedChain]
    moved: int
    """NFs that the two assigners have on different cores."""
    runs: tuple[Ran, ...]
    """A B B A; none where nothing differs, or nothing could be measured."""
    loads: tuple[float, float]
    why_not: str = ""
    """Why there are none, where something differs."""

    @property
    def more(self) -> float:
        """Per cent that was delivered more by fitted costs."""
        return more_percent([run.mpps for run in self.runs])

    @property
    def full(self) -> list[FullCore]:
        """In all four runs."""
        return [one for run in self.runs for one in full_cores(run.nfs)]


class RealStudy:
    """Measured once, for both tables: that of shares comes after the other."""

    def __init__(self, *, quick: bool) -> None:
        self._quick = quick
        self._found: list[Compared] = []
        self._why_not = ""

    def table(self) -> Iterator[str]:
        """A row a mix, and the mean of those that differ; or why there are none."""
        yield f'`make bench-sfc2cpu BENCH="--only real{" --quick" * self._quick}"` on {_machine()}.'
        yield ""
        try:
            with real_host() as host:
                yield from _fitted(host)
                yield from page.head(*HEAD)
                for number in range(REAL["quick_mixes"] if self._quick else REAL["mixes"]):
                    self._found.append(_compared(host, number))
                    yield line(self._found[-1])
                yield total(self._found)
        except NotMeasured as why:
            self._why_not = f"Not measured{', from there on' * bool(self._found)}: {why}."
            yield from ["", self._why_not] if self._found else [self._why_not]

    def shares(self) -> Iterator[str]:
        """A row a mix, and all together."""
        measured = [one for one in self._found if one.runs]
        if not measured:
            yield self._why_not or "Not measured: no mix was placed in two ways."
            return
        yield from page.head(*SHARES_HEAD, f"goal {REAL['points']:g} points")
        for one in measured:
            yield shares_line(str(one.number), one.full, CORES * len(one.runs))
        runs = sum(len(one.runs) for one in measured)
        yield shares_line("all", [full for one in measured for full in one.full], CORES * runs)


def line(one: Compared) -> str:
    """Of a mix."""
    nfs = sum(len(chain.types) for chain in one.chains)
    told = ["-", "-", "the same placement: nothing to compare"]
    if one.why_not:
        told[-1] = f"not measured: {one.why_not}"
    elif one.runs:
        mpps = [run.mpps for run in one.runs]
        told = [_pair(mpps[0], mpps[3]), _pair(mpps[1], mpps[2]), f"{one.more:+.2f} %"]
    loads = f"{one.loads[0]:.1f}, {one.loads[1]:.1f}"
    return page.line(str(one.number), f"{len(one.chains)}, {nfs}", f"{one.moved} of {nfs}", *told, loads)


def total(found: list[Compared]) -> str:
    """The mean, of mixes that the two assigners place differently."""
    more = [one.more for one in found if one.runs]
    same = sum(one.moved == 0 and not one.why_not for one in found)
    told = shown(of_mean(more)) if len(more) > 1 else "no interval: two mixes at least must differ"
    return page.line(f"mean of {len(more)}", "-", f"{same} of {len(found)} mixes the same", "-", "-", told, "-")


def shares_line(name: str, full: list[FullCore], looked_at: int) -> str:
    """Of a mix, or of all; `looked_at`: cores by runs."""
    cores = f"{len(full)} of {looked_at}"
    if not full:
        return page.line(name, cores, "-", "-", "no core was full")
    points = [one.points for one in full]
    met = "met" if max(points) <= REAL["points"] else "**missed**"
    return page.line(name, cores, f"{median(points):.1f}", f"{max(points):.1f}", met)


def _compared(host: RealHost, number: int) -> Compared:
    chains, before = drawn(number), os.getloadavg()[0]
    runs: list[Ran] = []
    moved, why_not = 0, ""
    try:
        lpt, calibrated = host.compare(chains)
        moved = sum(lpt[nf_id] != core for nf_id, core in calibrated.items())
        standing = lpt
        for wanted in (lpt, calibrated, calibrated, lpt) if moved else ():
            host.move(standing, wanted)
            standing = wanted
            runs.append(host.run(chains))
    except NotMeasured as why:
        runs, why_not = [], str(why)
    host.clear()
    return Compared(number, chains, moved, tuple(runs), (before, os.getloadavg()[0]), why_not)


def _fitted(host: RealHost) -> Iterator[str]:
    cost = host.cost
    yield (
        f"Costs were fitted on {cost['windows']} spans of ten seconds in {cost['placements']} placements, by "
        f"{cost['weight']}: {100 * cost['median_error']:.1f} % off in the middle, {100 * cost['left_out_error']:.1f} % "
        "in nine of ten of what a fit did not use (the console advises to go by a fit up to "
        f"{100 * ACCEPTED_ERROR:.0f} %)."
    )
    yield ""


def _pair(one: float, other: float) -> str:
    return f"{one:.4f}, {other:.4f}"


def _machine() -> str:
    found = read_fingerprint(Path("/"))
    virtual = f" (a virtual machine, {found.hypervisor})" if found.hypervisor else ""
    return f"{found.cpu_model}{virtual}, Linux {platform.release()}, {len(os.sched_getaffinity(0))} cores"
