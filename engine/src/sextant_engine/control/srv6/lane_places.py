"""To which hosts further lanes go: to 'the server(s) with the most available IT resources' (SRv6-INT, Sec. IV-D)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sextant_engine.control.srv6.chains import HostRoom

_ROUNDING = 1e-9
_NAMED = 3
"""Of hosts that take no lane so many are named."""


def lane_places(
    lanes: Sequence[str], nfs: int, need: float, rooms: Mapping[str, HostRoom], closed: Mapping[str, str]
) -> dict[str, str] | str:
    """The host of each, one after the other, as if those before were there already; or why they have no room. `nfs`,
    `need`: of a lane, its NFs and how many cores' worth of time they use."""
    left = dict(rooms)
    found: dict[str, str] = {}
    for lane in lanes:
        fitting = [name for name, room in left.items() if room.slots >= nfs and room.free >= need - _ROUNDING]
        if not fitting:
            return _why_none(need, rooms, closed)
        host = min(fitting, key=lambda name: (-left[name].free, name))
        found[lane] = host
        left[host] = replace(left[host], free=left[host].free - need, slots=left[host].slots - nfs)
    return found


def _why_none(need: float, full: Mapping[str, HostRoom], closed: Mapping[str, str]) -> str:
    hosts = "1 host has" if len(full) == 1 else f"{len(full)} hosts have"
    crowded = [f"{hosts} less than {need:.2g} cores left, or no seat"] if full else []
    unknown = [name for name, room in sorted(full.items()) if room.all_counts]
    if unknown:
        crowded.append(f"what is other work on {', '.join(unknown[:_NAMED])} is not known, so none of it gives way")
    told = [f"{name}: {why}" for name, why in sorted(closed.items())]
    more = [] if len(told) <= _NAMED else [f"and {len(told) - _NAMED} more take none"]
    return f"no host takes another lane ({'; '.join([*crowded, *told[:_NAMED], *more]) or 'there is none'})"
