"""One chain under SRv6-INT's local loop on real packets, or under another way of setting quotas, while what it is sent
changes. Its NFs begin with a CPU quota a quarter above what they use at the first rate."""

import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from lone_host import put_first, wait_for
from setting import NotMeasured
from sextant_agent.contract.driver import CpuGiven
from sextant_agent.controllers.look_loop import LookLoop
from sextant_agent.controllers.srv6 import LOOK_S, NfQuotas
from sextant_agent.drivers.srv6.driver import Srv6Driver
from sextant_domain.chains.chain import Egress, Ingress
from sextant_domain.chains.cpu_bounds import QuotaBounds
from sextant_domain.chains.lane import MAX_LANES, Lane, lane_name
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.bounded_quotas import QuotaState
from sextant_domain.hosts.desired import DesiredChain, DesiredNf, HostContent

CHAIN = "step"
BOUNDS = QuotaBounds(max_p95_us=5000, least_percent=5, most_percent=95)
"""L_max is what shared cores allow; the paper's is 1 ms."""
L_MAX = BOUNDS.max_p95_us
FIRST_SHARE, USUAL_SHARE = 10_000, 100
"""Weight of NFs, all alike: with the first they come before other work of the machine, as all that the bench runs."""
MARGIN = 1.25
SETTLE_S = 1.0
CLEAR_WINDOWS = 5
"""Running at or below L_max, after which the violation is over."""
Windows: TypeAlias = Sequence[tuple[float, float]]
"""When they were seen closed, and their p95 in us."""


@dataclass(frozen=True)
class Sent:
    """What a chain of these NF types is sent: for so many seconds so many Mpps, one after the other."""

    kinds: tuple[str, ...]
    phases: tuple[tuple[float, float], ...]
    share: int = USUAL_SHARE

    @property
    def nf_ids(self) -> tuple[str, ...]:
        """Of the first lane."""
        return self.nfs_of(1)

    def nfs_of(self, lane: int) -> tuple[str, ...]:
        """Numbered: a type may be there twice."""
        return tuple(f"{lane_name(CHAIN, lane)}.nf-{number}" for number in range(len(self.kinds)))

    def order(self, rate_mpps: float, lanes: int = 1) -> HostContent:
        """All NFs on the last core."""
        return HostContent(
            host_id="bench", chains=tuple(self._lane(rate_mpps, number, lanes) for number in range(1, lanes + 1))
        )

    def _lane(self, rate_mpps: float, number: int, lanes: int) -> DesiredChain:
        core = max(os.sched_getaffinity(0))
        ids = self.nfs_of(number)
        lane = Lane(of=CHAIN, number=number, weights=(1,) * lanes) if lanes > 1 else None
        return DesiredChain(
            chain=lane_name(CHAIN, number), ingress=Ingress(), egress=Egress(), quota_bounds=BOUNDS,
            nfs=tuple(desired_nf(nf, kind, core, self.share) for nf, kind in zip(ids, self.kinds, strict=True)),
            traffic=Traffic(rate_mpps=rate_mpps / lanes, packet_bytes=64, flows=100, lane=lane),
        )  # fmt: skip


CONFIGS = {"simple-forward": {"loops": 0}}


def desired_nf(nf_id: str, kind: str, core: int, share: int = FIRST_SHARE) -> DesiredNf:
    """As an order has it."""
    return DesiredNf(nf_id=nf_id, nf_type=kind, nf_version=1, config=CONFIGS.get(kind, {}), core=core, cpu_share=share)


def give(driver: "Srv6Driver | Watched", quotas: Mapping[str, float], share: int = FIRST_SHARE) -> None:
    """CPU quotas, in percent of a core."""
    driver.give_cpu({nf: CpuGiven(share, quota) for nf, quota in quotas.items()})


@dataclass(frozen=True)
class Run:
    """Times in seconds since the first phase was over."""

    windows: Mapping[str, Windows]
    """By NF."""
    given: Sequence[tuple[float, float]]
    """When quotas were set, also before, and those of all NFs together from then on, in percent of a core."""
    quotas: Sequence[float]
    """The same at the beginning, and at the end of each phase."""
    lasted_s: float
    lost_share: float = 0.0
    """Of the packets that were sent, in percent."""

    @property
    def above_at(self) -> float | None:
        """When the first NF was above L_max."""
        return min((at for at in map(first_above, self.windows.values()) if at is not None), default=None)

    @property
    def first_raise_s(self) -> float | None:
        """From then on."""
        above = self.above_at
        return None if above is None else next((at - above for at, _ in self.given if at >= above), None)

    @property
    def clear_s(self) -> float | None:
        """Until the last NF is well again; None: one was not when the run ended, or none was above."""
        ends = [clear_after(windows) for windows in self.windows.values() if first_above(windows) is not None]
        above = self.above_at
        return None if above is None or None in ends else max(end for end in ends if end is not None) - above

    @property
    def above_share(self) -> float:
        """Of all windows."""
        every = [p95 for windows in self.windows.values() for _, p95 in windows]
        return sum(p95 > L_MAX for p95 in every) / max(1, len(every))

    @property
    def mean_quota(self) -> float:
        """Over time, in percent of a core."""
        since, has, found = 0.0, self.quotas[0], 0.0
        for at, quota in (*self.given, (self.lasted_s, 0.0)):
            until = min(max(at, since), self.lasted_s)
            found += has * (until - since)
            since, has = until, quota
        return found / self.lasted_s

    def above_s(self, start: float, end: float) -> float:
        """For how long the NF that was it for the longest was above L_max. A window says it of the time since the one
        before; one that is not closed yet, because nothing is given back, says what the last one said."""
        return max((_above_s(windows, start, min(end, self.lasted_s)) for windows in self.windows.values()), default=0)


def first_above(windows: Windows) -> float | None:
    """The first of two windows running above L_max: one is noise, and may be over before any law acts."""
    return next((one[0] for one, following in pairwise(windows) if min(one[1], following[1]) > L_MAX), None)


def clear_after(windows: Windows) -> float | None:
    """The first of the windows that end a violation."""
    above, well = first_above(windows), 0
    for index, (at, p95) in enumerate(windows):
        if above is None or at < above:
            continue
        well = well + 1 if p95 <= L_MAX else 0
        if well == CLEAR_WINDOWS:
            return windows[index - CLEAR_WINDOWS + 1][0]
    return None


def _above_s(windows: Windows, start: float, end: float) -> float:
    found, since, last = 0.0, start, 0.0
    for at, p95 in (*windows, (end, None)):
        last = last if p95 is None else p95
        if last > L_MAX:
            found += max(0.0, min(at, end) - max(since, start))
        since = at
    return found


class Carried:
    """The chain as it is ordered now, at a rate and in so many lanes: one thread changes the one, another the other."""

    def __init__(self, driver: Srv6Driver, sent: Sent) -> None:
        """As it begins."""
        self._driver, self._sent, self._lock = driver, sent, threading.Lock()
        self._rate_mpps, self._lanes = sent.phases[0][1], 1
        self.order = [sent.order(self._rate_mpps)]
        """One."""

    def send(self, rate_mpps: float) -> None:
        """All lanes together."""
        with self._lock:
            self._rate_mpps = rate_mpps
            self._carry_out()

    def divide(self, lanes: int) -> None:
        """Evenly; until they run, and flows have moved."""
        with self._lock:
            self._lanes = lanes
            self._carry_out()
            put_first()

    def _carry_out(self) -> None:
        self.order[0] = self._sent.order(self._rate_mpps, self._lanes)
        while self._driver.apply(self.order[0]).done and self._lanes > 1:
            pass  # flows move once a new lane runs


class Watched:
    """A driver that notes when quotas are set."""

    name = "srv6"

    def __init__(
        self, driver: Srv6Driver, quotas: Mapping[str, float], divide: Callable[[int], None] = lambda _: None
    ) -> None:
        """`quotas`: those that NFs begin with. `divide`: carries the chain in so many lanes."""
        self._driver, self._quotas, self.divide = driver, dict(quotas), divide
        self.given: list[tuple[float, float]] = []
        self.nf_times = driver.nf_times
        self.nf_cpu = driver.nf_cpu
        self.counted = driver.counted
        self.cpu_budget = driver.cpu_budget

    def give_cpu(self, given: Mapping[str, CpuGiven]) -> None:
        """Once the kernel has them."""
        self._driver.give_cpu(given)
        self._quotas |= {nf: 100.0 if one.quota_percent is None else one.quota_percent for nf, one in given.items()}
        self.given.append((time.monotonic(), sum(self._quotas.values())))


Acting: TypeAlias = Callable[[Watched, Sequence[HostContent]], AbstractContextManager[None]]
"""Who sets quotas while a block runs, on what is ordered now: the first of the sequence."""


def looking(period_s: float) -> Acting:
    """The law as agents run it, looking each `period_s`. Raises NotMeasured where it holds still at the end."""

    @contextmanager
    def acting(watched: Watched, order: Sequence[HostContent]) -> Iterator[None]:
        with tempfile.TemporaryDirectory() as folder:
            quotas = NfQuotas(watched, lambda: None, Path(folder) / "quotas.json")  # type: ignore[arg-type]

            def look() -> float:
                quotas.tick(order[0])
                return period_s

            with running("nf-quotas", look):
                yield
            held = {one.nf_id: one.note for one in quotas.standing() if one.state is QuotaState.HELD}
            if held:  # figures of a law that holds still are those of no law
                raise NotMeasured(f"at the end the law held still: {held}")

    return acting


@contextmanager
def running(name: str, look: Callable[[], float]) -> Iterator[None]:
    """In a thread of its own; `look` gives the seconds until it is due again."""
    loop = LookLoop(name, look)
    loop.start()
    try:
        yield
    finally:
        loop.stop()


def no_law(_watched: Watched, _order: Sequence[HostContent]) -> AbstractContextManager[None]:
    """Quotas stay as they are."""
    return nullcontext()


LOOP: Mapping[str, Acting] = {"each 10 ms": looking(LOOK_S), "once a second": looking(1.0), "no law": no_law}


def one_run(driver: Srv6Driver, sent: Sent, acting: Acting, first: Mapping[str, float] | None = None) -> Run:
    """The chain begun anew. `first`: quotas to begin with; None: a quarter above what NFs use at the first rate."""
    begin(driver, sent.order(sent.phases[0][1]), come_first=sent.share == FIRST_SHARE)
    if first is None:
        first = {nf: within_bounds(round(MARGIN * used)) for nf, used in used_percent(driver, SETTLE_S).items()}
    give(driver, first, sent.share)
    time.sleep(SETTLE_S)
    carried = Carried(driver, sent)
    watched = Watched(driver, first, carried.divide)
    seen: dict[str, list[tuple[float, float]]] = {
        nf: [] for lane in range(1, MAX_LANES + 1) for nf in sent.nfs_of(lane)
    }
    quotas, began = [_quota(driver)], 0.0
    before = after = (0, 0)
    with acting(watched, carried.order), watching(driver, seen):
        for number, (seconds, rate_mpps) in enumerate(sent.phases):
            if number == 1:
                began, before = time.monotonic(), _passed(driver)
            carried.send(rate_mpps)
            time.sleep(seconds)
            quotas.append(_quota(driver))
        ended, after = time.monotonic(), _passed(driver)
    windows = {nf: [(at - began, p95) for at, p95 in found if at >= began] for nf, found in seen.items()}
    given = [(at - began, quota) for at, quota in watched.given]
    were_sent, came = (now - then for now, then in zip(after, before, strict=True))
    return Run(windows, given, quotas, ended - began, 100 * max(0, were_sent - came) / max(1, were_sent))


def _passed(driver: Srv6Driver) -> tuple[int, int]:
    """Packets sent, and delivered, by lanes that there are."""
    found = driver.sample().chains.values()
    return sum(one.sent for one in found), sum(one.delivered for one in found)


@contextmanager
def watching(driver: Srv6Driver, seen: dict[str, list[tuple[float, float]]]) -> Iterator[None]:
    """What windows say, twice as often as they are closed at most."""
    ended = threading.Event()

    def watch() -> None:
        last = dict.fromkeys(seen, -1)
        while not ended.wait(0.005):
            for nf, times in driver.nf_times().items():
                if nf in seen and times.window is not None and times.window != last[nf]:
                    last[nf] = times.window
                    seen[nf].append((time.monotonic(), times.p95_us))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def begin(driver: Srv6Driver, order: HostContent, *, come_first: bool = True) -> None:
    """Nothing else stands, and packets have come to every NF for a while. `come_first`: before other work."""
    driver.apply(HostContent(host_id="bench"))
    driver.apply(order)
    nf_ids = [nf.nf_id for chain in order.chains for nf in chain.nfs]
    wait_for("packets", lambda: all(driver.sample().nfs[nf].rx > 1000 for nf in nf_ids))
    if come_first:
        put_first()


def within_bounds(percent: float) -> float:
    """The nearest quota that an order allows."""
    return float(min(BOUNDS.most_percent, max(BOUNDS.least_percent, percent)))


def used_percent(driver: Srv6Driver, seconds: float) -> dict[str, float]:
    """What NFs use of their core, over so long."""
    use = Use(driver)
    time.sleep(seconds)
    return use.since()


class Use:
    """CPU time of NFs, from one question to the next."""

    def __init__(self, driver: "Srv6Driver | Watched") -> None:
        self._driver = driver
        self._at, self._found = time.monotonic(), driver.nf_cpu()

    def since(self) -> dict[str, float]:
        """Percent of a core, on the average since the last question; of an NF that came since, from its begin."""
        at, found = self._at, self._found
        self._at, self._found = time.monotonic(), self._driver.nf_cpu()
        before = {nf: one.cpu_ns or 0 for nf, one in found.items()}
        return {
            nf: 100 * ((now.cpu_ns or 0) - before.get(nf, 0)) / 1e9 / (self._at - at) for nf, now in self._found.items()
        }


def _quota(driver: Srv6Driver) -> float:
    return sum(one.cpu.quota_percent or 100.0 for one in driver.nf_cpu().values())
