"""What one core carries: router -> firewall -> basic-monitor with source and sink, all on the same core.

    .venv/bin/python dataplane/measure.py [--core N] [--seconds 2] [--rates 0.1,0.5,1,2] [--execution run-to-completion]

For each offered rate: what was delivered and lost, latency from due time to sink, and the CPU each process took.
Measured on a machine with other work, the figures are lower bounds: run it on a quiet one.
"""

import argparse
import json
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

BINARY = Path(__file__).parent / "build" / "sextant-runner"
KINDS = {
    "router": {"routes": [{"prefix": "192.168.0.0/16", "next_hop": 1}], "synthetic_routes": 1000},
    "firewall": {"rules": [], "synthetic_rules": 100},
    "basic-monitor": {"flow_table_entries": 65536},
}
MATCH = {"src_prefix": "10.0.0.0/8", "dst_prefix": "192.168.0.0/16", "protocol": "udp", "dst_port": None}


class Runner:
    """A runner of its own, ended with the `with` block; its traffic stands on `core`."""

    def __init__(self, core: int, cores: Sequence[int] = ()) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="sextant-measure-")
        path = Path(self._folder.name) / "socket"
        offered = ",".join(map(str, cores or (core,)))
        command = [BINARY, "--socket", path, "--nonce", "0" * 32, "--traffic-core", str(core), "--cores", offered]
        self._process = subprocess.Popen(command, stderr=subprocess.DEVNULL)  # noqa: S603 - our own binary
        self._socket = socket.socket(socket.AF_UNIX)
        self._connect(str(path))
        self._lines = self._socket.makefile("rb")

    def _connect(self, path: str) -> None:
        for _ in range(200):
            try:
                return self._socket.connect(path)
            except (FileNotFoundError, ConnectionRefusedError):
                time.sleep(0.05)
        raise SystemExit("the runner does not listen: is dataplane/build built, and may the core be used?")

    def call(self, op: str, **fields: Any) -> dict[str, Any]:
        self._socket.sendall(json.dumps({"id": 1, "op": op, **fields}).encode() + b"\n")
        answer: dict[str, Any] = json.loads(self._lines.readline())
        if not answer["ok"]:
            raise SystemExit(f"{op}: {answer['error']}")
        return answer

    def __enter__(self) -> "Runner":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()
        self._folder.cleanup()


def quantile_us(counts: list[int], bounds_ns: list[int], share: float) -> float:
    """Upper bound of the bucket that holds the quantile, in us."""
    wanted, seen = share * sum(counts), 0
    for count, bound in zip(counts, bounds_ns, strict=False):
        seen += count
        if seen >= wanted:
            return bound / 1000
    return float("inf")


def measure(runner: Runner, bounds: list[int], rate_mpps: float, packet_bytes: int, seconds: float) -> str:
    """One line of the table."""
    source = {"rate_mpps": rate_mpps, "packet_bytes": packet_bytes, "flows": 1000, "match": MATCH}
    runner.call("set_source", chain="m", source=source)
    time.sleep(0.5)
    before = runner.call("query")
    time.sleep(seconds)
    after = runner.call("query")
    span = after["uptime_s"] - before["uptime_s"]
    old, new = before["chains"][0], after["chains"][0]
    done = {key: new[key] - old[key] for key in ("offered", "delivered", "source_drops")}
    latency = [b - a for a, b in zip(old["latency_counts"], new["latency_counts"], strict=True)]
    cpu = [after["traffic_cpu_ns"] - before["traffic_cpu_ns"]]
    cpu += [b["cpu_ns"] - a["cpu_ns"] for a, b in zip(before["nfs"], after["nfs"], strict=True)]
    cycles = [
        (b["cycles"] - a["cycles"]) / max(1, b["rx"] - a["rx"])
        for a, b in zip(before["nfs"], after["nfs"], strict=True)
    ]
    p50, p95, p99 = (quantile_us(latency, bounds, share) for share in (0.5, 0.95, 0.99))
    lost = 100 * done["source_drops"] / max(1, done["offered"])
    return (
        f"{rate_mpps:7.3f} {done['delivered'] / span / 1e6:9.3f} {lost:7.2f}"
        f" {p50:9.0f} {p95:9.0f} {p99:9.0f}   {sum(cpu) / span / 1e7:5.1f}"
        f"   {' '.join(f'{part / span / 1e7:5.1f}' for part in cpu)}   {' '.join(f'{value:5.0f}' for value in cycles)}"
    )


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--packet-bytes", type=int, default=64)
    parser.add_argument("--execution", choices=("isolated", "run-to-completion"), default="isolated")
    parser.add_argument("--rates", default="0.0001,0.01,0.1,0.25,0.5,1,2,3,4,5,6,8")
    arguments = parser.parse_args()
    with Runner(arguments.core) as runner:
        bounds = runner.call("hello")["latency_bounds_ns"]
        nfs = [{"nf": kind, "type": kind, "core": arguments.core, "config": KINDS[kind]} for kind in KINDS]
        source = {"rate_mpps": 0, "packet_bytes": arguments.packet_bytes, "flows": 1000, "match": MATCH}
        runner.call("add_chain", chain="m", nfs=nfs, source=source, execution=arguments.execution)
        print(
            "   Mpps delivered  lost %    p50 us    p95 us    p99 us   CPU %   traffic + NFs          cycles a packet"
        )
        for rate in map(float, arguments.rates.split(",")):
            print(measure(runner, bounds, rate, arguments.packet_bytes, arguments.seconds), flush=True)


if __name__ == "__main__":
    main()
