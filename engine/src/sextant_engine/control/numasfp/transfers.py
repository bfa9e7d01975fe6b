"""Who gave up which LLC ways to whom, and why."""

from collections.abc import Mapping
from datetime import datetime

from sextant_domain.hosts.telemetry import WayTransfer

from sextant_engine.control.numasfp.shares import Share

MOST_REASON = 300


def transfers_of(
    before: Mapping[str, Share],
    after: Mapping[str, Share],
    gets: Mapping[str, str],
    gives: Mapping[str, str],
    at: datetime,
) -> tuple[WayTransfer, ...]:
    """Of the chains of one node. Who gets ways gets those that others gave first, then those that nobody had.
    `gets`, `gives`: by chain, why."""
    rises = {chain: after[chain].ways - before[chain].ways for chain in sorted(before)}
    givers = [(chain, -rise) for chain, rise in rises.items() if rise < 0]
    found: list[WayTransfer] = []
    for taker, missing in ((chain, rise) for chain, rise in rises.items() if rise > 0):
        wanted = missing
        while wanted and givers:
            giver, there = givers.pop(0)
            ways = min(wanted, there)
            found.append(_transfer(at, giver, taker, ways, f"{gets[taker]}; {gives[giver]}"))
            wanted -= ways
            if there > ways:
                givers.insert(0, (giver, there - ways))
        if wanted:
            found.append(_transfer(at, None, taker, wanted, gets[taker]))
    found += [_transfer(at, giver, None, ways, gives[giver]) for giver, ways in givers]
    return tuple(found)


def _transfer(at: datetime, giver: str | None, taker: str | None, ways: int, reason: str) -> WayTransfer:
    return WayTransfer(at=at, from_chain=giver, to_chain=taker, ways=ways, reason=reason[:MOST_REASON])
