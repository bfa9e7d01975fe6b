"""Other hosts of the fleet, as CoCo's law asks for them where a host has no room for another lane."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sextant_domain.chains.lane import LANES
from sextant_domain.laws.coco import CocoParameters
from sextant_domain.plans.compact import HopDelays
from sextant_engine.control.coco.loads import core_loads, needs
from sextant_engine.control.coco.observed import unbelievable
from sextant_engine.control.coco.scheduler import Curve, Line
from sextant_engine.control.coco.state import Elsewhere, LaneAsked

from sextant_backend.laws.coco.members import HostMembers
from sextant_backend.laws.coco.observe import FleetReader, Reading, lines_of, observation
from sextant_backend.laws.frame import HostInput
from sextant_backend.laws.host_reading import HostRead
from sextant_backend.laws.paced.law import SEARCH_S
from sextant_backend.modules.shares.in_use import PromotedLine

if TYPE_CHECKING:
    from sextant_engine.laws.coco.other_hosts import OtherHost

_NAMED = 3
"""Of hosts that take no lane so many say why."""


@dataclass(frozen=True)
class Fleet:
    """All hosts in one turn, with what they measured in the same second."""

    reader: FleetReader
    read: Reading
    given: Mapping[str, HostInput]
    parameters: CocoParameters
    now_s: float
    _seen: dict[str, "Seen | str"] = field(default_factory=dict[str, "Seen | str"])

    @property
    def names(self) -> list[str]:
        """Those whose cores hold more than one NF, or may."""
        return sorted({*self.read.hosts, *(self.read.idle or ())})

    def seen(self, name: str) -> "Seen | str":
        """What is left of a host, or why it takes no lane of anybody. Worked out once a turn, however many ask."""
        if name not in self._seen:
            self._seen[name] = self._why_closed(name) or self._left_of(name)
        return self._seen[name]

    def _why_closed(self, name: str) -> str | None:
        host, given = self.reader.host(self.read, name), self.given.get(name)
        if given is None or host.closed is not None:
            return host.closed or "it has just come"
        if given.why_closed is not None:
            return given.why_closed
        lacking = host.inventory.why_not(LANES)
        return None if lacking is None else f"it has no lanes ({lacking})"

    def _left_of(self, name: str) -> "Seen | str":
        if name not in self.read.rates:
            return "nothing was measured there yet"
        members = self.reader.members(self.read, name, self.given[name].kept)
        observed = observation(members, self.read.rates.get(name), self.read.busy.get(name), self.parameters)
        why = unbelievable(observed, members.shared, None, self.now_s, self.parameters.late_s)
        if why is not None:
            return why
        curves = _curves(lines_of(members, self.read.lines))
        need = needs(observed, members.shared, self.parameters.lost_percent, curves)
        loads = {**observed.others, **core_loads(need, observed.others, members.shared)}
        full = self.parameters.full_percent / 100
        return Seen(members, {core: full - loads.get(core, 0.0) for core in members.shared.cores})


@dataclass(frozen=True)
class Seen:
    """A host that may take lanes."""

    members: HostMembers
    room: Mapping[int, float]
    """By core that may hold NFs: the share of it that is left."""


@dataclass(frozen=True)
class FleetHosts:
    """An `OtherHosts`: all of the fleet but that of the chain."""

    fleet: Fleet
    home: HostMembers

    def __call__(self, lanes: Sequence[LaneAsked]) -> Elsewhere | str:
        """The cheapest of those that take lanes. Delays of hosts of which one was never measured are the assumed ones
        on all: microseconds and counts of hops are not compared."""
        from sextant_engine.laws.coco.other_hosts import CheapestHosts  # the Rust core, which nothing else needs here
        from sextant_engine.stop import Stop

        self.fleet.reader.wants_idle = True
        if self.fleet.read.idle is None:
            return "other hosts are asked from the next second on"
        chain = lanes[0].like[0].split(".", 1)[0]
        found: list[OtherHost] = []
        closed: dict[str, str] = {}
        for name in self.fleet.names:
            if name == self.home.host.inventory.host_id:
                continue
            seen = self.fleet.seen(name)
            if isinstance(seen, str):
                closed[name] = seen
            elif (why := self._why_unlike(seen.members.host, chain)) is not None:
                closed[name] = why
            else:
                found.append(self._other(name, seen))
        if any(not host.delays.measured for host in found):
            found = [replace(host, delays=HopDelays()) for host in found]
        return CheapestHosts(found, _why_none(len(found), closed), Stop(seconds=SEARCH_S))(lanes)

    def _why_unlike(self, host: HostRead, chain: str) -> str | None:
        """Why it takes no lane of this chain."""
        if host.inventory.simulated != self.home.host.inventory.simulated:
            return "it is simulated" if host.inventory.simulated else "it is not simulated"
        return _cannot_run(host, self.home, chain)

    def _other(self, name: str, seen: Seen) -> "OtherHost":
        from sextant_engine.laws.coco.other_hosts import OtherCore, OtherHost  # as above

        inventory, slots = seen.members.host.inventory, seen.members.shared.free_slots
        nodes, model = {core.id: core.node for core in inventory.cores}, inventory.host_model
        same, lines = model == self.home.host.inventory.host_model, self.fleet.read.lines
        return OtherHost(
            name=name,
            cores={core: OtherCore(nodes[core], room, slots.get(core, 0)) for core, room in seen.room.items()},
            delays=self.fleet.read.delays.get(model, HopDelays()),
            curves={} if same else _curves(lines_of(self.home, lines, model)),
            stands=self._stands(seen.members),
        )

    def _stands(self, there: HostMembers) -> dict[str, int]:
        """By tied NF of the home: the core on which what it is tied with stands there."""
        cores = {nf.nf_id: nf.core for chain in there.host.content.chains for nf in chain.nfs}
        by_tie = {tie: cores[nf_id] for nf_id, tie in sorted(there.shared.ties.items()) if nf_id in cores}
        return {nf_id: by_tie[tie] for nf_id, tie in self.home.shared.ties.items() if tie in by_tie}


def _cannot_run(host: HostRead, home: HostMembers, chain: str) -> str | None:
    lacking = sorted({nf.runs for nf in home.chains[chain].nfs if host.inventory.cannot_run(nf.runs)})
    return f"it cannot run {', '.join(lacking)}" if lacking else None


def _curves(lines: Mapping[str, PromotedLine]) -> dict[str, Curve]:
    return {nf_id: Line(one.line.slope, one.line.intercept) for nf_id, one in lines.items()}


def _why_none(full: int, closed: Mapping[str, str]) -> str:
    """`full`: so many hosts whose cores were looked at."""
    if not full and not closed:
        return "there is no other host whose cores hold more than one NF"
    told = [f"{name}: {why}" for name, why in sorted(closed.items())]
    more = [] if len(told) <= _NAMED else [f"and {len(told) - _NAMED} more take none"]
    crowded = [f"{full} {'has' if full == 1 else 'have'} no room on their cores"] if full else []
    return f"no other host takes one ({'; '.join([*crowded, *told[:_NAMED], *more])})"
