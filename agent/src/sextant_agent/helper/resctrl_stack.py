"""Of one cache: from what groups hold, and what some of them ask for, to what each shall hold. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_

from sextant_agent.helper.refusal import HelperRefusal
from sextant_agent.helper.schemata import LlcAllocation, Schemata
from sextant_agent.machine.ways import TooFewWays, WayPool, is_contiguous, own_masks, shared_mask

Requests = Mapping[str, tuple[int, int | None]]
"""By owner: a cache, and how many of its ways it asks for; None: it shares all others' there."""


@dataclass(frozen=True, slots=True)
class ResctrlGroupsRead:
    """All there are, as read."""

    default: Schemata
    own: Mapping[str, Schemata]
    """By NF id, or name of a chain."""
    others: Mapping[str, Schemata]
    """By name: of other programs and installations."""

    def held(self, cache: int) -> dict[str, int]:
        """Masks of owners with ways of their own: those that the default group has none of."""
        shared = self.default.llc[cache]
        return {owner: mask for owner, one in self.own.items() if (mask := one.llc.get(cache, 0)) and not mask & shared}

    def ways_of(self, owner: str) -> dict[int, int]:
        """Masks of an owner's own ways, by cache."""
        return {cache: held[owner] for cache in self.default.llc if owner in (held := self.held(cache))}


@dataclass(frozen=True, slots=True)
class Stack:
    """What a cache's ways shall be."""

    cache: int
    own: Mapping[str, int]
    """By owner; all others have `after`."""
    during: int
    """Of the default group while others change: all that changes hands, and what it has before and after."""
    after: int
    """Of the default group."""


def stack_of(
    cache: int,
    groups: ResctrlGroupsRead,
    llc: LlcAllocation,
    requests: Requests,
    without: frozenset[str],
) -> Stack | None:
    """`without`: owners that go. None where ways lie so that nothing can be done, and nobody asks for any. Raises
    HelperRefusal where somebody does."""
    held = groups.held(cache)
    asked = {owner: mask.bit_count() for owner, mask in held.items() if owner not in without and owner not in requests}
    askers = {owner: ways for owner, (of, ways) in requests.items() if of == cache and ways is not None}
    asked |= askers
    shared = groups.default.llc[cache]
    ways = reduce(or_, held.values(), shared)
    if not is_contiguous(ways):
        if not askers:
            return None
        why = f"what can be handed out of cache {cache}, {ways:x}, is not contiguous: somebody changed resctrl's groups"
        raise HelperRefusal("no-room", "llc_ways", f"{why}; give the default group back what lies between")
    pool = WayPool(f"cache {cache}", ways, llc.nic & ways, llc.least)
    try:
        own = own_masks(asked, held, pool)
    except TooFewWays as error:
        raise HelperRefusal("no-room", "llc_ways", str(error)) from error
    for asker in askers:
        _check_others(cache, own[asker], groups.others)
    after = shared_mask(own, pool)
    changed = [mask for owner in held.keys() | own.keys() for mask in _moved(held.get(owner), own.get(owner))]
    return Stack(cache, own, _span([shared, after, *changed]), after)


def former_stacks(before: ResctrlGroupsRead, now: ResctrlGroupsRead) -> list[Stack]:
    """Of every cache, back to what it was; what changes hands meanwhile is the default group's, too."""
    stacks = []
    for cache, shared in sorted(before.default.llc.items()):
        then, held = before.held(cache), now.held(cache)
        changed = [mask for owner in then.keys() | held.keys() for mask in _moved(held.get(owner), then.get(owner))]
        stacks.append(Stack(cache, then, _span([shared, now.default.llc.get(cache, shared), *changed]), shared))
    return stacks


def _moved(old: int | None, new: int | None) -> list[int]:
    return [] if old == new else [mask for mask in (old, new) if mask is not None]


def _span(masks: list[int]) -> int:
    """All ways from the lowest of any to the highest."""
    lowest = min((mask & -mask).bit_length() - 1 for mask in masks)
    return (1 << max(mask.bit_length() for mask in masks)) - (1 << lowest)


def _check_others(cache: int, mask: int, others: Mapping[str, Schemata]) -> None:
    for name, found in sorted(others.items()):
        common = found.llc.get(cache, 0) & mask
        if common:
            raise HelperRefusal(
                "no-room", "llc_ways",
                f"group {name[:80]}, which is not this host's agent's, may fill ways {common:x} of cache {cache}, so"
                " they would be no NF's own: take them from its schemata, or from the default group's",
            )  # fmt: skip
