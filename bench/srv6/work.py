"""What the programs in the kernel take of a packet, as the kernel itself counts their time."""

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
KPPS = 20
STATISTICS = Path("/proc/sys/kernel/bpf_stats_enabled")
Taken: TypeAlias = tuple[float, float]
"""Runs and ns a packet."""
PROGRAMS = ("srv6_edge", "srv6_core", "srv6_nf_port", "srv6_far")


def work(pace: Pace) -> Iterator[str]:
    """Of a chain with two NFs: wrapped once, at an NF and back twice, unwrapped once."""
    yield from head("program", "runs a packet", "ns a run", "cycles a packet")
    hz = _hz()
    with tempfile.TemporaryDirectory(prefix="sextant-bench-") as name, measured(Path(name)) as chain, _counted():
        rounds = [_round(chain, pace) for _ in range(pace.repeats)]
    yield from (_row(program, rounds, hz) for program in PROGRAMS)
    whole = [sum(ns for _, ns in each.values()) * hz / 1e9 for each in rounds]
    counting = [_counting_ns(each) * hz / 1e9 for each in rounds]
    yield line("all", "", "", spread(whole, 0))
    less = [one - other for one, other in zip(whole, counting, strict=True)]
    goal = f"goal {GOAL:,} on quiet cores: {judged(median(less) <= GOAL)}"
    yield line("all, less the counting's own", "", goal, spread(less, 0))


def _row(program: str, rounds: Sequence[Mapping[str, Taken]], hz: float) -> str:
    each = [found[program] for found in rounds]
    runs = [ns / many if many else 0.0 for many, ns in each]
    return line(f"`{program}`", f"{each[-1][0]:.1f}", spread(runs, 0), spread([ns * hz / 1e9 for _, ns in each], 0))


def _counting_ns(found: Mapping[str, Taken]) -> float:
    """`srv6_far` drops every packet and does nothing else: a run of it takes what counting takes."""
    many, ns = found["srv6_far"]
    return sum(runs for runs, _ in found.values()) * (ns / many if many else 0.0)


def _round(chain: Measured, pace: Pace) -> dict[str, Taken]:
    """Of each program, on both hosts together."""
    before = _times(chain)
    sent = chain.ends.send(KPPS, pace.seconds)
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
