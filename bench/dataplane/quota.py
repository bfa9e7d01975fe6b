"""CPU quotas against the CPU that an NF has used; and how long one that has none left stands still."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import correlation, linear_regression, mean

from host import BenchHost, ChainLoad, host
from page import head, line
from setting import NotMeasured, Setting, verdict
from sextant_agent.control.helper_client import HelperClient
from sextant_agent.helper.cpu_files import cpu_files, write
from sextant_agent.helper.groups import PREFIX
from sextant_agent.helper.hierarchy import find_hierarchy
from sextant_domain.hosts.telemetry import NfSample

GOAL_R2 = 0.99
LOOPS = {"loops": 50_000}
"""So many a packet that the source saturates the NF with hardly any CPU of its own, also where its own core is busy:
with 2000 it was the source, and not the quota, that held the NF back."""
QUOTAS = tuple(range(10, 100, 10))
PERIODS_MS = (5, 10, 20, 50, 100)
SHARE = 10_000
"""The heaviest: what other work still takes from the NF is neither used by it nor throttled."""


def quota(setting: Setting) -> Iterator[str]:
    """A saturated NF alone on its core, with each quota in random order."""
    yield from setting.preface("quota", f"a straight line through all runs: R^2 at least {GOAL_R2:g}")
    yield from head("quota %", "CPU %", "throttled % of the time", "other work %", "Mpps")
    with host(setting) as found:
        points = quota_points(
            found, ChainLoad("one", LOOPS, 5.0, SHARE), rounds=setting.pick(2, 1), seconds=setting.pick(1.5, 0.4)
        )
    for percent, samples in points.items():
        cpu = mean(sample.cpu_percent for sample in samples)
        held = mean(sample.throttled_percent or 0 for sample in samples)
        mpps = mean(sample.tx_mpps for sample in samples)
        yield line(
            str(percent), f"{cpu:.2f}", f"{held:.1f}", f"{max(0.0, unused_percent(*samples)):.1f}", f"{mpps:.4f}"
        )
    yield ""
    yield _fit(points)


def quota_points(
    found: BenchHost, load: ChainLoad, *, rounds: int, seconds: float, most_unused: float = 100.0, tries: int = 1
) -> dict[int, list[NfSample]]:
    """What the NF did with each quota, each round in random order: whatever drifts meanwhile falls on all alike. A
    sample in which more than `most_unused` % of the time was neither used nor denied is repeated; raises NotMeasured
    after so many tries."""
    points: dict[int, list[NfSample]] = {percent: [] for percent in QUOTAS}
    dice = random.Random(1)
    for _ in range(rounds):
        for percent in dice.sample(QUOTAS, len(QUOTAS)):
            found.run([replace(load, quota=percent)])
            samples = (found.measure(seconds)[load.name] for _ in range(tries))
            sample = next((one for one in samples if unused_percent(one) <= most_unused), None)
            if sample is None:
                raise NotMeasured(
                    f"in {tries} tries with {percent} % it lacked its core, or work, for {most_unused:g} %"
                )
            points[percent].append(sample)
    return points


def unused_percent(*samples: NfSample) -> float:
    """Of the time, what the NF neither used nor was denied by its quota: others had its core, or it had no work."""
    return mean(100 - sample.cpu_percent - (sample.throttled_percent or 0) for sample in samples)


def _fit(points: dict[int, list[NfSample]]) -> str:
    pairs = [(float(percent), sample.cpu_percent) for percent, samples in points.items() for sample in samples]
    quotas, used = zip(*pairs, strict=True)
    slope, intercept = linear_regression(quotas, used)
    squared = correlation(quotas, used) ** 2
    formula = f"CPU = {slope:.4f} x quota {intercept:+.3f}, R^2 {squared:.5f} over {len(pairs)} runs"
    return f"{formula}: {verdict(squared >= GOAL_R2)}."


def periods(setting: Setting) -> Iterator[str]:
    """Why the helper's period is 10 ms."""
    yield from setting.preface("periods", "")
    yield from head("period of a quota of 50 %, ms", "CPU %", "standing still at a time, ms (mean)")
    with host(setting) as found:
        found.run([ChainLoad("one", LOOPS, 5.0, SHARE, 50)])
        for period in PERIODS_MS:
            yield _period(setting, found, period)


def _period(setting: Setting, found: BenchHost, period_ms: int) -> str:
    _set_period(found.helper, "one.nf", 50, period_ms * 1000)
    before = found.helper.groups()["one.nf"]
    sample = found.measure(setting.pick(3.0, 0.4))["one"]
    after = found.helper.groups()["one.nf"]
    times = max(1, after.throttled_periods - before.throttled_periods)
    still_ms = (after.throttled_ns - before.throttled_ns) / times / 1e6
    return line(str(period_ms), f"{sample.cpu_percent:.2f}", f"{still_ms:.2f}")


def _set_period(helper: HelperClient, nf_id: str, percent: int, period_us: int) -> None:
    """Past the helper, which has one period only: this is what it was chosen by."""
    found = find_hierarchy(Path("/proc/self/mountinfo").read_text())
    folder = cpu_files(found).roots[0] / str(helper.hello().subtree) / f"{PREFIX}{nf_id}"
    allowed = period_us * percent // 100
    if found.version == 2:
        write(folder / "cpu.max", f"{allowed} {period_us}")
    else:
        write(folder / "cpu.cfs_quota_us", "-1")
        write(folder / "cpu.cfs_period_us", str(period_us))
        write(folder / "cpu.cfs_quota_us", str(allowed))
