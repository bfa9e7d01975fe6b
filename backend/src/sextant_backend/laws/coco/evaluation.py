"""One host in one second: a step of the law, and what is recommended because of it. Pure but for the rule's search."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pydantic import Field
from sextant_domain.base import Frozen
from sextant_domain.chains.traffic import wire_gbps
from sextant_domain.laws.coco import CocoObservation, CocoParameters
from sextant_engine.control.coco.law import CocoLaw
from sextant_engine.control.coco.loads import core_loads, needs
from sextant_engine.control.coco.scheduler import Curve, Line
from sextant_engine.control.coco.state import (
    CocoAction,
    CocoState,
    FewerLanes,
    NewLanes,
    OtherHosts,
    Pusher,
    no_other_hosts,
)
from sextant_engine.control.frame import LawMemory

from sextant_backend.laws.coco import describe
from sextant_backend.laws.coco.members import HostMembers
from sextant_backend.laws.coco.memory import Kept
from sextant_backend.laws.frame import HostInput, HostOutcome
from sextant_backend.laws.host_reading import Rates
from sextant_backend.laws.paced import step
from sextant_backend.modules.shares.in_use import PromotedLine

LESS_AGAIN_S = 3600.0
"""After a lane less was dismissed none is recommended on that host for so long: it promises no gain that could grow."""


@dataclass(frozen=True)
class HostState:
    """Of one host, from one turn of this process to the next."""

    law: CocoState = field(default_factory=CocoState)
    calm_s: float = 0.0
    """For which nothing has been overloaded while a push was recommended."""
    reason: str = step.NOT_EVALUATED


class Seen(Frozen):
    """What a page of the host shows; nothing in it where the last second was not measured."""

    use: dict[str, float] = Field(default_factory=dict[str, float])
    """By NF: the share of its core that it uses."""
    needs: dict[str, float] = Field(default_factory=dict[str, float])
    """The same, if its chain carried all that it is offered."""
    others: dict[int, float] = Field(default_factory=dict[int, float])
    """By core: what everything else uses there."""
    loads: dict[int, float] = Field(default_factory=dict[int, float])
    """By core that holds NFs: what is needed there."""
    shares: dict[str, int] = Field(default_factory=dict[str, int])
    """By NF: the promoted shares that `needs` goes by; of others it goes by the slope of the same second."""


@dataclass(frozen=True)
class ProposedPush:
    """What the law would have done."""

    members: HostMembers
    core: int
    element: str
    moves: dict[str, int]
    lacks: float
    freed: float
    gbps: float
    """What the chains of that core are offered and do not carry, on the wire: it is gained."""
    carried_gbps: float
    """What all chains of the host carry now."""
    lanes: NewLanes | None = None
    """Instead of moves."""
    fewer: FewerLanes | None = None
    """The same, where a lane goes."""

    @property
    def attempt(self) -> str:
        """Two of the same are the same, as long as the host's row is."""
        if self.fewer is not None:
            return f"{self.members.host.mark}:{self.fewer.chain}/{len(self.fewer.weights)}"
        seats = self.moves if self.lanes is None else self.lanes.seats
        lanes = self.lanes
        named = ((nf_id, core, lanes and lanes.host_of(nf_id)) for nf_id, core in sorted(seats.items()))
        moves = ",".join(f"{nf_id}@{core}{'' if host is None else f'@{host}'}" for nf_id, core, host in named)
        return f"{self.members.host.mark}:{moves}"


@dataclass(frozen=True)
class Second:
    """All that is known of a host in a second."""

    members: HostMembers
    rates: Rates | None
    observation: CocoObservation
    given: HostInput
    parameters: CocoParameters
    now_s: float
    pusher: Pusher
    lines: Mapping[str, PromotedLine] = field(default_factory=dict[str, PromotedLine])
    """By NF: what is promoted of its type on the host's model."""
    others: OtherHosts = no_other_hosts
    """Asked where this host has no room for another lane."""

    @property
    def curves(self) -> dict[str, Curve]:
        """By NF: CoCo's f."""
        return {name: Line(one.line.slope, one.line.intercept) for name, one in self.lines.items()}

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
        state = replace(state, law=replace(state.law, stood={}, room={}), calm_s=0.0, reason=halt.why)
        return state, halt.outcome(given, outcome)
    if second.observation.at_s == state.law.measured_s and not second.late:
        return state, outcome  # the second has not been measured yet
    return _stepped(state, second, outcome)


def _followed_up(given: HostInput, now_s: float) -> LawMemory[Kept]:
    """What is remembered, once it is known what became of the last recommendation."""
    memory: LawMemory[Kept] = given.memory
    answer = step.answer(given, memory.law)
    if answer is None:
        return memory
    law = replace(memory.law, pending=None)
    if answer == "accepted":
        law = replace(law, pushed_s=now_s)
    elif answer == "dismissed" and memory.law.pending is not None and memory.law.pending.leaves:
        law = replace(law, less_after_s=now_s + LESS_AGAIN_S)
    return replace(memory, law=law)


def _stepped(state: HostState, second: Second, outcome: HostOutcome) -> tuple[HostState, HostOutcome]:
    memory: LawMemory[Kept] = outcome.memory
    law = CocoLaw(second.parameters, second.members.shared, second.pusher, second.curves, second.others)
    before = replace(state.law, pushed_s=memory.law.pushed_s)
    after, action = law.step(before, second.observation, second.now_s)
    believed = after.measured_s == second.observation.at_s
    state = replace(state, law=after, reason=action.reason)
    if second.given.open_id is not None:
        return _while_open(state, outcome, after.passed_s if believed else None)
    if action.fewer is not None:
        return _less(state, second, outcome, action, action.fewer)
    if action.push is None or (action.push.action != "push_aside" and action.lanes is None):
        return state, outcome
    proposed = _proposed(second, action)
    why_not = step.impossible_again(memory, proposed) or step.dismissed_again(memory, proposed, describe.offered_again)
    if why_not is not None:
        return replace(state, reason=f"{action.reason}; {why_not}"), outcome
    others = () if proposed.lanes is None else tuple(sorted(set(proposed.lanes.hosts.values())))
    return state, replace(step.proposing(second.given, outcome, proposed, 1.0 + proposed.gbps), others=others)


def _less(
    state: HostState, second: Second, outcome: HostOutcome, action: CocoAction, fewer: FewerLanes
) -> tuple[HostState, HostOutcome]:
    """A lane goes: nothing is gained but its seats."""
    memory: LawMemory[Kept] = outcome.memory
    element, core = min(fewer.leaves.items())
    proposed = ProposedPush(
        members=second.members,
        core=core,
        element=element,
        moves={},
        lacks=0.0,
        freed=fewer.freed,
        gbps=0.0,
        carried_gbps=0.0,
        fewer=fewer,
    )
    waits_s = (memory.law.less_after_s or 0.0) - second.now_s
    why_not = f"dismissed; offered again in {waits_s / 60:.0f} min" if waits_s > 0 else None
    why_not = why_not or step.impossible_again(memory, proposed)
    if why_not is not None:
        return replace(state, reason=f"{action.reason}; {why_not}"), outcome
    return state, step.proposing(second.given, outcome, proposed, 0.5)


def _while_open(state: HostState, outcome: HostOutcome, passed_s: float | None) -> tuple[HostState, HostOutcome]:
    """It stays open while the core that it is about is overloaded, or was a few seconds ago. `passed_s`: since the
    measurement before; None: this one is not believed."""
    memory: LawMemory[Kept] = outcome.memory
    pending = memory.law.pending
    if pending is None:
        return state, step.withdrawn(outcome, step.NOT_KNOWN)
    if passed_s is None:
        return state, outcome
    still = pending.chain in state.law.room if pending.leaves else pending.core in state.law.stood
    calm_s = 0.0 if still else state.calm_s + passed_s
    state = replace(state, calm_s=calm_s)
    if calm_s >= step.WITHDRAWN_AFTER_S:
        return replace(state, calm_s=0.0), step.withdrawn(outcome, describe.no_more(pending))
    return replace(state, reason=f"{describe.recommended(pending)}; {state.reason}"), outcome


def _proposed(second: Second, action: CocoAction) -> ProposedPush:
    push, core, element = action.push, action.core, action.overloaded
    if push is None or core is None or element is None:
        raise ValueError("an action with a push names its core and its element")
    chains = second.members.chains
    missing = {
        name: wire_gbps(
            max(0.0, second.observation.offered_mpps[name] - second.observation.carried_mpps[name]),
            chain.traffic.mean_packet_bytes,
        )
        for name, chain in chains.items()
    }
    carried = sum(
        wire_gbps(second.observation.carried_mpps[name], chain.traffic.mean_packet_bytes)
        for name, chain in chains.items()
    )
    here = {name for name, chain in chains.items() if any(nf.core == core for nf in chain.nfs)}
    return ProposedPush(
        members=second.members,
        core=core,
        element=element,
        moves=dict(push.moves),
        lacks=push.lacks,
        freed=push.freed if action.lanes is None else action.lanes.freed,
        gbps=sum(missing[name] for name in here),
        carried_gbps=carried,
        lanes=action.lanes,
    )


def seen(second: Second) -> Seen:
    """Of its newest measurement."""
    observed, shared = second.observation, second.members.shared
    elements = {name for names in shared.chains.values() for name in names}
    if not (elements <= observed.use.keys() and shared.chains.keys() <= observed.offered_mpps.keys()):
        return Seen()
    need = needs(observed, shared, second.parameters.lost_percent, second.curves)
    return Seen(
        use={name: observed.use[name] for name in elements},
        needs=need,
        others=observed.others,
        loads=core_loads(need, observed.others, shared),
        shares={name: one.shares_id for name, one in second.lines.items()},
    )
