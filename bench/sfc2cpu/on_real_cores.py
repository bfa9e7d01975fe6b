"""The calibrated assigner beside LPT on two real cores: mixes of small chains that ask for more than the cores can
give, each placed in both ways in the order A B B A (LPT, calibrated, calibrated, LPT), and what the console counts.

All plans are asked for from the same state, for chains that run nowhere yet; then NFs move from the one placement to
the other. Where both are the same nothing is measured. Calibrated also looks for the most packets, which LPT does not:
what that gains by itself is said by the ideal model, and measured where A is `throughput`. All cores are divided by
rate and cost: the second table says how far the time that NFs got of full cores was from it.
"""

import os
import platform
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import page
from compared import FullCore, Ran, full_cores, more_percent
from intervals import of_mean, shown
from mixes import CORES, REAL, MixedChain, drawn, moves
from real_host import Cores, RealHost, real_host
from setting import NotMeasured
from sextant_agent.measuring.fingerprint import read_fingerprint
from sextant_domain.profiling.host_cost import ACCEPTED_ERROR

HEAD = (
    "mix, A", "chains, NFs", "NFs on another core", "A, Mpps", "calibrated (B), Mpps", "B more",
    "by loads alone B more", "load before, after",
)  # fmt: skip
CALIBRATED = "calibrated"
BESIDE = ("lpt", "min_max", "throughput")
"""Any of which may be A."""
SHARES_HEAD = ("mix, A", "full cores", "furthest from rate x cost, points: median", "most")


class Compared(NamedTuple):
    """A mix, by the calibrated assigner and by another."""

    number: int
    beside: str
    """A."""
    chains: list[MixedChain]
    moved: int
    """NFs that the two assigners have on different cores."""
    runs: tuple[Ran, ...]
    """A B B A; none where nothing differs, or nothing could be measured."""
    by_loads: float
    """What is delivered more by the ideal model, which knows no costs beside others; per cent."""
    loads: tuple[float, float]
    why_not: str = ""
    """Why there are none, where something differs."""

    @property
    def name(self) -> str:
        """Of its row."""
        return f"{self.number}, {self.beside}"

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

    def __init__(self, *, quick: bool, beside: Sequence[str] = BESIDE[:1]) -> None:
        self._quick, self._beside = quick, list(dict.fromkeys(beside))
        self._found: list[Compared] = []
        self._why_not = ""

    def table(self) -> Iterator[str]:
        """A row a mix, and the mean of those that differ; or why there are none."""
        more = " --quick" * self._quick
        if self._beside != [BESIDE[0]]:
            more += f" --beside {' '.join(self._beside)}"
        yield f'`make bench-sfc2cpu BENCH="--only real{more}"` on {_machine()}.'
        yield ""
        try:
            with real_host() as host:
                yield from _fitted(host)
                yield from page.head(*HEAD)
                for number in range(REAL["quick_mixes"] if self._quick else REAL["mixes"]):
                    for one in _compared(host, number, self._beside):
                        self._found.append(one)
                        yield line(one)
                yield from (total(name, self._found) for name in self._beside)
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
            yield shares_line(one.name, one.full, CORES * len(one.runs))
        runs = sum(len(one.runs) for one in measured)
        yield shares_line("all", [full for one in measured for full in one.full], CORES * runs)


def line(one: Compared) -> str:
    """Of a mix."""
    nfs = sum(len(chain.types) for chain in one.chains)
    told = ["-", "-", "the same placement: nothing to compare", "-"]
    if one.why_not:
        told[2] = f"not measured: {one.why_not}"
    elif one.runs:
        mpps = [run.mpps for run in one.runs]
        told = [_pair(mpps[0], mpps[3]), _pair(mpps[1], mpps[2]), f"{one.more:+.2f} %", f"{one.by_loads:+.2f} %"]
    loads = f"{one.loads[0]:.1f}, {one.loads[1]:.1f}"
    return page.line(one.name, f"{len(one.chains)}, {nfs}", f"{one.moved} of {nfs}", *told, loads)


def total(beside: str, found: Sequence[Compared]) -> str:
    """The means, of mixes that the two assigners place differently."""
    mine = [one for one in found if one.beside == beside]
    measured = [one for one in mine if one.runs]
    same = sum(one.moved == 0 and not one.why_not for one in mine)
    told = ["no interval: two mixes at least must differ", "-"]
    if len(measured) > 1:
        told = [shown(of_mean([one.more for one in measured])), shown(of_mean([one.by_loads for one in measured]))]
    name = f"mean of {len(measured)}, {beside}"
    return page.line(name, "-", f"{same} of {len(mine)} mixes the same", "-", "-", *told, "-")


def shares_line(name: str, full: list[FullCore], looked_at: int) -> str:
    """Of a mix, or of all; `looked_at`: cores by runs."""
    cores = f"{len(full)} of {looked_at}"
    if not full:
        return page.line(name, cores, "-", "-", "no core was full")
    points = [one.points for one in full]
    met = "met" if max(points) <= REAL["points"] else "**missed**"
    return page.line(name, cores, f"{median(points):.1f}", f"{max(points):.1f}", met)


def _compared(host: RealHost, number: int, beside: Sequence[str]) -> Iterator[Compared]:
    """A mix, with each of these as A."""
    chains = drawn(number)
    try:
        at = host.plans(chains, [*beside, CALIBRATED])
    except NotMeasured as why:
        load = os.getloadavg()[0]
        yield from (Compared(number, name, chains, 0, (), 0.0, (load, load), str(why)) for name in beside)
    else:
        for name in beside:
            yield _a_b_b_a(host, Compared(number, name, chains, 0, (), 0.0, (0.0, 0.0)), at[name], at[CALIBRATED])
    host.clear()


def _a_b_b_a(host: RealHost, of: Compared, former: Cores, ours: Cores) -> Compared:
    before, runs, why_not = os.getloadavg()[0], list[Ran](), ""
    moved = len(moves(former, ours))
    try:
        for wanted in (former, ours, ours, former) if moved else ():
            host.stand(wanted)
            runs.append(host.run(of.chains))
    except NotMeasured as why:
        runs, why_not = [], str(why)
    by_loads = 100 * (host.ideal_mpps(of.chains, ours) / host.ideal_mpps(of.chains, former) - 1)
    loads = (before, os.getloadavg()[0])
    return of._replace(moved=moved, runs=tuple(runs), by_loads=by_loads, loads=loads, why_not=why_not)


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
