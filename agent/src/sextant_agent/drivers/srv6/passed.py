"""Packets of parts of chains that pass other hosts, too: what came to the first NF here, and what the last one gave
back. Neither the source nor the sink is here to count them."""

from collections.abc import Sequence
from dataclasses import dataclass

from sextant_agent.drivers.srv6.measured import Measured
from sextant_agent.drivers.srv6.record import ChainEntry


@dataclass(frozen=True, slots=True)
class Passed:
    """Cumulative."""

    came: int
    went: int
    counted_ns: int


class PassedPackets:
    """Of one host, as the daemon said last. While it is silent, or is not asked, they stay as they were."""

    def __init__(self) -> None:
        self._of: dict[int, Passed] = {}
        """By instance of a chain."""

    def of(self, entry: ChainEntry) -> Passed | None:
        """None where nothing was counted yet."""
        return self._of.get(entry.instance)

    def count(self, entries: Sequence[ChainEntry], measured: Measured | None, taken_ns: int) -> None:
        """`measured`: None while the daemon is silent, or is not asked."""
        if measured is None:
            return
        self._of = {entry.instance: self._of[entry.instance] for entry in entries if entry.instance in self._of}
        for entry in entries:
            ends = [measured.nfs.get(nf.nf_id) for nf in (entry.nfs[0], entry.nfs[-1])]
            if not (entry.path.enters and entry.path.leaves) and ends[0] is not None and ends[1] is not None:
                self._of[entry.instance] = Passed(ends[0].given, ends[1].returned, taken_ns)
