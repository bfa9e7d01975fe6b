"""Where an element needs more than its core can give and nobody can go aside: another lane of its chain.

CoCo (Sec. III-C) puts a replica on the core with the least residual that suffices, else on an empty one. Ours is a
lane, so each element of the chain gets such a core, the one that needs most first, reserved for all of them together.
All lanes then carry even parts, of as few lanes as make the overloaded core and every element fit. Where the host has
no room for them, other hosts are asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sextant_domain.chains.lane import MAX_LANES, lane_name

from sextant_engine.control.coco.loads import core_loads
from sextant_engine.control.coco.push_aside import core_of
from sextant_engine.control.coco.scheduler import Curve
from sextant_engine.control.coco.state import (
    LaneAsked,
    LanesOfChain,
    NewLanes,
    OtherHosts,
    SharedCores,
    no_other_hosts,
)

_ROUNDING = 1e-9
ALL_HERE: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class LaneQuestion:
    """What is asked once pushing aside does not help, or where there is room."""

    host: SharedCores
    need: Mapping[str, float]
    """By element: what it needs for all that its chain is offered."""
    others: Mapping[int, float]
    rates_mpps: Mapping[str, float]
    """By chain: what it is offered."""
    full: float
    curves: Mapping[str, Curve] = field(default_factory=dict[str, Curve])
    """f of elements, where it was measured; of others the line through the origin."""


def more_lanes(question: LaneQuestion, element: str, others: OtherHosts = no_other_hosts) -> NewLanes | str:
    """As few lanes as help where this element is overloaded, or why none do. `others`: asked where this host has no
    room for as many as would help, in whatever number."""
    host = question.host
    chain = next(name for name, elements in host.chains.items() if element in elements)
    lanes = host.lanes.get(chain, LanesOfChain(chain, (chain,), (1,)))
    why_not = host.no_lanes or why_not_changed(host, lanes)
    if why_not is not None:
        return why_not
    divided = [
        found
        for count in range(len(lanes.weights) + 1, MAX_LANES + 1)
        if (found := _divided(question, chain, lanes, count, core_of(host, element))) is not None
    ]
    crowded = _tied(host, element)
    for one in divided if crowded is None else ():
        seats = _seated(question, one)
        if seats is not None:
            return one.lanes(seats, one.new)
    crowded = crowded or f"no cores of this host have room for further lanes of {lanes.of}"
    if not divided:
        return f"{crowded}, and with {MAX_LANES} of them it would still need more than there is"
    why_none = ""
    for one in divided:
        elsewhere = others(one.asked)
        if not isinstance(elsewhere, str):
            return one.lanes(elsewhere.seats, elsewhere.needs, elsewhere.hosts)
        why_none = why_none or elsewhere
    return f"{crowded}; {why_none}"


def _tied(host: SharedCores, element: str) -> str | None:
    if element not in host.ties:
        return None
    return f"all lanes of {element} would stand on its core here, as it is tied by {host.ties[element]}"


def why_not_changed(host: SharedCores, lanes: LanesOfChain) -> str | None:
    """Why lanes of a chain are not changed by the law; None where they may be."""
    if any(name in host.over_hosts for name in lanes.chains):
        return f"{lanes.of} passes several hosts: change its lanes by hand"
    if len(lanes.chains) != len(lanes.weights):
        return f"lanes of {lanes.of} stand on other hosts as well: change them by hand"
    kept = [name for name in lanes.chains if any(nf in host.stays for nf in host.chains[name])]
    return f"the policy of {kept[0]} is manual" if kept else None


@dataclass(frozen=True, slots=True)
class _Divided:
    """A chain in so many even lanes."""

    chain: str
    count: int
    loads: Mapping[int, float]
    """By core, once the lanes that there are carry their part."""
    new: Mapping[str, float]
    """By element of a new lane, lane by lane in the order in which packets pass: what it needs."""
    tied: Mapping[str, int]
    """By such an element that is tied: the core of its element on this host."""
    freed: float
    like: tuple[str, ...]
    rate_mpps: float

    def lanes(
        self, seats: Mapping[str, int], needs: Mapping[str, float], hosts: Mapping[str, str] = ALL_HERE
    ) -> NewLanes:
        """On these cores."""
        return NewLanes(self.chain, (1,) * self.count, seats, needs, self.freed, hosts)

    @property
    def asked(self) -> list[LaneAsked]:
        """Of other hosts."""
        of_lane: dict[str, dict[str, float]] = {}
        for name, share in self.new.items():
            of_lane.setdefault(name.split(".", 1)[0], {})[name] = share
        return [LaneAsked(name, needs, self.like, self.rate_mpps) for name, needs in of_lane.items()]


def _divided(question: LaneQuestion, chain: str, lanes: LanesOfChain, count: int, core: int) -> _Divided | None:
    """None where some element, or the overloaded `core`, would still need more than there is."""
    host = question.host
    part = sum(lanes.weights) / (lanes.weights[lanes.chains.index(chain)] * count)
    even = [need_of_part(question, name, question.rates_mpps[chain], part) for name in host.chains[chain]]
    if max(even) > question.full + _ROUNDING:
        return None
    need = dict(question.need)
    for name in lanes.chains:
        need |= zip(host.chains[name], even, strict=True)
    before, after = core_loads(question.need, question.others, host), core_loads(need, question.others, host)
    if after[core] > question.full + _ROUNDING:
        return None
    numbers = range(len(lanes.weights) + 1, count + 1)
    named = [
        (f"{lane_name(lanes.of, number)}.{name.split('.', 1)[-1]}", name, share)
        for number in numbers
        for name, share in zip(host.chains[chain], even, strict=True)
    ]
    return _Divided(
        chain=lanes.of,
        count=count,
        loads=after,
        new={new: share for new, _, share in named},
        tied={new: core_of(host, name) for new, name, _ in named if name in host.ties},
        freed=before[core] - after[core],
        like=host.chains[chain],
        rate_mpps=question.rates_mpps[chain] * part,
    )


def need_of_part(question: LaneQuestion, name: str, rate: float, part: float) -> float:
    """What an element needs of so many times the rate."""
    need, curve = question.need[name], question.curves.get(name)
    return need * part if curve is None or rate <= 0 else need * curve.share(rate * part) / curve.share(rate)


def _seated(question: LaneQuestion, divided: _Divided) -> dict[str, int] | None:
    """The core of each, greedily; first those that are tied, on the core of their element. None where a lane has no
    room on this host."""
    host, loads, new, tied = question.host, divided.loads, divided.new, divided.tied
    room = {core: question.full - loads.get(core, question.others.get(core, 0.0)) for core in host.cores}
    used = {core for core, elements in host.cores.items() if elements}
    slots = {core: host.free_slots.get(core, 0) for core in host.cores}
    seats: dict[str, int] = {}
    for name, share in sorted(new.items(), key=lambda one: (one[0] not in tied, -one[1], one[0])):
        open_to_it = (tied[name],) if name in tied else tuple(room)
        fitting = [core for core in open_to_it if slots[core] > 0 and room[core] >= share - _ROUNDING]
        if not fitting:
            return None
        core = min(fitting, key=lambda one: (one not in used, room[one], one))
        seats[name] = core
        used.add(core)
        room[core] -= share
        slots[core] -= 1
    return seats
