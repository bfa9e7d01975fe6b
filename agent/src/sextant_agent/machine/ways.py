"""From numbers of cache ways to masks: each NF, or chain, that asks has its own, all others share what is left. Pure.

Own ways are stacked without holes, in the order in which they were given, from the end that no NIC writes into. So one
that is added changes no other's mask, one that goes or asks for another number moves only those stacked upon it, and
what is shared is always contiguous, as CAT wants every mask to be. The root helper has this law, too: nothing but the
standard library here.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WayPool:
    """The ways of one cache that can be handed out. Masks have bit 0 for the lowest way."""

    name: str
    """'node 0', 'cache 1': for a person."""
    mask: int
    """Contiguous, not empty."""
    nic: int = 0
    """Those that the NIC writes into by itself (DDIO): given last."""
    least: int = 1
    """Ways that a mask has at least: an NF's, and what is shared."""

    @property
    def from_top(self) -> bool:
        """Whether the stack begins with the highest way: only where the NIC's are the lowest, and the highest not."""
        highest = 1 << self.mask.bit_length() - 1
        return bool(self.nic & self.mask & -self.mask) and not self.nic & highest


class TooFewWays(Exception):
    """More is asked for than there is: of which NF or chain first, and why."""

    def __init__(self, owner: str, message: str) -> None:
        super().__init__(message)
        self.owner = owner


def own_masks(asked: Mapping[str, int], held: Mapping[str, int], pool: WayPool) -> dict[str, int]:
    """A mask for each NF or chain of `asked` (its ways). `held`: the masks that they have now. Raises TooFewWays."""
    size, used = pool.mask.bit_count(), 0
    masks: dict[str, int] = {}
    for nf_id in sorted(asked, key=lambda nf_id: (_depth(held.get(nf_id), asked[nf_id], pool), nf_id)):
        ways = asked[nf_id]
        if ways < pool.least:
            raise TooFewWays(nf_id, f"{ways} LLC ways are asked for, but a mask has {pool.least} at least here")
        if ways > size - used - pool.least:
            raise TooFewWays(
                nf_id,
                f"{ways} LLC ways are asked for, but of {size} on {pool.name} {used} are given and {pool.least} at "
                f"least stay for all others: ask for at most {max(0, size - used - pool.least)}",
            )
        masks[nf_id] = _slice(pool, used, ways)
        used += ways
    return masks


def shared_mask(masks: Mapping[str, int], pool: WayPool) -> int:
    """What all others share."""
    shared = pool.mask
    for mask in masks.values():
        shared &= ~mask
    return shared


def is_contiguous(mask: int) -> bool:
    """One run of ways, and not none."""
    return mask > 0 and mask & mask + (mask & -mask) == 0


def _depth(held: int | None, ways: int, pool: WayPool) -> int:
    """Its place in the stack; whoever is new, or has another number, comes upon all that stay as they are."""
    if held is None or held.bit_count() != ways:
        return pool.mask.bit_length()
    return pool.mask.bit_length() - held.bit_length() if pool.from_top else (held & -held).bit_length() - 1


def _slice(pool: WayPool, used: int, ways: int) -> int:
    lowest = (pool.mask & -pool.mask).bit_length() - 1
    start = pool.mask.bit_length() - used - ways if pool.from_top else lowest + used
    return (1 << ways) - 1 << start
