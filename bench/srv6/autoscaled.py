"""Kubernetes' HPA and VPA (hpa.py, vpa.py) as those who set the CPU quota of a chain's one NF, as SRv6-INT's law does.
Request and limit of a pod are the quota here, so that no more can be used than was requested."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate

import hpa
import vpa
from loop_run import BOUNDS, Acting, Sent, Use, Watched, begin, give, running, used_percent, within_bounds
from sextant_agent.drivers.srv6.driver import Srv6Driver
from sextant_domain.hosts.desired import HostContent

MEASURED_S = 15.0
"""What the metrics server says is the use of the last so many seconds."""
DAY_MINUTES = 1440
SPREAD = (5**0.5 - 1) / 2
"""Multiples of it fall evenly into any part of a trace, whatever its length."""


@contextmanager
def horizontal(watched: Watched, order: Sequence[HostContent]) -> Iterator[None]:
    """HPA: n replicas are n times the quota that the NF began with, at once and without packets being divided, which
    favours it. As many as the bounds of the order allow."""
    (nf,) = order[0].chains[0].nfs

    def scale(replicas: int, quota: float) -> None:
        give(watched, {nf.nf_id: within_bounds(replicas * quota)})

    with _hpa(watched, nf.nf_id, scale):
        yield


@contextmanager
def horizontal_lanes(watched: Watched, order: Sequence[HostContent]) -> Iterator[None]:
    """HPA: n replicas are n lanes, each with an NF's process of its own and the quota that the first one began with.
    Processes start, flows are divided by a hash, packets are sent by lane. As many as the bounds of the order allow."""
    (nf,) = order[0].chains[0].nfs

    def scale(replicas: int, quota: float) -> None:
        watched.divide(replicas)
        give(watched, {one.nf_id: quota for chain in order[0].chains for one in chain.nfs})

    with _hpa(watched, nf.nf_id, scale):
        yield


@contextmanager
def _hpa(watched: Watched, first_nf: str, scale: Callable[[int, float], None]) -> Iterator[None]:
    """Each 15 s. `scale`: to so many replicas, of that quota each."""
    quota = watched.nf_cpu()[first_nf].cpu.quota_percent or 100.0
    state, use, begun = hpa.begun(1, time.monotonic()), Use(watched), False

    def look() -> float:
        nonlocal state, begun
        used = sum(use.since().values())
        if begun:
            before = state.replicas
            of_requested = 100 * used / (before * quota)
            state = hpa.step(state, of_requested, most_replicas(quota), time.monotonic())
            if state.replicas != before:
                scale(state.replicas, quota)
        begun = True
        return hpa.SYNC_S

    with running("hpa", look):
        yield


def most_replicas(quota: float) -> int:
    """Of that quota each, on one core."""
    return max(1, int(BOUNDS.most_percent / quota))


def vertical(past: Sequence[tuple[float, float]] = ()) -> Acting:
    """VPA. `past`: what it knows already (`day_of`); with that, the NF begins with what it recommends, as a new pod."""

    @contextmanager
    def acting(watched: Watched, order: Sequence[HostContent]) -> Iterator[None]:
        (nf,) = order[0].chains[0].nfs
        history, use, looks, began = vpa.of(past), Use(watched), 0, time.monotonic()
        quota = watched.nf_cpu()[nf.nf_id].cpu.quota_percent or 100.0

        def recommended(percent: float) -> float:
            given = within_bounds(percent)
            give(watched, {nf.nf_id: given})
            return given

        if past:
            quota = recommended(history.recommendation().target)

        def look() -> float:
            nonlocal looks, quota
            used = use.since().get(nf.nf_id, 0.0)
            if looks % round(vpa.RECOMMEND_S / MEASURED_S) == 1:  # each minute, of its last 15 s
                lived_s = time.monotonic() - began
                history.add(used, lived_s)
                found = history.recommendation()
                if vpa.is_due(quota, found, lived_s) and within_bounds(found.target) != quota:
                    quota = recommended(found.target)
            looks += 1
            return MEASURED_S

        with running("vpa", look):
            yield

    return acting


def used_at_rates(driver: Srv6Driver, sent: Sent, seconds: float) -> dict[float, float]:
    """What the chain's one NF uses of its core at each rate if it may have what it wants, over so long."""
    (nf,) = sent.nf_ids
    used: dict[float, float] = {}
    begin(driver, sent.order(sent.phases[0][1]))
    give(driver, {nf: float(BOUNDS.most_percent)})
    for rate_mpps in {rate_mpps for _, rate_mpps in sent.phases}:
        driver.apply(sent.order(rate_mpps))
        time.sleep(seconds / 2)
        used[rate_mpps] = used_percent(driver, seconds)[nf]
    return used


def day_of(phases: Sequence[tuple[float, float]], used: Mapping[float, float]) -> list[tuple[float, float]]:
    """A sample a minute of a day on which these phases came again and again, by what is used at each rate; the last is
    of a minute before a run begins."""
    ends = list(accumulate(seconds for seconds, _ in phases))

    def at(minute: int) -> float:
        moment_s = ends[-1] * (minute * SPREAD % 1)
        return next(used[rate_mpps] for end, (_, rate_mpps) in zip(ends, phases, strict=True) if moment_s < end)

    return [(60.0 * (minute - DAY_MINUTES), at(minute)) for minute in range(DAY_MINUTES)]
