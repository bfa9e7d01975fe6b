"""The whole chain with NFs of the testbed's types, a process each on the sockets that the daemon passes."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from measured import measured
from pace import Pace, judged
from page import head, line
from ways import KPPS_GOAL, greatest, spread

NFS = (("simple-forward", "simple-forward"), ("router", "firewall"))


def chain(pace: Pace) -> Iterator[str]:
    """On all cores that there are."""
    cores = len(os.sched_getaffinity(0))
    yield from head(
        "NFs", "kpps at 0 loss", f"a core, of {cores}", f"goal {KPPS_GOAL:g} a core", "CPU time a packet, us"
    )
    for kinds in NFS:
        with tempfile.TemporaryDirectory(prefix="sextant-bench-") as name, measured(Path(name), kinds) as made:
            found, cpu = [], []
            for _ in range(pace.repeats):
                before = made.nf_ns()
                sent = made.ends.send(10, pace.seconds)
                cpu.append((sent.cpu_ns + made.nf_ns() - before) / 1e3 / max(sent.sent, 1))
                found.append(greatest(made.ends, pace))
        each = [kpps / cores for kpps in found]
        yield line(", ".join(kinds), spread(found), spread(each), judged(median(each) >= KPPS_GOAL), spread(cpu))
