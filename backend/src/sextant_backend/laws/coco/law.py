"""CoCo's law, as the registry lists it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sextant_domain.laws.coco import COCO, CocoParameters
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_engine.control.coco.push_aside import push_aside
from sextant_engine.control.coco.state import Push, Pusher, PushQuestion, no_other_hosts
from sqlalchemy import ColumnElement, exists, or_

from sextant_backend.laws.coco import describe, evaluation, repository
from sextant_backend.laws.coco.evaluation import HostState, ProposedPush, Second
from sextant_backend.laws.coco.memory import Kept, Pending
from sextant_backend.laws.coco.models import CocoHostRow
from sextant_backend.laws.coco.observe import FleetReader, Reading, lines_of, observation
from sextant_backend.laws.coco.others import Fleet, FleetHosts
from sextant_backend.laws.frame import Draft, HostInput, HostOutcome
from sextant_backend.laws.paced.law import SEARCH_S, HostsLaw
from sextant_backend.modules.chains.models import PlacedNfRow
from sextant_backend.modules.hosts.models import Host


class CocoModule(HostsLaw[Kept, CocoParameters, Reading, Second, HostState]):
    """Looks at hosts whose cores hold more than one NF, or may."""

    name, row = COCO, CocoHostRow
    reads_early = True
    title, summary, when_off, acts = describe.TITLE, describe.SUMMARY, describe.WHEN_OFF, describe.BY_ITSELF

    def __init__(self) -> None:
        self._fleet = FleetReader()
        self._turn: Fleet | None = None
        super().__init__(self._fleet, Kept, CocoParameters)

    def due(self) -> ColumnElement[bool]:
        """A host whose cores are shared runs NFs: where each has a core, one may need more than that. Or a core that is
        not shared any more holds a second one still, or hosts were evaluated last."""
        shared = exists().where(PlacedNfRow.host_id == Host.host_id, Host.shares_cores)
        return or_(shared, exists().where(PlacedNfRow.slot > 0), self.evaluated_before())

    def second(self, read: Reading, given: HostInput, parameters: CocoParameters, now_s: float) -> Second:
        """With what NFs use of their cores."""
        members, rates = self._fleet.members(read, given.host, given.kept), read.rates.get(given.host)
        return Second(
            members=members,
            rates=rates,
            observation=observation(members, rates, read.busy.get(given.host), parameters, read.stood.get(given.host)),
            given=given,
            parameters=parameters,
            now_s=now_s,
            pusher=_pusher(parameters),
            lines=lines_of(members, read.lines),
            others=no_other_hosts if self._turn is None else FleetHosts(self._turn, members),
        )

    def takers(self, read: Reading) -> Mapping[str, tuple[str, ...]]:
        """Hosts that run nothing may take lanes of others."""
        return dict.fromkeys(read.idle or (), ())

    def evaluate(
        self, read: Reading, given: Sequence[HostInput], parameters: CocoParameters, now_s: float
    ) -> Sequence[HostOutcome]:
        """One step for every host, which knows of all others."""
        self._turn = Fleet(self._fleet, read, {one.host: one for one in given}, parameters, now_s)
        return super().evaluate(read, given, parameters, now_s)

    def step(self, state: HostState | None, second: Second) -> tuple[HostState, HostOutcome]:
        """A step of the law."""
        return evaluation.evaluated(state or HostState(), second)

    def draft(self, snapshot: FleetSnapshot, outcome: HostOutcome) -> Draft | str:
        """What is proposed, as a plan."""
        from sextant_backend.laws.coco import propose  # the engine's planning, which only this needs

        return propose.draft(snapshot, outcome.proposed)

    def pending(self, outcome: HostOutcome, recommendation_id: int) -> tuple[Pending, bool]:
        """Of a push, or of lanes; a lane less is for no gain."""
        one: ProposedPush = outcome.proposed
        pending = Pending(recommendation_id, one.core, one.moves, one.element, one.lacks, one.freed)
        lanes = one.lanes or one.fewer
        if lanes is not None:
            pending = replace(pending, chain=lanes.chain, lanes=len(lanes.weights))
        if one.lanes is not None:
            pending = replace(pending, starts=dict(one.lanes.seats), start_needs=dict(one.lanes.needs))
            pending = replace(pending, start_hosts=dict(one.lanes.hosts))
        if one.fewer is not None:
            pending = replace(pending, leaves=dict(one.fewer.leaves), loads=dict(one.fewer.loads))
        return pending, one.fewer is None

    def row_of(self, second: Second, state: HostState, outcome: HostOutcome) -> dict[str, Any]:  # noqa: ARG002 - a law's shape
        """What came of a host."""
        return repository.row_of(second, state)

    def status(self, said: Sequence[dict[str, Any]]) -> str:
        """How many hosts, and what they lack."""
        return _status(len(said), sum(row["overloaded"] for row in said))


def _pusher(parameters: CocoParameters) -> Pusher:
    if parameters.rule == "published":
        return push_aside
    from sextant_engine.laws.coco.solve import ExactPush  # the Rust core, which only this rule needs
    from sextant_engine.stop import Stop

    def exact(question: PushQuestion) -> Push:
        fastest = max(question.rates_mpps.values(), default=0.0)
        return ExactPush(price=parameters.move_price * fastest, stop=Stop(seconds=SEARCH_S))(question)

    return exact


def _status(hosts: int, overloaded: int) -> str:
    if not hosts:
        return "no core holds more than one NF"
    where = "1 host" if hosts == 1 else f"{hosts} hosts"
    if not overloaded:
        return f"looks at {where}: no core needs more time than it has"
    cores = "1 core needs" if overloaded == 1 else f"{overloaded} cores need"
    return f"looks at {where}: {cores} more time than there is"
