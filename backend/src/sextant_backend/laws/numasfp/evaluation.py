"""One host in one second: a step of the law, what is recommended because of it, and what pages show. Pure but for the
searches of the engine's core."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from sextant_domain.base import Provenance
from sextant_domain.laws.numasfp import NumasfpObservation, NumasfpParameters
from sextant_domain.laws.recommendation import MoveLoss
from sextant_domain.plans.intents import LossBudget
from sextant_engine.control.frame import WITHDRAWN_BELOW, LawMemory, OpenGain
from sextant_engine.control.numasfp.law import NumasfpLaw
from sextant_engine.control.numasfp.moving import beyond_table, changed
from sextant_engine.control.numasfp.state import IN_FULL, Grant, Move, NumasfpState, Placement, Shadow, Solver

from sextant_backend.laws.frame import HostInput, HostOutcome
from sextant_backend.laws.host_reading import HostRead, Rates
from sextant_backend.laws.numasfp import describe
from sextant_backend.laws.numasfp.losses import ASSUMED
from sextant_backend.laws.numasfp.members import HostMembers
from sextant_backend.laws.numasfp.memory import Kept, Pending
from sextant_backend.laws.paced import step

MAX_LIMIT = 3
"""Seconds for which the published algorithm bears that a chain carries less than it is offered."""
LEAST_GBPS = 1e-9
"""Less is no gain."""


@dataclass(frozen=True)
class HostState:
    """Of one host, from one turn of this process to the next."""

    law: NumasfpState = field(default_factory=NumasfpState)
    violations: Mapping[str, int] = field(default_factory=dict[str, int])
    """Seconds running in which a chain carried less than 99 % of what it was offered."""
    seen_s: float | None = None
    """When the newest sample was measured that was looked at."""
    small_s: int = 0
    """Seconds for which an open recommendation has gained less than half the margin."""
    to_hand_over_s: int = 0
    """For which the same hand-over could have been recommended."""
    reason: str = step.NOT_EVALUATED
    margin_gbps: float | None = None
    gain_gbps: float | None = None


@dataclass(frozen=True)
class ProposedChange:
    """What the law would have done."""

    kind: Literal["hand_over", "move"]
    members: HostMembers
    placement: Mapping[str, str]
    """Of every member, by the core's names of nodes."""
    grants: Mapping[str, Grant]
    """At the present rates, where they would stand."""
    moved: tuple[str, ...]
    offered: Mapping[str, float]
    """Gbps."""
    carried: Mapping[str, float]
    gain_gbps: float | None
    """Of a move."""
    simulated: bool
    mark: str
    """Of the host's row: what cannot be ordered now may be possible once that has changed."""
    budget: LossBudget | None = None
    """Of a move: what it may cost."""
    loss: MoveLoss | None = None
    """Of a move: what the chain is reckoned to lose that loses most."""

    @property
    def key(self) -> str:
        """Two of the same key are the same."""
        chains = self.members.to_hand_over if self.kind == "hand_over" else self.moved
        return "|".join([self.members.table_digest, *(f"{chain}@{self.placement[chain]}" for chain in chains)])

    @property
    def attempt(self) -> str:
        """Another one may be possible: of other chains, of the host as it is then, or with more to lose."""
        attempt = f"{self.mark}:{self.key}"
        return attempt if self.budget is None else f"{attempt}:{self.budget.model_dump_json()}"

    @property
    def gbps(self) -> float:
        """What it gains; a hand-over is not for a gain."""
        return self.gain_gbps or 0.0


@dataclass(frozen=True)
class Second:
    """All that is known of a host in a second."""

    members: HostMembers
    host: HostRead
    rates: Rates | None
    given: HostInput
    parameters: NumasfpParameters
    now_s: float
    solver: Callable[[HostMembers, float], Solver]
    """Of a host, and what share of a second a chain loses as it moves."""
    loss: MoveLoss = ASSUMED
    losses: Mapping[str, MoveLoss] = field(default_factory=dict[str, MoveLoss])
    """Of chains that have moved often enough themselves."""

    @property
    def simulated(self) -> bool:
        """The rates are of the twin."""
        return self.rates is not None and self.rates.provenance is not Provenance.MEASURED

    @cached_property
    def offered(self) -> dict[str, float]:
        """Of members that were measured, Gbps on the wire."""
        found = self.rates.mpps if self.rates else {}
        return {name: one.gbps(found[name][0]) for name, one in self.members.members.items() if name in found}

    @cached_property
    def carried(self) -> dict[str, float]:
        """The same of what they carry."""
        found = self.rates.mpps if self.rates else {}
        return {name: one.gbps(found[name][1]) for name, one in self.members.members.items() if name in found}


def evaluated(state: HostState, second: Second) -> tuple[HostState, HostOutcome]:
    """The next state, and what came of it."""
    given = second.given
    outcome = HostOutcome(given.host, _followed_up(given, second.now_s, second.parameters))
    new = second.rates is not None and second.rates.at.timestamp() != state.seen_s
    if new:
        state = _counted(state, second)
    halt = step.halted(given, second.host)
    if halt is None and not second.members.members:
        halt = step.Halt(_nothing_to_take(second.members), withdraws=True)
    if halt is not None:
        return replace(_unsettled(state), reason=halt.why), halt.outcome(given, outcome)
    late = second.rates is None or second.now_s - second.rates.at.timestamp() > second.parameters.late_s
    if not new and not late:
        return state, outcome  # the second has not been measured yet
    return _stepped(state, second, outcome)


def _counted(state: HostState, second: Second) -> HostState:
    carried = second.carried
    violations = {
        name: state.violations.get(name, 0) + 1 if carried[name] < IN_FULL * rate else 0
        for name, rate in second.offered.items()
    }
    at = None if second.rates is None else second.rates.at.timestamp()
    return replace(state, violations=violations, seen_s=at)


def _unsettled(state: HostState) -> HostState:
    """Nothing has stood, and nothing is compared, of a time in which the law could not act."""
    law = replace(state.law, stood=0, shadow=None, shadow_better=0, own_better=0, following=False)
    return replace(state, law=law, small_s=0, to_hand_over_s=0, margin_gbps=None, gain_gbps=None)


def _nothing_to_take(members: HostMembers) -> str:
    name, why = next(iter(members.notes.items()))
    return (
        f"no chain is the law's: {name}, {why}" if len(members.notes) == 1 else f"no chain is the law's; {name}: {why}"
    )


def _followed_up(given: HostInput, now_s: float, parameters: NumasfpParameters) -> LawMemory[Kept]:
    """What is remembered, once it is known what became of the last recommendation."""
    memory: LawMemory[Kept] = given.memory
    kept = memory.law
    since = now_s - max(parameters.budget_s, parameters.reversal_s)
    if any(move.at_s < since for move in kept.moves):
        kept = replace(kept, moves=tuple(move for move in kept.moves if move.at_s >= since))
    pending, answer = kept.pending, step.answer(given, kept)
    if pending is not None and answer is not None:
        if answer == "accepted" and pending.kind == "move":
            moves = tuple(Move(now_s, chain, left) for chain, left in pending.sources.items())
            back = any((one.chain, pending.target.get(one.chain)) == (one.chain, one.left) for one in kept.moves)
            doubled = now_s + parameters.budget_s if back else kept.doubled_until_s
            kept = replace(kept, moves=(*kept.moves, *moves), doubled_until_s=doubled)
        if answer == "dismissed" and pending.kind == "hand_over":
            kept, memory = replace(kept, refused=pending.key), replace(memory, dismissed=None)
        kept = replace(kept, pending=None)
    return memory if kept is memory.law else replace(memory, law=kept)


def _stepped(state: HostState, second: Second, outcome: HostOutcome) -> tuple[HostState, HostOutcome]:
    given, members = second.given, second.members
    kept: Kept = outcome.memory.law
    placement, rates = members.placement, second.offered
    at_s = second.rates.at.timestamp() if second.rates else float("-inf")
    begun = state.law.shadow
    before = replace(state.law, moves=kept.moves, doubled_until_s=kept.doubled_until_s)
    if before.shadow is None and rates.keys() == placement.keys():
        before = replace(before, shadow=Shadow(placement, dict.fromkeys(placement, 0), rates))
    waiting = given.open_id is not None or outcome.memory.dismissed is not None
    solver = second.solver(members, second.loss.share)
    losses = {name: one.share for name, one in second.losses.items()}
    law = NumasfpLaw(second.parameters, solver, second.loss.share, losses)
    observation = NumasfpObservation.model_construct(
        at_s=at_s, rates_gbps=rates, carried_gbps=second.carried, placement=placement, waits_for_answer=waiting
    )
    after, action = law.step(before, observation, second.now_s)
    believed = after.measured_s == at_s
    reason = action.reason if second.rates else "its host has not reported yet"
    # what is proposed has not been done: where chains stand, and what counts in the budget, stays as it is
    now = replace(after, moves=before.moves, doubled_until_s=before.doubled_until_s, placement=placement)
    if action.moved:
        now = replace(now, allocation=state.law.allocation)
    state = replace(state, law=now, reason=reason, margin_gbps=action.margin_gbps, gain_gbps=action.gain_gbps)
    if not believed:  # nor does the published algorithm begin with it
        return replace(state, law=replace(now, shadow=begun), to_hand_over_s=0), outcome
    proposed = None
    if action.moved:
        gain = _gain(second, dict(after.placement or {}), after.forecast or rates, solver)
        proposed = _move(second, after, tuple(sorted(action.moved)), gain) if gain > LEAST_GBPS else None
    return _recommended(state, second, outcome, proposed, solver)


def _gain(second: Second, there: Placement, rates: Mapping[str, float], solver: Solver) -> float:
    """What all members would carry more on other nodes, once they are there."""
    here = second.members.placement
    stay = solver.optimum(here, rates, 0.0, 0)
    already = beyond_table(changed(here, there), rates, stay.allocation, second.carried)
    return solver.optimum(there, rates, 0.0, 0).objective_gbps - stay.objective_gbps - already


def _move(second: Second, after: NumasfpState, moved: tuple[str, ...], gain: float) -> ProposedChange:
    return ProposedChange(
        kind="move",
        members=second.members,
        placement=dict(after.placement or {}),
        grants=dict(after.allocation or {}),
        moved=moved,
        offered=second.offered,
        carried=second.carried,
        gain_gbps=gain,
        simulated=second.simulated,
        mark=second.host.mark,
        budget=second.parameters.loss_budget,
        loss=max((second.losses.get(name, second.loss) for name in moved), key=lambda loss: loss.share),
    )


def _recommended(
    state: HostState, second: Second, outcome: HostOutcome, proposed: ProposedChange | None, solver: Solver
) -> tuple[HostState, HostOutcome]:
    kept: Kept = outcome.memory.law
    why_not = None if proposed is None else _not_again(outcome.memory, proposed)
    if why_not is not None:
        state, proposed = replace(state, reason=why_not), None
    if second.given.open_id is not None:
        if kept.pending is None:
            return state, step.withdrawn(outcome, step.NOT_KNOWN)
        if kept.pending.kind == "hand_over":
            state, outcome = _while_hand_over_open(state, second, outcome, kept.pending, proposed)
        elif kept.pending.budget == second.parameters.loss_budget:
            return _while_move_open(state, second, outcome, kept.pending, solver)
        else:  # its plan has the budget of then: a plan is never changed
            state = replace(state, to_hand_over_s=0)
            outcome = step.withdrawn(outcome, "what a move may cost has been changed since: it is planned anew")
        if outcome.withdraw is None:
            return state, outcome
    if proposed is not None:
        return _with_proposal(state, second, outcome, proposed)
    return _handed_over(state, second, outcome)


def _handed_over(state: HostState, second: Second, outcome: HostOutcome) -> tuple[HostState, HostOutcome]:
    hand_over = _hand_over(state, second)
    if hand_over is None:
        return replace(state, to_hand_over_s=0) if state.to_hand_over_s else state, outcome
    state = replace(state, to_hand_over_s=state.to_hand_over_s + 1)
    if outcome.withdraw is not None or state.to_hand_over_s < second.parameters.hold_intervals:
        return state, outcome
    why_not = _not_again(outcome.memory, hand_over)
    if why_not is not None:
        return replace(state, reason=f"{state.reason}; {why_not}"), outcome
    return _with_proposal(state, second, outcome, hand_over)


def _hand_over(state: HostState, second: Second) -> ProposedChange | None:
    members = second.members
    if not members.to_hand_over or state.law.allocation is None:
        return None
    return ProposedChange(
        kind="hand_over",
        members=members,
        placement=members.placement,
        grants=dict(state.law.allocation),
        moved=(),
        offered=second.offered,
        carried=second.carried,
        gain_gbps=None,
        simulated=second.simulated,
        mark=second.host.mark,
    )


def _with_proposal(
    state: HostState, second: Second, outcome: HostOutcome, proposed: ProposedChange
) -> tuple[HostState, HostOutcome]:
    urgency = 1.0 + proposed.gbps if proposed.kind == "move" else 0.0
    return state, step.proposing(second.given, outcome, proposed, urgency)


def _not_again(memory: LawMemory[Kept], proposed: ProposedChange) -> str | None:
    """Why it is not recommended although it pays: an operator has said no, or it cannot be ordered."""
    why_not = step.impossible_again(memory, proposed)
    if why_not is not None or proposed.kind == "move":
        return why_not or step.dismissed_again(memory, proposed, describe.offered_again)
    return "ways and bandwidth stay as ordered: an operator said so" if memory.law.refused == proposed.key else None


def _while_hand_over_open(
    state: HostState, second: Second, outcome: HostOutcome, pending: Pending, proposed: ProposedChange | None
) -> tuple[HostState, HostOutcome]:
    hand_over = _hand_over(state, second)
    if proposed is not None:
        return state, step.withdrawn(outcome, "a move is recommended instead, which hands over as well")
    if hand_over is None or hand_over.key != pending.key:
        why = "its chains have their bounds" if hand_over is None else "chains or levels have changed"
        return state, step.withdrawn(outcome, why)
    return replace(state, reason=f"recommended: hand over ways and bandwidth; {state.reason}"), outcome


def _while_move_open(
    state: HostState, second: Second, outcome: HostOutcome, pending: Pending, solver: Solver
) -> tuple[HostState, HostOutcome]:
    members = second.members
    if not pending.target.keys() <= members.members.keys():
        return state, step.withdrawn(outcome, "the law does not take all of its chains any more")
    there = {**members.placement, **pending.target}
    expected = state.law.forecast or second.offered
    gain = _gain(second, there, expected, solver)
    margin = state.margin_gbps or second.parameters.margin_percent * sum(expected.values()) / 100
    promised: OpenGain | None = outcome.memory.open
    least = WITHDRAWN_BELOW * min(margin, promised.gain_mpps if promised else margin)
    small_s = state.small_s + 1 if gain < max(least, LEAST_GBPS) else 0
    state = replace(state, small_s=small_s, gain_gbps=gain, margin_gbps=margin)
    if small_s >= step.WITHDRAWN_AFTER_S:
        return replace(state, small_s=0), step.withdrawn(outcome, f"the gain has gone: {max(0.0, gain):.2f} Gbps now")
    return replace(state, reason=f"recommended, for a gain of {gain:.2f} Gbps"), outcome


def pending_of(outcome: HostOutcome, recommendation_id: int) -> Pending:
    """What is remembered of what is recommended."""
    proposed: ProposedChange = outcome.proposed
    return Pending(
        recommendation_id=recommendation_id,
        kind=proposed.kind,
        key=proposed.key,
        target={chain: proposed.placement[chain] for chain in proposed.moved},
        sources={chain: proposed.members.placement[chain] for chain in proposed.moved},
        budget=proposed.budget,
    )


def seen(state: HostState, members: HostMembers) -> dict[str, Any]:
    """What a page of the host shows beside what it reads itself."""
    return {
        "forecast": {name: round(rate, 4) for name, rate in (state.law.forecast or {}).items()},
        "violations": {name: count for name, count in state.violations.items() if count},
        "margin_gbps": state.margin_gbps,
        "gain_gbps": state.gain_gbps,
        "held": state.law.stood,
        "following": state.law.following,
        "in_full": {
            name: grant.gbps >= IN_FULL * (state.law.forecast or {}).get(name, 0.0)
            for name, grant in (state.law.allocation or {}).items()
            if name in members.members
        },
    }
