"""One host in one second: a step of the law, and what is recommended because of it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pydantic import Field
from sextant_domain.base import Frozen
from sextant_domain.chains.traffic import wire_gbps
from sextant_domain.laws.srv6 import Srv6Parameters
from sextant_engine.control.frame import LawMemory
from sextant_engine.control.srv6.chains import GlobalAction, GlobalObservation, GlobalState, LanesAsked, MoveAsked
from sextant_engine.control.srv6.global_loop import GlobalLoop

from sextant_backend.laws.frame import HostInput, HostOutcome
from sextant_backend.laws.host_reading import Rates
from sextant_backend.laws.paced import step
from sextant_backend.laws.srv6 import describe
from sextant_backend.laws.srv6.members import HostMembers
from sextant_backend.laws.srv6.memory import Kept, RefusedMove

LESS_AGAIN_S = 3600.0
"""After a lane less was dismissed none is recommended on that host for so long: it promises no gain that could grow."""


@dataclass(frozen=True)
class HostState:
    """Of one host, from one turn of this process to the next."""

    law: GlobalState = field(default_factory=GlobalState)
    calm_s: int = 0
    """For which there was no reason for what is recommended."""
    reason: str = step.NOT_EVALUATED


class SeenLane(Frozen):
    """In its host's newest second."""

    chain: str
    host: str
    offered_mpps: float
    carried_mpps: float
    worst: float | None
    """Of its NFs the worst: p95 as a part of what is tolerated."""
    saturated: str | None
    """The NF for which its host has no more."""


class SeenChain(Frozen):
    """What a page of the host shows of a chain."""

    chain: str
    lanes: tuple[SeenLane, ...]
    best_mpps: float | None
    """The highest rate at which a lane was well."""
    full_mpps: float | None = None
    """The most that a full one carried."""
    full_nf: str | None = None
    """The NF that its host had no more for then."""
    need_cores: float | None = None
    """That NFs of one lane use, if it carried all that it is offered: at least, where some are uncounted."""
    uncounted: tuple[str, ...] = ()
    """NFs of a lane whose CPU time is not measured."""
    above_since_s: float | None
    surplus_since_s: float | None
    why_not: str | None


class Seen(Frozen):
    """Nothing in it where the last second was not measured."""

    chains: tuple[SeenChain, ...] = ()
    unseen: dict[str, str] = Field(default_factory=dict[str, str])
    """By chain: why nothing is known of it."""


@dataclass(frozen=True)
class ProposedLanes:
    """What the law would have done."""

    mark: str
    """Of the host as it was read."""
    asked: LanesAsked | MoveAsked
    home: str
    """The host."""
    gbps: float
    """What its chain is offered, on the wire: dismissed lanes come again once that has grown."""
    marks: Mapping[str, str]
    """Of hosts, as they were read."""
    uncounted: tuple[str, ...] = ()
    """NFs of the chain whose CPU time is not measured: the host was chosen without it."""

    @property
    def attempt(self) -> str:
        """Two of the same are the same, as long as the host's row is."""
        if isinstance(self.asked, MoveAsked):
            return f"{self.mark}:{self.asked.chain}@{self.asked.host}"
        hosts = ",".join(f"{lane}@{host}" for lane, host in sorted(self.asked.hosts.items()))
        return f"{self.mark}:{self.asked.chain}/{self.asked.lanes}:{hosts}"

    def refused(self, move: MoveAsked, why: str) -> RefusedMove:
        """What is remembered of a move that cannot be planned."""
        return RefusedMove(move.chain, move.host, (self.mark, self.marks[move.host]), why)


@dataclass(frozen=True)
class Second:
    """All that is known of a host in a second."""

    members: HostMembers
    rates: Rates | None
    observation: GlobalObservation
    unseen: Mapping[str, str]
    """By chain that is left out of it: why."""
    early: bool
    """It is what the host reported between two seconds."""
    where: Mapping[str, str]
    """By chain: its host."""
    marks: Mapping[str, str]
    """Of each host that may take chains, as it was read."""
    given: HostInput
    parameters: Srv6Parameters
    now_s: float

    @property
    def late(self) -> bool:
        """What was measured last is too old to act on."""
        return self.now_s - self.observation.at_s > self.parameters.late_s


def evaluated(state: HostState, second: Second) -> tuple[HostState, HostOutcome]:
    """The next state, and what came of it."""
    given = second.given
    outcome = HostOutcome(given.host, _followed_up(given, second.now_s))
    halt = step.halted(given, second.members.host)
    if halt is not None:  # nothing has stood of a time in which the law could not act
        chains = {name: memory.begun_anew() for name, memory in state.law.chains.items()}
        state = replace(state, law=replace(state.law, chains=chains), calm_s=0, reason=halt.why)
        return state, halt.outcome(given, outcome)
    if second.observation.at_s == state.law.measured_s and not second.late:
        return _unmeasured(state, second, outcome)
    return _stepped(state, second, outcome)


def _followed_up(given: HostInput, now_s: float) -> LawMemory[Kept]:
    """What is remembered, once it is known what became of the last recommendation."""
    memory: LawMemory[Kept] = given.memory
    answer = step.answer(given, memory.law)
    if answer is None:
        return memory
    law, pending = replace(memory.law, pending=None), memory.law.pending
    if answer == "accepted":
        law = replace(law, changed_s=now_s)
    elif answer == "dismissed" and pending is not None and pending.nf is None:
        law = replace(law, less_after_s=now_s + LESS_AGAIN_S)
    return replace(memory, law=law)


def _unmeasured(state: HostState, second: Second, outcome: HostOutcome) -> tuple[HostState, HostOutcome]:
    """The second has not been measured yet, in which a hold time may end that an early report began."""
    if second.given.open_id is not None:
        return state, outcome
    memory: LawMemory[Kept] = outcome.memory
    before = replace(state.law, changed_s=memory.law.changed_s)
    action = GlobalLoop(second.parameters).again(before, second.observation, second.now_s)
    return (state, outcome) if action is None else _acted(state, second, outcome, action)


def _stepped(state: HostState, second: Second, outcome: HostOutcome) -> tuple[HostState, HostOutcome]:
    memory: LawMemory[Kept] = outcome.memory
    law = GlobalLoop(second.parameters)
    after, action = law.step(replace(state.law, changed_s=memory.law.changed_s), second.observation, second.now_s)
    state = replace(state, law=after)
    if second.given.open_id is None:
        return _acted(state, second, outcome, action)
    state = replace(state, reason=_with_unseen(action.reason, second.unseen))
    believed = after.measured_s == second.observation.at_s
    return _while_open(state, outcome, seconds=0 if second.early else 1, believed=believed)


def _acted(
    state: HostState, second: Second, outcome: HostOutcome, action: GlobalAction
) -> tuple[HostState, HostOutcome]:
    """What is recommended because of it."""
    memory: LawMemory[Kept] = outcome.memory
    state = replace(state, reason=_with_unseen(action.reason, second.unseen))
    if action.asked is None:
        return state, replace(outcome, again_s=action.again_s)
    gbps = _offered_gbps(second, action.asked.chain)
    uncounted = second.observation.chains[action.asked.chain].uncounted
    proposed = ProposedLanes(second.members.host.mark, action.asked, second.given.host, gbps, second.marks, uncounted)
    why_not = _why_not(memory, proposed, second.now_s)
    if why_not is not None:
        return replace(state, reason=f"{state.reason}; {why_not}"), outcome
    others = {second.where[name] for name in second.members.chains[action.asked.chain].carriers}
    others |= {action.asked.host} if isinstance(action.asked, MoveAsked) else {*action.asked.hosts.values()}
    urgency = 0.5 if action.asked.nf is None else 1.0 + proposed.gbps
    proposing = step.proposing(second.given, outcome, proposed, urgency)
    return state, replace(proposing, others=tuple(sorted(others - {second.given.host})))


def _with_unseen(reason: str, unseen: Mapping[str, str]) -> str:
    told = [f"{name}: {why}" for name, why in sorted(unseen.items())]
    return "; of some chains nothing is known: ".join([reason, ", ".join(told[:3])]) if told else reason


def _why_not(memory: LawMemory[Kept], proposed: ProposedLanes, now_s: float) -> str | None:
    """Why what it would do is not recommended."""
    why_not = step.impossible_again(memory, proposed)
    if proposed.asked.nf is not None:
        return why_not or step.dismissed_again(memory, proposed, describe.offered_again)
    waits_s = (memory.law.less_after_s or 0.0) - now_s
    return why_not or (f"dismissed; offered again in {waits_s / 60:.0f} min" if waits_s > 0 else None)


def _offered_gbps(second: Second, chain: str) -> float:
    lanes = second.observation.chains[chain].lanes
    packet_bytes = second.members.chains[chain].first.traffic.mean_packet_bytes
    return sum(wire_gbps(lane.offered_mpps, packet_bytes) for lane in lanes)


def _while_open(
    state: HostState, outcome: HostOutcome, *, seconds: int, believed: bool
) -> tuple[HostState, HostOutcome]:
    """It stays open while there is a reason for it, or was a few seconds ago. `seconds`: that the measurement is of; an
    early one is of none."""
    memory: LawMemory[Kept] = outcome.memory
    pending = memory.law.pending
    if pending is None:
        return state, step.withdrawn(outcome, step.NOT_KNOWN)
    if not believed:
        return state, outcome
    chain = state.law.chains.get(pending.chain)
    since_s = None if chain is None else chain.surplus_since_s if pending.nf is None else chain.above_since_s
    calm_s = 0 if since_s is not None else state.calm_s + seconds
    state = replace(state, calm_s=calm_s)
    if calm_s >= step.WITHDRAWN_AFTER_S:
        return replace(state, calm_s=0), step.withdrawn(outcome, describe.no_more(pending))
    return replace(state, reason=f"{describe.recommended(pending)}; {state.reason}"), outcome


def seen(second: Second, state: HostState) -> Seen:
    """Of its newest measurement."""
    return Seen(
        chains=tuple(_chain(second, state, name) for name in sorted(second.observation.chains)),
        unseen=dict(second.unseen),
    )


def _chain(second: Second, state: HostState, name: str) -> SeenChain:
    found, memory = second.observation.chains[name], state.law.chains.get(name)
    lanes = zip(second.members.chains[name].lanes, found.lanes, strict=True)
    return SeenChain(
        chain=name,
        lanes=tuple(
            SeenLane(
                chain=lane,
                host=second.where[lane],
                offered_mpps=one.offered_mpps,
                carried_mpps=one.carried_mpps,
                worst=one.worst,
                saturated=one.saturated,
            )
            for lane, one in lanes
        ),
        best_mpps=None if memory is None else memory.best_mpps,
        full_mpps=None if memory is None else memory.full_mpps,
        full_nf=None if memory is None else memory.full_nf,
        need_cores=found.need,
        uncounted=found.uncounted,
        above_since_s=None if memory is None else memory.above_since_s,
        surplus_since_s=None if memory is None else memory.surplus_since_s,
        why_not=found.why_not,
    )
