"""How long a move keeps packets from the sink, and whether it loses any: moves under load, in both executions.

An interruption is the longest time between two arrivals at the sink from just before the move until packets have passed
the moved NF. The source offers packets in ticks, so there are gaps without any move: 'none' is the longest of equally
long stretches in which nothing is moved, and what is above it is the move's.
"""

import math
import random
import time
from collections.abc import Iterator, Sequence

from page import head, line
from runner import CHAIN, KINDS, Runner
from setting import NotMeasured, Setting, rows, verdict

GOAL_MS = 5.0
RATE_MPPS = 0.1
NFS = (*KINDS, "simple-forward")
EXECUTIONS = ("isolated", "run-to-completion")


def moves(setting: Setting) -> Iterator[str]:
    """A row of moves and one of none, for each execution."""
    yield from setting.preface("moves", f"no packet lost or misordered; 99 % of interruptions within {GOAL_MS:g} ms")
    yield from head("ms without a packet", "p50", "p95", "p99", "longest", "moves", "lost", "misordered", "goal")
    yield from rows(EXECUTIONS, lambda execution: _pair(setting, execution), _blank)


def _pair(setting: Setting, execution: str) -> str:
    cores = (setting.other_core, setting.nf_core)
    with Runner(setting.other_core, cores) as runner:
        runner.add([(kind, KINDS.get(kind, {"loops": 0}), cores[0]) for kind in NFS], execution, RATE_MPPS)
        time.sleep(0.5)
        interruptions, quiet = _moved(runner, cores, setting.pick(100, 8))
        lost, sent, misordered = _books(runner)
    met = lost == 0 and misordered == 0 and _quantile(interruptions, 0.99) <= GOAL_MS * 1000
    books = (str(len(interruptions)), f"{lost} of {sent}", str(misordered), verdict(met))
    return f"{line(execution, *_quantiles(interruptions), *books)}\n{line('none', *_quantiles(quiet), *[''] * 4)}"


def _moved(runner: Runner, cores: Sequence[int], count: int) -> tuple[list[int], list[int]]:
    """Interruptions of random moves, and the longest gaps of stretches of the same length without one, in us."""
    rng, interruptions, quiet = random.Random(1), [], []
    places = [cores[0]] * len(NFS)
    for _ in range(count):
        number = rng.randrange(len(NFS))
        places[number] = next(core for core in cores if core != places[number])
        started = time.monotonic()
        answer = runner.call("move_nf", nf=f"{CHAIN}.{number}", core=places[number])
        took = time.monotonic() - started
        if answer["interruption_us"] is not None:
            interruptions.append(answer["interruption_us"])
        time.sleep(0.02)
        runner.call("query")
        time.sleep(took)
        quiet.append(runner.call("query")["chains"][0]["longest_gap_us"])
    if not interruptions:
        raise NotMeasured("no packet came within 250 ms of any move")
    return interruptions, quiet


def _books(runner: Runner) -> tuple[int, int, int]:
    """Lost, sent and misordered once the rings are empty."""
    runner.set_rate(0.0)
    time.sleep(0.5)
    answer = runner.call("query")
    found = answer["chains"][0]
    gone = found["delivered"] + sum(nf["filtered"] + nf["drops"] for nf in answer["nfs"])
    return found["sent"] - gone, found["sent"], found["misordered"]


def _quantile(values: Sequence[int], share: float) -> int:
    ordered = sorted(values)
    return ordered[math.ceil(share * len(ordered)) - 1]


def _quantiles(values: Sequence[int]) -> list[str]:
    return [f"{_quantile(values, share) / 1000:.2f}" for share in (0.5, 0.95, 0.99, 1.0)]


def _blank(execution: str, reason: str) -> str:
    return line(execution, f"not measured: {reason}", *[""] * 7)
