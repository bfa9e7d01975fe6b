"""What one more NF costs a packet beside the NF's own work: in one process, and with a process each."""

import json
import subprocess
import time
from collections.abc import Iterator, Sequence
from statistics import linear_regression

from page import head, line
from runner import Runner
from setting import BUILD, NotMeasured, Setting, verdict

GOAL = 15.0
"""Cycles a packet and hop, in run to completion with full bursts."""
NFS_MOST = 8
SATURATING_MPPS = 30.0
LOOPS = 300
"""Of the first NF: so that it is slower than the source and always has packets; that work is taken off again."""
EXECUTIONS = ("run-to-completion", "isolated")


def hop(setting: Setting) -> Iterator[str]:
    """By the inner loop alone, and by the CPU time of real processes."""
    yield from setting.preface("hop", f"a hop in run to completion takes at most {GOAL:g} cycles a packet")
    counts = setting.pick(tuple(range(1, NFS_MOST + 1)), (1, 4, 8))
    yield from head("cycles a packet", *(f"{count} NFs" for count in counts), "a hop", "")
    own = 0.0
    for text in _inner_loop(setting):
        found = json.loads(text)
        if "own_work" in found:
            own = found["own_work"]
            continue
        cycles = [found["cycles"][count - 1] for count in counts]
        goal = GOAL if "run to completion, bursts of 32" in found["what"] else None
        yield _row(found["what"], counts, cycles, own, goal)
    for execution in EXECUTIONS:
        cycles = [_by_cpu_time(setting, execution, count) for count in counts]
        yield _row(f"{execution}: CPU time less the NFs' own", counts, cycles, 0.0, None)


def _row(what: str, counts: Sequence[int], cycles: Sequence[float], own: float, goal: float | None) -> str:
    slope = linear_regression(counts, cycles).slope - own
    said = "" if goal is None else f"{goal:g}: {verdict(slope <= goal)}"
    return line(what, *(f"{value:.1f}" for value in cycles), f"{slope:.1f}", said)


def _inner_loop(setting: Setting) -> list[str]:
    """The program measures one pass after the other and keeps the quickest."""
    command = ["taskset", "-c", str(setting.nf_core), str(BUILD / "bench" / "bench-hop")]
    command.append(str(setting.pick(4_000, 1_000)))
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def _by_cpu_time(setting: Setting, execution: str, count: int) -> float:
    """CPU time of all processes less that within NFs, by packets: rings, system calls, wakings."""
    with Runner(setting.other_core, setting.cores) as runner:
        loops = [LOOPS, *[0] * (count - 1)]
        runner.add([("simple-forward", {"loops": each}, setting.nf_core) for each in loops], execution, SATURATING_MPPS)
        time.sleep(0.3)
        span = runner.over(setting.pick(1.0, 0.2))
        packets = span.nfs("rx")[-1]
        if packets == 0:
            raise NotMeasured("no packet passed")
        return (sum(span.nfs("cpu_ns")) * setting.calibration.tsc_hz / 1e9 - sum(span.nfs("cycles"))) / packets
