"""SRv6-INT's global loop, as the registry lists it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sextant_domain.laws.srv6 import SRV6, Srv6Parameters
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_engine.control.frame import LawMemory
from sextant_engine.control.srv6.chains import ChainMemory, GlobalObservation, HostRoom, MoveAsked
from sqlalchemy import ColumnElement, exists, or_
from sqlalchemy.orm import Session

from sextant_backend.laws.frame import Draft, HostInput, HostOutcome
from sextant_backend.laws.paced.law import HostsLaw
from sextant_backend.laws.srv6 import describe, evaluation, observe, repository
from sextant_backend.laws.srv6.evaluation import HostState, ProposedLanes, Second
from sextant_backend.laws.srv6.members import bounded_chains, may_take
from sextant_backend.laws.srv6.memory import Kept, Pending
from sextant_backend.laws.srv6.models import Srv6HostRow
from sextant_backend.laws.srv6.observe import FleetReader, Reading
from sextant_backend.laws.srv6.rerouted import WayTimeline
from sextant_backend.laws.srv6.within_bounds import QuotaTimeline
from sextant_backend.modules.telemetry import repository as telemetry

Rooms = tuple[dict[str, HostRoom], dict[str, str]]


class Srv6Module(HostsLaw[Kept, Srv6Parameters, Reading, Second, HostState]):
    """Looks at hosts that run chains with quota bounds."""

    name, row = SRV6, Srv6HostRow
    reads_early = True
    title, summary, when_off, acts = describe.TITLE, describe.SUMMARY, describe.WHEN_OFF, describe.BY_ITSELF

    def __init__(self) -> None:
        self._fleet = FleetReader()
        self._rooms: Rooms = {}, {}
        self._marks: dict[str, str] = {}
        self._known: dict[str, ChainMemory] = {}
        """What is remembered of chains, on whichever hosts they were seen last."""
        self._timeline, self._ways = QuotaTimeline(), WayTimeline()
        super().__init__(self._fleet, Kept, Srv6Parameters)

    def due(self) -> ColumnElement[bool]:
        """Agents report NFs with quota bounds, or what became of ways lately, or hosts were evaluated last."""
        return or_(telemetry.any_bounded(), exists().where(telemetry.any_rerouted()), self.evaluated_before())

    def takers(self, read: Reading) -> Mapping[str, tuple[str, ...]]:
        """Hosts without such chains may take lanes of others, and in an early turn those that it does not look at."""
        return {name: bounded_chains(host) for name, host in read.takers.items()}

    def forget(self) -> None:
        """And whatever hosts changed is looked at once more."""
        super().forget()
        self._known = {}
        self._timeline, self._ways = QuotaTimeline(), WayTimeline()

    def evaluate(
        self, read: Reading, given: Sequence[HostInput], parameters: Srv6Parameters, now_s: float
    ) -> Sequence[HostOutcome]:
        """One step for every host, which knows what is left of all others."""
        self._rooms = self._left(read, given, parameters.other_work_percent)
        self._marks = {one.host: self._fleet.host(read, one.host).mark for one in given}
        outcomes = super().evaluate(read, given, parameters, now_s)
        seen = {name: memory for state in self._states.values() for name, memory in state.law.chains.items()}
        latest = {
            name: memory
            for name, memory in seen.items()
            if name not in self._known or memory.home == read.where.get(name)
        }
        kept = self._known if read.only is not None else {n: m for n, m in self._known.items() if n in read.where}
        self._known = kept | latest
        return outcomes

    def _left(self, read: Reading, given: Sequence[HostInput], counted_percent: float) -> Rooms:
        """Of hosts that take lanes; and why others take none."""
        rooms, closed = dict[str, HostRoom](), dict[str, str]()
        used = observe.used_beside_uncounted(read)
        for one in given:
            host = self._fleet.host(read, one.host)
            why = host.closed or one.why_closed
            if why is None and not may_take(host.inventory):
                why = "lanes with quota bounds cannot run there"
            if why is None and one.host not in read.rates:
                why = "nothing was measured there yet"
            if why is None:
                members = self._fleet.members(read, one.host, one.kept)
                cores = read.cores.get(one.host, ())
                rooms[one.host] = observe.room(members, cores, counted_percent, used.get(one.host))
            else:
                closed[one.host] = why
        return rooms, closed

    def second(self, read: Reading, given: HostInput, parameters: Srv6Parameters, now_s: float) -> Second:
        """With all lanes of its chains."""
        members = self._fleet.members(read, given.host, given.kept)
        refused = given.memory.law.refused_moves
        found = {
            name: observe.seen(read, chain, observe.barred(name, members.host, refused, self._marks))
            for name, chain in members.chains.items()
        }
        known = {name: one for name, one in found.items() if not isinstance(one, str)}
        rates = read.rates.get(given.host)
        at_s = float("-inf") if rates is None else rates.at.timestamp()
        at_s = min([at_s, *(one.oldest_s for one in known.values())])
        heard_now_s = read.now.timestamp()
        rooms, closed = self._rooms
        return Second(
            members=members,
            rates=rates,
            observation=GlobalObservation(
                at_s,
                {name: one.as_of(at_s, heard_now_s) for name, one in known.items()},
                self._alike(read, given.host, rooms),
                closed,
                given.host,
                self._known,
            ),
            unseen={name: why for name, why in found.items() if isinstance(why, str)},
            early=given.host in read.early,
            where=read.where,
            marks=self._marks,
            given=given,
            parameters=parameters,
            now_s=now_s,
        )

    def _alike(self, read: Reading, home: str, rooms: Mapping[str, HostRoom]) -> dict[str, HostRoom]:
        """Lanes of a simulated chain run on simulated hosts, and those of a real one on real hosts."""
        simulated = read.hosts[home].inventory.simulated
        return {
            name: room for name, room in rooms.items() if self._fleet.host(read, name).inventory.simulated == simulated
        }

    def step(self, state: HostState | None, second: Second) -> tuple[HostState, HostOutcome]:
        """A step of the law."""
        return evaluation.evaluated(state or HostState(), second)

    def draft(self, snapshot: FleetSnapshot, outcome: HostOutcome) -> Draft | str:
        """What is proposed, as a plan."""
        from sextant_backend.laws.srv6 import propose  # the engine's planning, which only this needs

        return propose.draft(snapshot, outcome.proposed)

    def drafted(self, outcome: HostOutcome, recommendation_id: int | None, why_not: str | None) -> LawMemory[Kept]:
        """With the recommendation, or with why there is none: of a move the law is told, so that it does something
        else."""
        proposed: ProposedLanes = outcome.proposed
        if recommendation_id is not None or not isinstance(proposed.asked, MoveAsked):
            return super().drafted(outcome, recommendation_id, why_not)
        memory: LawMemory[Kept] = outcome.memory
        return replace(memory, law=memory.law.with_refused(proposed.refused(proposed.asked, why_not or "")))

    def pending(self, outcome: HostOutcome, recommendation_id: int) -> tuple[Pending, bool]:
        """More lanes are for a gain; a lane less is for none."""
        one: ProposedLanes = outcome.proposed
        asked = one.asked
        if isinstance(asked, MoveAsked):
            return Pending(recommendation_id, asked.chain, 1, {}, asked.nf, asked.host), True
        return Pending(recommendation_id, asked.chain, asked.lanes, dict(asked.hosts), asked.nf), asked.nf is not None

    def row_of(self, second: Second, state: HostState, outcome: HostOutcome) -> dict[str, Any]:  # noqa: ARG002 - a law's shape
        """What came of a host."""
        return repository.row_of(second, state)

    def write(self, session: Session, read: Reading, outcomes: Sequence[HostOutcome]) -> str | None:
        """With what hosts changed by themselves, for the timeline."""
        if read.only is None:
            self._timeline.enter(session, read.hosts, read.now)
            self._ways.enter(session, read.now)
        return super().write(session, read, outcomes)

    def status(self, said: Sequence[dict[str, Any]]) -> str:
        """How many hosts, and what they lack."""
        return describe.status(len(said), sum(row["saturated"] for row in said))
