"""Which NF limits a chain, by what is measured of its NFs alone.

The console's pages decide by the same rule (`frontend/src/fleet/limit.ts`); both are held to the cases of
`domain/tests/limits.json`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

LOST_PERCENT = 0.1
"""Of the packets that reach an NF: less lost is a burst, not a limit."""
FULL_PERCENT = 90.0
"""A ring that is so full has no room for the next burst."""


class LimitSign(StrEnum):
    """Why an NF is taken for the bottleneck."""

    DROPS = "drops"
    """It loses packets that reach it."""
    RING = "ring"
    """Packets stand before it up to the end of its ring."""


@dataclass(frozen=True, slots=True)
class NfLoad:
    """What is measured of one NF."""

    nf_id: str
    rx_mpps: float
    drop_mpps: float
    ring_used_percent: float | None
    """None where nothing reports how full its ring is."""

    @property
    def lost_percent(self) -> float:
        """Of the packets that reach it."""
        reach = self.rx_mpps + self.drop_mpps
        return 100 * self.drop_mpps / reach if reach > 0 else 0.0


def limiting(nfs: Sequence[NfLoad]) -> tuple[str, LimitSign] | None:
    """The NF that does not keep up with what reaches it, and by which sign; None where nothing speaks against one.

    `nfs`: in the order of the chain. Where an NF is held up, those before it fill too: the last full ring is before
    the cause.
    """
    losing = [nf for nf in nfs if nf.lost_percent >= LOST_PERCENT]
    if losing:
        return max(losing, key=lambda nf: nf.drop_mpps).nf_id, LimitSign.DROPS
    full = [nf for nf in nfs if nf.ring_used_percent is not None and nf.ring_used_percent >= FULL_PERCENT]
    return (full[-1].nf_id, LimitSign.RING) if full else None
