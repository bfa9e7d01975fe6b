"""Other hosts of the fleet, as CoCo's law asks for them where a host has no room for another lane."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
class FleetHosts:
    """An `OtherHosts`: all others of a turn, with what they measured in the same second."""

    reader: FleetReader
    read: Reading
    given: Mapping[str, HostInput]
    home: HostMembers
    parameters: CocoParameters
    now_s: float

    def __call__(self, lanes: Sequence[LaneAsked]) -> Elsewhere | str:
        """The cheapest of those that take lanes. Delays of hosts of which one was never measured are the assumed ones
        on all: microseconds and counts of hops are not compared."""
        from sextant_engine.laws.coco.other_hosts import CheapestHosts  # the Rust core, which nothing else needs here
        from sextant_engine.stop import Stop

        chain = lanes[0].like[0].split(".", 1)[0]
        names = sorted((self.read.hosts.keys() | self.read.idle.keys()) - {self.home.host.inventory.host_id})
        found: list[OtherHost] = []
        closed: dict[str, str] = {}
        for name in names:
            host = self._why_closed(name, chain) or self._seen(name)
            if isinstance(host, str):
                closed[name] = host
            else:
                found.append(host)
        if any(not host.delays.measured for host in found):
            found = [replace(host, delays=HopDelays()) for host in found]
        return CheapestHosts(found, _why_none(len(found), closed), Stop(seconds=SEARCH_S))(lanes)

    def _why_closed(self, name: str, chain: str) -> str | None:
        """Before anything is asked of what it measured."""
        host, home = self.reader.host(self.read, name), self.home.host.inventory
        given = self.given.get(name)
        lacking = host.inventory.why_not(LANES)
        if given is None or host.closed is not None:
            return host.closed or "it has just come"
        if given.why_closed is not None:
            return given.why_closed
        if lacking is not None:
            return f"it has no lanes ({lacking})"
        if host.inventory.simulated != home.simulated:
            return "it is simulated" if host.inventory.simulated else "it is not simulated"
        return _cannot_run(host, self.home, chain)

    def _seen(self, name: str) -> "OtherHost | str":
        """With what is left of each core that may hold NFs; or why that is not known."""
        from sextant_engine.laws.coco.other_hosts import OtherCore, OtherHost  # as above

        members = self.reader.members(self.read, name, self.given[name].kept)
        rates, busy = self.read.rates.get(name), self.read.busy.get(name)
        seen = observation(members, rates, busy, self.parameters)
        why = unbelievable(seen, members.shared, None, self.now_s, self.parameters.late_s)
        if why is not None:
            return why
        need = needs(seen, members.shared, self.parameters.lost_percent, _curves(lines_of(members, self.read.lines)))
        loads = {**seen.others, **core_loads(need, seen.others, members.shared)}
        full, slots = self.parameters.full_percent / 100, members.shared.free_slots
        inventory = members.host.inventory
        nodes, model = {core.id: core.node for core in inventory.cores}, inventory.host_model
        same = model == self.home.host.inventory.host_model
        return OtherHost(
            name=name,
            cores={
                core: OtherCore(nodes[core], full - loads.get(core, 0.0), slots.get(core, 0))
                for core in members.shared.cores
            },
            delays=self.read.delays.get(model, HopDelays()),
            curves={} if same else _curves(lines_of(self.home, self.read.lines, model)),
            stands=self._stands(members),
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
