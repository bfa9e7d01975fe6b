"""Measures source and sink, over a wire or at both ends of a chain over two hosts with two NFs of the testbed's types.

python -m dataplane.srv6.tests.measure_traffic {wire,chain} KPPS BYTES SECONDS [NF [NF]]
"""

import os
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from dataplane.tests.conftest import CONFIGS
from dataplane.tests.wires import Program, packet_socket, wire

from .network import Network, network
from .test_traffic import nf_of, sink_at, source_at, spec

SETTLE_S = 0.5


def quantile_us(counts: list[int], bounds: list[int], share: float) -> float:
    """The upper bound of the bucket that the quantile lies in."""
    reached = 0
    for index, count in enumerate(counts):
        reached += count
        if reached >= share * sum(counts):
            return bounds[min(index, len(bounds) - 1)] / 1e3
    return 0.0


def send_for(source: Program, sink: Program, kpps: float, seconds: float) -> tuple[dict[str, Any], dict[str, Any]]:
    source.client.call("set_rate", rate_mpps=kpps / 1e3)
    time.sleep(seconds)
    source.client.call("set_rate", rate_mpps=0)
    time.sleep(SETTLE_S)
    return source.query(), sink.query()


def each_ns(now: dict[str, Any], packets: str) -> str:
    return f"{now['busy_ns'] / max(now[packets], 1):.0f} ns a packet"


def report(source: Program, sink: Program, nfs: list[Program], kpps: float, seconds: float) -> None:
    sent, seen = send_for(source, sink, kpps, seconds)
    counts, bounds = seen["latency_counts"], sink.client.call("hello")["latency_bounds_ns"]
    p50, p95, p99 = (quantile_us(counts, bounds, share) for share in (0.5, 0.95, 0.99))
    print(f"load average {os.getloadavg()[0]:.1f}")
    print(f"offered {sent['offered']}, sent {sent['sent']} ({sent['sent'] / seconds / 1e3:.1f} kpps), ", end="")
    print(f"delivered {seen['delivered']} ({sent['sent'] - seen['delivered']} lost), misordered {seen['misordered']}")
    print(
        f"source {each_ns(sent, 'sent')}, sink {each_ns(seen, 'delivered')}, sink's socket full {seen['socket_full']}"
    )
    print(f"latency p50 {p50:.0f}, p95 {p95:.0f}, p99 {p99:.0f} us")
    for nf in nfs:
        now = nf.query()
        print(
            f"{now['type']}: {each_ns(now, 'rx')}, {now['cycles'] / max(now['rx'], 1):.0f} cycles of its own, ", end=""
        )
        print(f"rx {now['rx']}, drops {now['drop_causes']}")


def over_a_wire(kpps: float, asked: dict[str, Any], seconds: float) -> None:
    with wire() as made, sink_at(made.nf.fileno()) as sink, source_at(made.host.fileno(), asked) as source:
        report(source, sink, [], kpps, seconds)


def over_a_chain(kpps: float, asked: dict[str, Any], seconds: float, kinds: list[str]) -> None:
    with ExitStack() as stack:
        net: Network = stack.enter_context(network(Path(stack.enter_context(tempfile.TemporaryDirectory()))))
        nfs = [
            nf_of(stack, net, number, kind, dict(CONFIGS.get(kind, {}))) for number, kind in enumerate(kinds, start=1)
        ]
        ends = [stack.enter_context(packet_socket(f"{net.prefix}tenant{number}", f"t{number}")) for number in (1, 2)]
        sink = stack.enter_context(sink_at(ends[1].fileno()))
        source = stack.enter_context(source_at(ends[0].fileno(), asked))
        report(source, sink, nfs, kpps, seconds)


def main(where: str, kpps: float, packet_bytes: int, seconds: float, kinds: list[str]) -> None:
    asked = spec(packet_bytes=packet_bytes, flows=100)
    if where == "wire":
        over_a_wire(kpps, asked, seconds)
    else:
        over_a_chain(kpps, asked, seconds, kinds or ["router", "firewall"])


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), sys.argv[5:])
