"""SRv6-INT's reroute: by which of its links each chain goes on to another host. Pure.

The paper's global loop reroutes where NFs are well and a link is not (its text; Algorithm 4 has no line of it). A host
knows first, so its agent decides here among the links that its file names, in the order in which they stand there:

- A link that is cut is left at once. Of the others the first that can be relied upon is taken, else the first that is
  up at all; where none is, a way stays, and is cut.
- A link that has come up can be relied upon once it has been up for `return_after_ns`. One that goes again before ten
  times that is believed only after twice as long the next time, 64 times at most: no chain follows a link that flaps.
- A link at which more than `slow_packets` wait, at every look of `slow_after_ns`, is left for one at which nothing has
  waited for as long: one chain, and then none for twice as long, since packets take their time to show what came of it.
  It is gone back to as after a cut, doubled in the same way.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

SOON = 10
"""A link that goes again, or a chain that leaves again, within so many times what was waited for did so too early."""
MOST_DOUBLED = 64


@dataclass(frozen=True, slots=True)
class RerouteSettings:
    """A host's own."""

    return_after_ns: int
    slow_packets: int | None = None
    """None: no link is left because it is slow."""
    slow_after_ns: int = 1_000_000_000


@dataclass(frozen=True, slots=True)
class LinkSeen:
    """A port to other hosts."""

    up: bool
    queue: int | None = None
    """Packets that wait to go out; None: nobody knows."""


_GONE = LinkSeen(up=False)


@dataclass(frozen=True, slots=True)
class WaySeen:
    """By which port packets of a chain go on to a segment of another host."""

    ports: tuple[str, ...]
    """Those that lead there, the preferred one first."""
    port: str | None
    """As the kernel has it; None: by one that is gone."""


@dataclass(frozen=True, slots=True)
class RerouteObservation:
    """All of a host, at one moment."""

    now_ns: int
    """Monotonic."""
    links: Mapping[str, LinkSeen]
    """Ports that are not there are left out."""
    ways: Mapping[str, WaySeen]
    """By a name of the way that it keeps."""


@dataclass(frozen=True, slots=True)
class LinkMemory:
    """Of a port, from one look to the next."""

    up: bool
    relied_ns: int
    """From then on it can be relied upon, as long as it is up."""
    doubled: int = 1
    full_since_ns: int | None = None
    """Since when too many wait, at every look."""
    empty_since_ns: int | None = None
    """Since when none waits."""


@dataclass(frozen=True, slots=True)
class WayMemory:
    """Of a way that left a link because it was slow."""

    left: str
    back_ns: int
    """It does not go back before."""
    doubled: int = 1


@dataclass(frozen=True, slots=True)
class RerouteState:
    """Of a host."""

    links: Mapping[str, LinkMemory] = field(default_factory=dict[str, LinkMemory])
    ways: Mapping[str, WayMemory] = field(default_factory=dict[str, WayMemory])
    rests_until_ns: int = 0
    """No chain leaves a slow link before."""


class RerouteKind(StrEnum):
    """Why a chain takes another link."""

    CUT = "cut"
    """The one it took is."""
    RETURNED = "returned"
    """To one that it is to prefer."""
    SLOW = "slow"
    """Too many waited at the one it took."""


@dataclass(frozen=True, slots=True)
class Reroute:
    """To be set."""

    way: str
    kind: RerouteKind
    before: str | None
    after: str
    cause: str
    """For a person."""


def step(
    state: RerouteState, seen: RerouteObservation, settings: RerouteSettings
) -> tuple[RerouteState, tuple[Reroute, ...]]:
    """What is remembered from now on, and what to set."""
    first = not state.links
    used = {way.port for way in seen.ways.values()}
    links = {
        port: _remembered(
            state.links.get(port), seen.links.get(port, _GONE), seen.now_ns, settings, trusted=first and port in used
        )
        for port in sorted({*seen.links, *state.links})
    }
    state = replace(state, links=links, ways={way: one for way, one in state.ways.items() if way in seen.ways})
    moves = []
    for name, way in sorted(seen.ways.items()):
        if (move := _by_carrier(state, name, way, seen.now_ns)) is not None:
            moves.append(move)
    if not moves and seen.now_ns >= state.rests_until_ns:
        for name, way in sorted(seen.ways.items()):
            if (move := _by_queue(state, name, way, seen, settings)) is not None:
                return _having_left(state, move, seen.now_ns, settings), (move,)
    return state, tuple(moves)


def _remembered(
    before: LinkMemory | None, link: LinkSeen, now_ns: int, settings: RerouteSettings, *, trusted: bool
) -> LinkMemory:
    """`trusted`: at the first look, a link that chains take already."""
    hold_ns = settings.return_after_ns
    if before is None:
        memory = LinkMemory(link.up, now_ns - SOON * hold_ns if trusted else now_ns + hold_ns)
    elif before.up and not link.up:
        early = now_ns < before.relied_ns + (SOON - 1) * hold_ns * before.doubled
        memory = replace(before, up=False, doubled=min(MOST_DOUBLED, 2 * before.doubled) if early else 1)
    elif link.up and not before.up:
        memory = replace(before, up=True, relied_ns=now_ns + hold_ns * before.doubled)
    else:
        memory = before
    full = settings.slow_packets is not None and link.queue is not None and link.queue > settings.slow_packets
    empty = link.queue == 0
    return replace(
        memory,
        full_since_ns=(memory.full_since_ns if memory.full_since_ns is not None else now_ns) if full else None,
        empty_since_ns=(memory.empty_since_ns if memory.empty_since_ns is not None else now_ns) if empty else None,
    )


def _by_carrier(state: RerouteState, name: str, way: WaySeen, now_ns: int) -> Reroute | None:
    up = [port for port in way.ports if port in state.links and state.links[port].up]
    relied = [port for port in up if state.links[port].relied_ns <= now_ns]
    if way.port is None or way.port not in up:
        after = next(iter(relied or up), None)
        if after is None or after == way.port:
            return None
        known = way.port is not None and way.port in way.ports
        cause = f"{way.port} has no carrier" if known else "the link it took is not one of srv6.toml's that lead there"
        return Reroute(name, RerouteKind.CUT, way.port, after, cause)
    left = state.ways.get(name)
    for port in way.ports[: way.ports.index(way.port)]:
        waits = left is not None and left.left == port and now_ns < left.back_ns
        if port in relied and not waits and state.links[port].full_since_ns is None:
            return Reroute(name, RerouteKind.RETURNED, way.port, port, f"{port} has been well for long enough")
    return None


def _by_queue(
    state: RerouteState, name: str, way: WaySeen, seen: RerouteObservation, settings: RerouteSettings
) -> Reroute | None:
    memory = state.links.get(way.port or "")
    now_ns, after_ns = seen.now_ns, settings.slow_after_ns
    if way.port is None or memory is None or not _for_long(memory.full_since_ns, now_ns, after_ns):
        return None
    for port in way.ports:
        other = state.links.get(port)
        if port == way.port or other is None or not other.up or other.relied_ns > now_ns:
            continue
        if _for_long(other.empty_since_ns, now_ns, after_ns):
            cause = f"{seen.links[way.port].queue} packets wait at {way.port}, none at {port}"
            return Reroute(name, RerouteKind.SLOW, way.port, port, cause)
    return None


def _for_long(since_ns: int | None, now_ns: int, after_ns: int) -> bool:
    return since_ns is not None and now_ns - since_ns >= after_ns


def _having_left(state: RerouteState, move: Reroute, now_ns: int, settings: RerouteSettings) -> RerouteState:
    """It is not gone back to at once, and nobody else leaves it before it shows what that was good for."""
    before = state.ways.get(move.way)
    hold_ns, doubled = settings.return_after_ns, 1
    if before is not None and now_ns < before.back_ns + (SOON - 1) * hold_ns * before.doubled:
        doubled = min(MOST_DOUBLED, 2 * before.doubled)
    left = WayMemory(move.before or "", now_ns + hold_ns * doubled, doubled)
    links = dict(state.links)
    for port in (move.before or "", move.after):  # what is seen of them from now on is another chain's
        links[port] = replace(links[port], full_since_ns=None, empty_since_ns=None)
    return RerouteState(links, {**state.ways, move.way: left}, now_ns + 2 * settings.slow_after_ns)
