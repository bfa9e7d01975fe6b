"""A sextant-runner of the bench's own, and what its counters say between two moments."""

import json
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from setting import MATCH, RUNNER, NotMeasured

KINDS: dict[str, dict[str, Any]] = {
    "router": {"routes": [{"prefix": "192.168.0.0/16", "next_hop": 1}], "synthetic_routes": 1000},
    "firewall": {"rules": [], "synthetic_rules": 100},
    "basic-monitor": {"flow_table_entries": 65536},
}
"""The chain of three that every figure about a chain is of."""

CHAIN = "m"


class Runner:
    """Ended with the `with` block; its source and sink stand on `traffic_core`."""

    def __init__(self, traffic_core: int, cores: Sequence[int]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="sextant-bench-")
        path = Path(self._folder.name) / "socket"
        command = [str(RUNNER), "--socket", str(path), "--nonce", "0" * 32]
        command += ["--traffic-core", str(traffic_core), "--cores", ",".join(map(str, cores))]
        self._process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        self._socket = socket.socket(socket.AF_UNIX)
        self._connect(str(path))
        self._lines = self._socket.makefile("rb")

    def _connect(self, path: str) -> None:
        for _ in range(200):
            try:
                return self._socket.connect(path)
            except (FileNotFoundError, ConnectionRefusedError):
                time.sleep(0.05)
        self.__exit__()
        raise NotMeasured("the runner does not listen: is dataplane/build built, and may the cores be used?")

    def call(self, op: str, **fields: Any) -> dict[str, Any]:
        """Raises NotMeasured with the runner's words."""
        self._socket.sendall(json.dumps({"id": 1, "op": op, **fields}).encode() + b"\n")
        answer: dict[str, Any] = json.loads(self._lines.readline() or b'{"ok": false, "error": "the runner has ended"}')
        if not answer["ok"]:
            raise NotMeasured(f"{op}: {answer['error']}")
        return answer

    def add(self, nfs: Sequence[tuple[str, dict[str, Any], int]], execution: str, rate_mpps: float = 0.0) -> None:
        """The chain: type, configuration and core of each NF."""
        listed = [
            {"nf": f"{CHAIN}.{number}", "type": kind, "config": config, "core": core}
            for number, (kind, config, core) in enumerate(nfs)
        ]
        self.call("add_chain", chain=CHAIN, nfs=listed, source=source(rate_mpps), execution=execution)

    def set_rate(self, rate_mpps: float) -> None:
        """From now on."""
        self.call("set_source", chain=CHAIN, source=source(rate_mpps))

    def remove(self) -> None:
        """Takes the chain away."""
        self.call("remove_chain", chain=CHAIN)

    def over(self, seconds: float) -> "Span":
        """What happens meanwhile."""
        before = self.call("query")
        time.sleep(seconds)
        return Span(before, self.call("query"))

    def __enter__(self) -> "Runner":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()
        self._socket.close()
        self._folder.cleanup()


class Span:
    """The chain between two answers to `query`."""

    def __init__(self, before: dict[str, Any], after: dict[str, Any]) -> None:
        self._before, self._after = before, after
        self.seconds: float = after["uptime_s"] - before["uptime_s"]

    def chain(self, counter: str) -> int:
        """How much a counter of the chain has grown."""
        return int(self._after["chains"][0][counter] - self._before["chains"][0][counter])

    def nfs(self, counter: str) -> list[int]:
        """The same of each NF."""
        pairs = zip(self._before["nfs"], self._after["nfs"], strict=True)
        return [int(after[counter] - before[counter]) for before, after in pairs]

    def traffic_cycles(self) -> float:
        """Ticks of the time-stamp counter that source and sink worked."""
        used_ns = self._after["traffic_cpu_ns"] - self._before["traffic_cpu_ns"]
        return float(used_ns * self._after["tsc_hz"] / 1e9)

    def latency_us(self, bounds_ns: Sequence[int], share: float) -> float:
        """Upper bound of the bucket that holds the quantile."""
        was, now = (answer["chains"][0]["latency_counts"] for answer in (self._before, self._after))
        counts = [new - old for old, new in zip(was, now, strict=True)]
        wanted, seen = share * sum(counts), 0
        for count, bound in zip(counts, bounds_ns, strict=False):
            seen += count
            if seen >= wanted:
                return bound / 1000
        return float("inf")


def source(rate_mpps: float) -> dict[str, Any]:
    """64-byte packets of 1000 flows."""
    return {"rate_mpps": rate_mpps, "packet_bytes": 64, "flows": 1000, "match": MATCH}
