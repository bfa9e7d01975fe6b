"""What the programs in the kernel take of a packet, as the kernel itself counts their time.

At two rates: the less comes, the more often a core does something else between two packets, and finds its caches cold.
"""

import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import TypeAlias

from measured import Measured, measured
from pace import Pace, judged
from page import head, line
from ways import spread

from dataplane.srv6.tests.network import shell

GOAL = 5000
KPPS = (20, 60)
STATISTICS = Path("/proc/sys/kernel/bpf_stats_enabled")
Taken: TypeAlias = tuple[float, float]
"""Runs and ns a packet."""
PROGRAMS = ("srv6_edge", "srv6_core", "srv6_nf_port", "srv6_far")


def work(pace: Pace) -> Iterator[str]:
    """Of a chain with two NFs: wrapped once, at an NF and back twice, unwrapped once."""
    yield from head(
        "program",
        "runs a packet",
        *(f"{what} at {kpps} kpps" for what in ("ns a run", "cycles a packet") for kpps in KPPS),
    )
    hz = _hz()
    with tempfile.TemporaryDirectory(prefix="sextant-bench-") as name, measured(Path(name)) as chain, _counted():
        rounds = [[_round(chain, kpps, pace) for kpps in KPPS] for _ in range(pace.repeats)]
    by_rate = list(zip(*rounds, strict=True))
    yield from (_row(program, by_rate, hz) for program in PROGRAMS)
    yield line(
        "all", "", *("" for _ in KPPS), *(spread([_all_ns(one) * hz / 1e9 for one in each], 0) for each in by_rate)
    )
    less = [[(_all_ns(one) - _counting_ns(one)) * hz / 1e9 for one in each] for each in by_rate]
    verdicts = (f"goal {GOAL:,} on quiet cores: {judged(median(each) <= GOAL)}" for each in less)
    yield line("all, less the counting's own", "", *verdicts, *(spread(each, 0) for each in less))


def _row(program: str, by_rate: Sequence[Sequence[Mapping[str, Taken]]], hz: float) -> str:
    found = [[one[program] for one in each] for each in by_rate]
    runs = (spread([ns / many if many else 0.0 for many, ns in each], 0) for each in found)
    cycles = (spread([ns * hz / 1e9 for _, ns in each], 0) for each in found)
    return line(f"`{program}`", f"{found[0][-1][0]:.1f}", *runs, *cycles)


def _all_ns(found: Mapping[str, Taken]) -> float:
    return sum(ns for _, ns in found.values())


def _counting_ns(found: Mapping[str, Taken]) -> float:
    """`srv6_far` drops every packet and does nothing else: a run of it takes what counting takes."""
    many, ns = found["srv6_far"]
    return sum(runs for runs, _ in found.values()) * (ns / many if many else 0.0)


def _round(chain: Measured, kpps: float, pace: Pace) -> dict[str, Taken]:
    """Of each program, on both hosts together."""
    before = _times(chain)
    sent = chain.ends.send(kpps, pace.seconds)
    now = _times(chain)
    many = max(sent.delivered, 1)
    return {
        name: ((now[name][0] - before[name][0]) / many, (now[name][1] - before[name][1]) / many) for name in PROGRAMS
    }


def _times(chain: Measured) -> dict[str, tuple[int, int]]:
    found = {}
    for name in PROGRAMS:
        shown = [
            json.loads(shell("bpftool", "-j", "prog", "show", "pinned", host.pins / name)) for host in chain.hosts.all
        ]
        found[name] = (
            sum(one.get("run_cnt", 0) for one in shown),
            sum(one.get("run_time_ns", 0) for one in shown),
        )
    return found


def _hz() -> float:
    found = re.search(r"^cpu MHz\s*: ([\d.]+)", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return float(found[1]) * 1e6 if found else 0.0


@contextmanager
def _counted() -> Iterator[None]:
    """Counting takes some 20 ns a run itself, so that it is off as a rule."""
    before = STATISTICS.read_text()
    STATISTICS.write_text("1")
    try:
        yield
    finally:
        STATISTICS.write_text(before)
