"""Packets lost and out of order while a chain is led by the other of two links again and again."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from measured import Measured, measured
from pace import Pace, judged
from page import head, line
from ways import spread

KPPS = 10
EVERY_S = 0.005
"""From one to the next: some 50 packets."""
LINKS = ("core1", "core0")


def reroutes(pace: Pace) -> Iterator[str]:
    """One row."""
    yield from head("reroutes", "packets", "lost (goal 0)", "out of order", "ms an action", "a second", "")
    with tempfile.TemporaryDirectory(prefix="sextant-bench-") as name, measured(Path(name)) as chain:
        with chain.ends.sending(KPPS) as found:
            took = list(_acted(chain, pace))
        sent = found[0]
    took_ms = [1e3 * each for each in took]
    span = sum(max(each, EVERY_S) for each in took)
    yield line(
        f"{len(took):,}", f"{sent.offered:,}", str(sent.lost), str(sent.misordered), spread(took_ms, 2),
        f"{len(took) / span:.0f}", judged(sent.lost == 0),
    )  # fmt: skip


def _acted(chain: Measured, pace: Pace) -> Iterator[float]:
    """How long each took, in seconds."""
    end = time.monotonic() + pace.within_s
    for number in range(pace.actions):
        began = time.monotonic()
        if began > end:
            return
        chain.lead(LINKS[number % 2])
        took = time.monotonic() - began
        time.sleep(max(0.0, EVERY_S - took))
        yield took
