"""Memory of all processes, and the CPU time they take while there is nothing to do."""

import time

import psutil
from figures import Figure
from installation import BenchInstallation

MIB = 1 << 20
SETTLE_S = 10.0


def memory(installation: BenchInstallation, when: str) -> list[Figure]:
    """RSS counts memory that processes share once for each of them; PSS counts it once in all."""
    infos = [process.memory_full_info() for process in installation.processes()]
    count = f"{len(infos)} processes, {when}"
    return [
        Figure(f"RSS of all processes, {when}", sum(info.rss for info in infos) / MIB, 1229, "MiB", count),
        Figure(f"PSS of all processes, {when}", sum(info.pss for info in infos) / MIB, 1229, "MiB", count),
    ]


def idle_cpu(installation: BenchInstallation, seconds: float) -> Figure:
    """CPU time of all processes over `seconds` without a chain, as a share of one core; the start may settle first."""
    time.sleep(SETTLE_S)
    before = _cpu_seconds(installation)
    began = time.monotonic()
    time.sleep(seconds)
    after = _cpu_seconds(installation)
    elapsed = time.monotonic() - began
    spent = sum(used - before.get(pid, 0.0) for pid, used in after.items())
    most = max(after, key=lambda pid: after[pid] - before.get(pid, 0.0))
    name = " ".join(psutil.Process(most).cmdline())[-40:]
    share = 100 * (after[most] - before.get(most, 0.0)) / elapsed
    how = f"{len(after)} processes over {elapsed:.0f} s; most, {share:.1f} %: {name}"
    return Figure("idle CPU without a chain", 100 * spent / elapsed, 5, "% of a core", how)


def _cpu_seconds(installation: BenchInstallation) -> dict[int, float]:
    used = {}
    for process in installation.processes():
        times = process.cpu_times()
        used[process.pid] = times.user + times.system
    return used
