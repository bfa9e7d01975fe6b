"""Lanes on other hosts, where CoCo's law finds no room on the host of their chain.

CoCo's VMs stand on one machine, and chains do not span hosts here. So nothing is searched over hosts but which of them
takes a lane: on each the seats by which it delays the fewest bytes, exactly, by that host's own t_d; of the hosts that
one where these are fewest, and of those that are equal the fullest that has room, as the paper takes the core with the
least residual that suffices (Sec. III-C).
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sextant_domain.plans.compact import HopDelays

from sextant_engine.control.coco.scheduler import Curve
from sextant_engine.control.coco.state import Elsewhere, LaneAsked
from sextant_engine.laws.coco.solve import answer
from sextant_engine.stop import Stop

_LEAST = 1e-9
"""Share of an element without packets: the core wants more than 0."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class OtherCore:
    """A core that may hold elements."""

    node: int
    room: float
    """Share of it that is left."""
    slots: int


@dataclass(frozen=True, slots=True)
class OtherHost:
    """A host that may take a lane."""

    name: str
    cores: Mapping[int, OtherCore]
    delays: HopDelays = field(default_factory=HopDelays)
    curves: Mapping[str, Curve] = field(default_factory=dict[str, Curve])
    """By element of the chain, where f of its type was measured on this host's model. What others need is taken to be
    what they need at home."""
    stands: Mapping[str, int] = field(default_factory=dict[str, int])
    """By element of the chain that is tied: the core on which what it is tied with stands here."""

    @property
    def open_cores(self) -> dict[int, OtherCore]:
        """Those that an element can still come to."""
        return {number: core for number, core in self.cores.items() if core.slots > 0 and core.room > _ROUNDING}

    @property
    def room(self) -> float:
        """Of all of them."""
        return sum(core.room for core in self.open_cores.values())


@dataclass(frozen=True, slots=True)
class _Found:
    cost: float
    host: OtherHost
    seats: Mapping[str, int]
    needs: Mapping[str, float]

    @property
    def rank(self) -> tuple[float, float, str]:
        return round(self.cost, 9), self.host.room, self.host.name


@dataclass(frozen=True, slots=True)
class CheapestHosts:
    """An `OtherHosts`."""

    hosts: Sequence[OtherHost]
    why_none: str
    """Said where none of them has room."""
    stop: Stop | None = None
    """Of each search."""

    def __call__(self, lanes: Sequence[LaneAsked]) -> Elsewhere | str:
        """Lane by lane; each finds what those before have left."""
        left = {host.name: host for host in self.hosts}
        hosts: dict[str, str] = {}
        seats: dict[str, int] = {}
        needs: dict[str, float] = {}
        for lane in lanes:
            found = self._cheapest(lane, list(left.values()))
            if found is None:
                return self.why_none
            hosts[lane.name] = found.host.name
            seats |= found.seats
            needs |= found.needs
            left[found.host.name] = _without(found)
        return Elsewhere(hosts, seats, needs)

    def _cheapest(self, lane: LaneAsked, hosts: Sequence[OtherHost]) -> _Found | None:
        """The fullest are asked first, and nobody any more once none can be cheaper."""
        bounded = [(host.room, host.name, _least(lane, host), host) for host in hosts]
        best: _Found | None = None
        for _, _, least, host in sorted(bounded, key=lambda one: one[:2]):
            if best is not None and least >= best.cost - _ROUNDING:
                continue
            found = self._on(lane, host)
            if found is not None and (best is None or found.rank < best.rank):
                best = found
        return best

    def _on(self, lane: LaneAsked, host: OtherHost) -> _Found | None:
        needs = needs_on(lane, host)
        stands = {name: host.stands[like] for name, like in zip(needs, lane.like, strict=True) if like in host.stands}
        if sum(needs.values()) > host.room + _ROUNDING or not host.open_cores.keys() >= set(stands.values()):
            return None
        found = json.loads(answer("place", json.dumps(_asked(lane, host, needs, stands)), self.stop))
        if "refused" in found:
            return None
        seats = {name: int(core) for name, core in found["placement"].items()}
        return _Found(found["delayed_bytes"], host, seats, needs)


def needs_on(lane: LaneAsked, host: OtherHost) -> dict[str, float]:
    """By element of the lane: the share of a core that it would need on that host."""
    curves = {name: host.curves.get(like) for name, like in zip(lane.needs, lane.like, strict=True)}
    return {
        name: share if (curve := curves[name]) is None else curve.share(lane.rate_mpps)
        for name, share in lane.needs.items()
    }


def _least(lane: LaneAsked, host: OtherHost) -> float:
    """No seats on this host delay fewer bytes: cores give at most all of their time, and each further one is a hop."""
    roomiest = max((core.room for core in host.open_cores.values()), default=0.0)
    if roomiest <= 0:
        return math.inf
    cores = math.ceil(sum(needs_on(lane, host).values()) / roomiest - _ROUNDING)
    return lane.rate_mpps * min(host.delays.same_node, host.delays.other_node) * max(0, cores - 1)


def _asked(
    lane: LaneAsked, host: OtherHost, needs: Mapping[str, float], stands: Mapping[str, int]
) -> dict[str, object]:
    pinned = {"homes": stands, "nfs_at_home": dict.fromkeys(stands, 0), "stays": sorted(stands), "price": 0.0}
    return {
        "chains": [{"elements": list(needs), "rate": lane.rate_mpps}],
        "cpu": {name: max(share, _LEAST) for name, share in needs.items()},
        "cores": [
            {"id": number, "node": core.node, "slots": core.slots, "room": min(1.0, max(0.0, core.room))}
            for number, core in sorted(host.open_cores.items())
        ],
        "t_d": host.delays.model_dump(exclude={"measured"}),
        **(pinned if stands else {}),
    }


def _without(found: _Found) -> OtherHost:
    """What is left of a host once the lane stands there."""
    cores = dict(found.host.cores)
    for name, number in found.seats.items():
        core = cores[number]
        cores[number] = replace(core, room=core.room - found.needs[name], slots=core.slots - 1)
    return replace(found.host, cores=cores)
