"""How long a move keeps packets from the sink: moves under load, in both executions, two cores.

    .venv/bin/python dataplane/measure_moves.py [--moves 100] [--rate 0.1]

A chain of router, firewall, basic-monitor and simple-forward begins on one core; each move takes one NF to the other.
An interruption is the longest time between two arrivals at the sink from just before the move until packets have passed
the moved NF. The source offers packets in ticks, so there are gaps without any move: 'none' is the longest of equally
long stretches in which nothing is moved, and what is above it is the move's.
"""

import argparse
import os
import random
import time

from measure import KINDS, MATCH, Runner

CHAIN = (*KINDS, "simple-forward")


def quantiles(values: list[int]) -> str:
    """p50, p95, p99 and the longest, in ms."""
    ordered = sorted(values)
    picked = [ordered[min(len(ordered) - 1, int(share * len(ordered)))] for share in (0.5, 0.95, 0.99, 1.0)]
    return "".join(f"{value / 1000:9.2f}" for value in picked)


def moved(runner: Runner, cores: list[int], moves: int) -> tuple[list[int], list[int]]:
    """Interruptions of random moves, and the longest gaps of stretches of the same length without one, in us."""
    rng, interruptions, quiet = random.Random(1), [], []  # noqa: S311 - to choose, not to hide
    place = dict.fromkeys(CHAIN, cores[0])
    for _ in range(moves):
        kind = rng.choice(CHAIN)
        place[kind] = next(core for core in cores if core != place[kind])
        started = time.monotonic()
        answer = runner.call("move_nf", nf=f"m.{kind}", core=place[kind])
        took = time.monotonic() - started
        if answer["interruption_us"] is not None:
            interruptions.append(answer["interruption_us"])
        time.sleep(0.02)
        runner.call("query")
        time.sleep(took)
        quiet.append(runner.call("query")["chains"][0]["longest_gap_us"])
    return interruptions, quiet


def check(runner: Runner) -> str:
    """The books after all moves: what was lost, and what came out of order."""
    runner.call("set_source", chain="m", source=source(0.0))
    time.sleep(0.5)
    answer = runner.call("query")
    chain = answer["chains"][0]
    gone = chain["delivered"] + sum(nf["filtered"] + nf["drops"] for nf in answer["nfs"])
    return f"{chain['sent'] - gone} of {chain['sent']} packets lost, {chain['misordered']} misordered"


def source(rate_mpps: float) -> dict[str, object]:
    return {"rate_mpps": rate_mpps, "packet_bytes": 64, "flows": 1000, "match": MATCH}


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moves", type=int, default=100)
    parser.add_argument("--rate", type=float, default=0.1, help="Mpps")
    arguments = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))[-2:]
    if len(cores) < 2:
        raise SystemExit("a move needs two cores, and this process may use one")
    print("ms                            p50      p95      p99  longest")
    for execution in ("isolated", "run-to-completion"):
        with Runner(cores[-1], cores) as runner:
            nfs = [
                {"nf": f"m.{kind}", "type": kind, "core": cores[0], "config": KINDS.get(kind, {"loops": 0})}
                for kind in CHAIN
            ]
            runner.call("add_chain", chain="m", nfs=nfs, source=source(arguments.rate), execution=execution)
            time.sleep(0.5)
            interruptions, quiet = moved(runner, cores, arguments.moves)
            print(f"{execution:24}{quantiles(interruptions)}   {len(interruptions)} moves; {check(runner)}")
            print(f"{'  none':24}{quantiles(quiet)}", flush=True)


if __name__ == "__main__":
    main()
