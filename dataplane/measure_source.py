"""What a source's shape costs: cycles a packet of the traffic process (source and sink), kind by kind.

    .venv/bin/python dataplane/measure_source.py [--core N] [--rate 1] [--rounds 8]

One chain of one simple-forward; every round sends each kind for a second, in turn forwards and backwards, so that what
else the machine does falls on all alike. Shown are the least and the median round: of a busy machine the least is
nearer to the truth.
"""

import argparse
import os
import statistics
import time
from typing import Any

from measure import MATCH, Runner

KINDS: dict[str, dict[str, Any]] = {
    "plain: 64 B, constant, 1000 flows in turn": {},
    "sizes: imix": {"sizes": {"kind": "imix"}},
    "arrivals: poisson": {"arrivals": {"kind": "poisson"}},
    "flows: uniform over 100,000": {"flows": 100_000, "flow_distribution": {"kind": "uniform"}},
    "flows: zipf 1.1 over 100,000": {"flows": 100_000, "flow_distribution": {"kind": "zipf", "exponent": 1.1}},
    "payload: random": {"payload": {"kind": "random"}},
    "payload: 5 % matches": {"payload": {"kind": "matches", "percent": 5, "strings": ["malicious"]}},
}
KINDS["all of them, 5 % matches"] = {name: value for kind in KINDS.values() for name, value in kind.items()}


def cycles(runner: Runner, rate_mpps: float, more: dict[str, Any]) -> float:
    """Cycles a packet over a second."""
    source = {"rate_mpps": rate_mpps, "packet_bytes": 64, "flows": 1000, "match": MATCH, **more}
    runner.call("set_source", chain="m", source=source)
    time.sleep(0.2)
    before = runner.call("query")
    time.sleep(1)
    after = runner.call("query")
    packets = after["chains"][0]["sent"] - before["chains"][0]["sent"]
    seconds = (after["traffic_cpu_ns"] - before["traffic_cpu_ns"]) / 1e9
    return float(seconds * after["tsc_hz"] / max(1, packets))


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--rate", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=8)
    arguments = parser.parse_args()
    found: dict[str, list[float]] = {name: [] for name in KINDS}
    with Runner(arguments.core) as runner:
        nf = {"nf": "m.forward", "type": "simple-forward", "core": arguments.core, "config": {"loops": 0}}
        source = {"rate_mpps": 0, "packet_bytes": 64, "flows": 1000, "match": MATCH}
        runner.call("add_chain", chain="m", nfs=[nf], source=source)
        for number in range(arguments.rounds):
            for name in list(KINDS)[:: 1 if number % 2 == 0 else -1]:
                found[name].append(cycles(runner, arguments.rate, KINDS[name]))
    print(f"{'cycles a packet at ' + str(arguments.rate) + ' Mpps':44} least  median")
    for name, values in found.items():
        print(f"{name:44} {min(values):5.0f}  {statistics.median(values):6.0f}")


if __name__ == "__main__":
    main()
