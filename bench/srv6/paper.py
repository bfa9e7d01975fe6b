"""The paper's Figs. 6 to 13 beside what there is of them here."""

import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from ends import Ends
from local_loop import TYPES
from measured import measured
from pace import Pace
from page import head, line
from ways import greatest, spread

from dataplane.srv6.tests.hosts import TAG
from dataplane.srv6.tests.independent import read
from dataplane.srv6.tests.network import DECODE

CAPTURED, KPPS = 20, 1
SIZES = (200, 256, 512, 1024)
BELOW = "table below"
REST = (
    ("Fig. 7: throughput by packet size", "grows with the size, for each NF", BELOW),
    (
        "Fig. 8: a step too large for the host: a replica elsewhere",
        "some 8 s over 1 ms, 4 of them detection",
        BELOW,
    ),
    ("Fig. 9: one NF: p95 below L_max again", "within 2 s; not without scaling, nor stably with VPA", BELOW),
    ("Fig. 10: chains of two NFs, six pairs", "within 4 s", BELOW),
    (
        "Fig. 11: greatest throughput beside three others",
        "best of three, but for Snort (VPA a little more)",
        BELOW,
    ),
    (
        "Fig. 12: traffic that changes",
        "p95 low throughout; without scaling violated in [42, 57] and [70, 90] s",
        BELOW,
    ),
    (
        "Fig. 13: what the loop handed out",
        "four resources over 100 s",
        "CPU quotas: the same table; other resources: not on hosts of measured packets",
    ),
)


def figures(pace: Pace) -> Iterator[str]:
    """One row a figure; some have a table of their own."""
    del pace
    yield from head("figure", "paper", "here")
    yield line("Fig. 6: a capture shows what was measured", "two captures", _decoded())
    yield from (line(*row) for row in REST)


def _decoded() -> str:
    """Packets of a running chain, as our decoder and as scapy read them."""
    kinds = ("simple-forward", "simple-forward")
    with (
        tempfile.TemporaryDirectory(prefix="sextant-bench-") as name,
        measured(Path(name), kinds) as chain,
        chain.ends.sending(KPPS),
    ):
        headers = chain.two.call("capture", tag=TAG, count=CAPTURED, wait_ms=5000)["headers"]
    done = subprocess.run([str(DECODE)], input="\n".join(headers) + "\n", capture_output=True, text=True, check=True)
    ours = [json.loads(each) for each in done.stdout.splitlines()]
    ethernet = bytes(12) + b"\x86\xdd"
    theirs = [read(ethernet + bytes.fromhex(each)) for each in headers]
    same = sum(one == other for one, other in zip(ours, theirs, strict=True))
    filled = sum(all(hop.get("nf_latency_ns", 1) > 0 for hop in each["path"]) for each in ours)
    failed = "" if same == filled == len(headers) == CAPTURED else " **failed**"
    return f"{len(headers)} captured, {same} read alike by scapy, {filled} with a latency of both NFs{failed}"


def sizes(pace: Pace) -> Iterator[str]:
    """Fig. 7: the greatest rate at which a chain of two NFs of a type loses nothing."""
    yield from head("NF (the paper's)", *(f"{size} bytes: kpps; Mb/s" for size in SIZES), "grows in Mb/s")
    for kind, theirs in TYPES.items():
        with tempfile.TemporaryDirectory(prefix="sextant-bench-") as name, measured(Path(name), (kind, kind)) as made:
            found = {size: _of_size(made.ends, size, pace) for size in SIZES}
        cells = [f"{spread(kpps)}; {_mbps(kpps, size):.0f}" for size, kpps in found.items()]
        rates = [_mbps(kpps, size) for size, kpps in found.items()]
        yield line(f"{kind} ({theirs})", *cells, "yes" if rates == sorted(rates) else "**no**")


def _of_size(both: Ends, size: int, pace: Pace) -> list[float]:
    both.set_bytes(size)
    return [greatest(both, pace) for _ in range(pace.repeats)]


def _mbps(kpps: Sequence[float], size: int) -> float:
    return median(kpps) * size * 8 / 1e3
