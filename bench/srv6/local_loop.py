"""SRv6-INT's local loop on real packets: an NF with little more CPU quota than it needs is sent three times as many.

Its quota begins a quarter above what it used at 8,000 packets a second; then 25,000 come. Times are from the first of
two windows running above L_max on, as the daemon closed it. Beside it the same law looking once a second, as a console
could, and no law.
"""

import os
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median

import page
from figures import percentile
from lone_host import lone_host, wait_for
from sextant_agent.contract.driver import CpuGiven, NfCpuTime, NfTimes
from sextant_agent.controllers.look_loop import LookLoop
from sextant_agent.controllers.srv6 import LOOK_S, NfQuotas
from sextant_agent.drivers.srv6.driver import Srv6Driver
from sextant_domain.chains.chain import Egress, Ingress
from sextant_domain.chains.cpu_bounds import QuotaBounds
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain, DesiredNf, HostContent

CHAIN, NF = "step", "step.simple-forward"
BEFORE_MPPS, AFTER_MPPS = 0.008, 0.025
BOUNDS = QuotaBounds(max_p95_us=5000, least_percent=5, most_percent=95)
"""L_max is what shared cores allow; the paper's is 1 ms."""
_L_MAX = BOUNDS.max_p95_us
MARGIN = 1.25
SETTLE_S, QUIET_S, WATCHED_S = 1.0, 0.2, 4.0
CLEAR_WINDOWS = 5
"""Running at or below L_max, after which the violation is over."""
LOOP_S = {"each 10 ms": LOOK_S, "once a second": 1.0, "no law": None}


@dataclass
class Run:
    """Times in seconds since the traffic stepped up."""

    windows: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    """When they were seen closed, and their p95 in us."""
    set_at: list[float] = field(default_factory=list[float])
    """When a quota was set."""
    quotas: tuple[float, float] = (0.0, 0.0)

    @property
    def above_at(self) -> float | None:
        """The first of two windows running above L_max: one is noise, and may be over before any law acts."""
        return next((one[0] for one, next_one in pairwise(self.windows) if min(one[1], next_one[1]) > _L_MAX), None)

    @property
    def first_raise_s(self) -> float | None:
        """From then on."""
        above = self.above_at
        return None if above is None else next((at - above for at in self.set_at if at >= above), None)

    @property
    def clear_s(self) -> float | None:
        """Until the first of the windows that end it; None: it was not over when the run ended."""
        above, well = self.above_at, 0
        for index, (at, p95) in enumerate(self.windows):
            if above is None or at < above:
                continue
            well = well + 1 if p95 <= _L_MAX else 0
            if well == CLEAR_WINDOWS:
                return self.windows[index - CLEAR_WINDOWS + 1][0] - above
        return None

    @property
    def above_share(self) -> float:
        """Of its windows."""
        return sum(p95 > _L_MAX for _, p95 in self.windows) / max(1, len(self.windows))


class Watched:
    """A driver that notes when quotas are set."""

    name = "srv6"

    def __init__(self, driver: Srv6Driver) -> None:
        self._driver, self.set_at = driver, list[float]()
        self.nf_times = driver.nf_times
        self.nf_cpu = driver.nf_cpu

    def give_cpu(self, given: dict[str, CpuGiven]) -> None:
        """Once the kernel has them."""
        self._driver.give_cpu(given)
        self.set_at.append(time.monotonic())


def table(repeats: int) -> Iterator[str]:
    """A row a way of looking; the runs are interleaved."""
    yield from page.head(
        "the law looks", "first raise, ms: median, range", "clear, ms: median, range", "cleared", "windows above L_max",
        "quota, %: before, after",
    )  # fmt: skip
    runs: dict[str, list[Run]] = {name: [] for name in LOOP_S}
    with lone_host() as driver:
        for _ in range(repeats):
            for name, period_s in LOOP_S.items():
                runs[name].append(one_run(driver, period_s))
    yield from (row(name, found) for name, found in runs.items())


def row(name: str, runs: list[Run]) -> str:
    """Of those runs in which there was a violation."""
    above = [run for run in runs if run.above_at is not None]
    raises = [run.first_raise_s for run in above if run.first_raise_s is not None]
    clears = [run.clear_s for run in above if run.clear_s is not None]
    shares = [100 * run.above_share for run in runs]
    quotas = [f"{median(run.quotas[at] for run in runs):.0f}" for at in (0, 1)]
    return page.line(
        name, _ms(raises), _ms(clears), f"{len(clears)} of {len(above)}",
        f"{median(shares):.0f} %, {min(shares):.0f} to {max(shares):.0f}", ", ".join(quotas),
    )  # fmt: skip


def one_run(driver: Srv6Driver, period_s: float | None) -> Run:
    """One chain, begun anew."""
    driver.apply(HostContent(host_id="bench"))
    quota = _begin(driver)
    watched, ordered = Watched(driver), _order(AFTER_MPPS)
    found: list[tuple[float, float]] = []
    driver.give_cpu({NF: CpuGiven(100, quota)})
    time.sleep(SETTLE_S)
    with tempfile.TemporaryDirectory() as folder:
        quotas = NfQuotas(watched, lambda: None, Path(folder) / "quotas.json")  # type: ignore[arg-type]
        loop = LookLoop("nf-quotas", lambda: _looked(quotas, ordered, period_s))
        ended = threading.Event()
        watch = threading.Thread(target=_watch, args=(driver, ended, found))
        watch.start()
        if period_s is not None:
            loop.start()
        try:
            time.sleep(QUIET_S)
            stepped = time.monotonic()
            driver.apply(ordered)
            time.sleep(WATCHED_S)
        finally:
            ended.set()
            watch.join()
            if period_s is not None:
                loop.stop()
    after = _cpu(driver).cpu.quota_percent or 100.0
    windows = [(at - stepped, p95) for at, p95 in found if at >= stepped]
    return Run(windows, [at - stepped for at in watched.set_at if at >= stepped], (quota, after))


def _looked(quotas: NfQuotas, ordered: HostContent, period_s: float | None) -> float:
    quotas.tick(ordered)
    return period_s or LOOK_S


def _begin(driver: Srv6Driver) -> float:
    """A quota a quarter above what it uses before the step, once that many packets have come for a while."""
    driver.apply(_order(BEFORE_MPPS))
    wait_for("packets", lambda: driver.sample().nfs[NF].rx > 1000)
    first, began = _cpu(driver), time.monotonic()
    time.sleep(SETTLE_S)
    second, ended = _cpu(driver), time.monotonic()
    used = 100 * ((second.cpu_ns or 0) - (first.cpu_ns or 0)) / 1e9 / (ended - began)
    return float(min(BOUNDS.most_percent, max(BOUNDS.least_percent, round(MARGIN * used))))


def _cpu(driver: Srv6Driver) -> NfCpuTime:
    return driver.nf_cpu()[NF]


def _watch(driver: Srv6Driver, ended: threading.Event, found: list[tuple[float, float]]) -> None:
    """What windows say, twice as often as they are closed at most."""
    seen = -1
    while not ended.wait(0.005):
        times: NfTimes = driver.nf_times()[NF]
        if times.window is not None and times.window != seen:
            seen = times.window
            found.append((time.monotonic(), times.p95_us))


def _order(rate_mpps: float) -> HostContent:
    core = max(os.sched_getaffinity(0))
    one = DesiredNf(nf_id=NF, nf_type="simple-forward", nf_version=1, config={"loops": 0}, core=core)
    chain = DesiredChain(
        chain=CHAIN, nfs=(one,), ingress=Ingress(), egress=Egress(), quota_bounds=BOUNDS,
        traffic=Traffic(rate_mpps=rate_mpps, packet_bytes=64, flows=100),
    )  # fmt: skip
    return HostContent(host_id="bench", chains=(chain,))


def _ms(seconds: list[float]) -> str:
    if not seconds:
        return "-"
    ordered = [1000 * one for one in seconds]
    return f"{median(ordered):.0f}, {min(ordered):.0f} to {max(ordered):.0f} (p95 {percentile(ordered, 0.95):.0f})"
