"""The frame of all control laws: what a law proposes is recommended, withdrawn or applied with hysteresis.

A gain is recommended once it has reached the margin for the hold time, and withdrawn when it has fallen below half the
margin, so a gain that wavers about the margin makes no noise. Once dismissed, it comes again only if it has grown by
half or restores more SLOs. While operations run, and for a rest after them, nothing new is begun. What the law itself
holds back is not recommended, and what needs more moves than the budget is not either.
"""

from dataclasses import dataclass, replace
from math import inf
from typing import Generic, Protocol, TypeVar

from sextant_domain.laws.frame import LawName, Proposal
from sextant_domain.laws.recommendation import PolicyMode, RecommendationPolicy
from sextant_domain.plans.trust import TrustVerdict

WITHDRAWN_BELOW = 0.5
"""Of the margin: below it an open recommendation is withdrawn."""
OFFERED_AGAIN_FROM = 1.5
"""Times the dismissed gain: from there on it is offered again."""
UNIT = "value x Mpps"
"""Of gains and margins: each chain's throughput counts by its value."""

LawState = TypeVar("LawState")
Observation_contra = TypeVar("Observation_contra", contravariant=True)
Action_co = TypeVar("Action_co", covariant=True)


class ControlLaw(Protocol[LawState, Observation_contra, Action_co]):
    """A published system's way of deciding: pure, the clock is passed in. This frame takes laws whose action is a
    `Proposal`; an agent's controllers act on values of resources."""

    @property
    def name(self) -> LawName:
        """As it is stored and shown."""

    def initial(self) -> LawState:
        """Before its first step."""

    def step(self, state: LawState, observation: Observation_contra, now_s: float) -> tuple[LawState, Action_co]:
        """What to do now; `now_s`: seconds from any fixed point, never backwards."""


@dataclass(frozen=True, slots=True)
class OpenGain:
    """The gain that a recommendation was predicted to bring."""

    gain_mpps: float
    restores: int


@dataclass(frozen=True, slots=True)
class LawMemory(Generic[LawState]):
    """What is remembered of a law from one evaluation to the next."""

    law: LawState
    since_s: float | None = None
    """From when on the gain has stood at or above the margin."""
    rests_until_s: float = 0.0
    open: OpenGain | None = None
    dismissed: OpenGain | None = None


@dataclass(frozen=True, slots=True)
class NoAction:
    """Leave all as it is."""

    reason: str


@dataclass(frozen=True, slots=True)
class Recommend:
    """Make the proposal known to operators."""

    reason: str
    apply: bool
    """Carry it out as well, without asking."""


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Take the open recommendation back."""

    reason: str


Decision = NoAction | Recommend | Withdraw


def evaluate(
    law: ControlLaw[LawState, Observation_contra, Proposal],
    policy: RecommendationPolicy,
    memory: LawMemory[LawState],
    observation: Observation_contra | None,
    now_s: float,
    *,
    stopped: str | None = None,
) -> tuple[LawMemory[LawState], Decision]:
    """One evaluation of one law. `observation`: None while an operation is under way, or where the policy is manual or
    all laws are `stopped` for that reason, when nothing is observed."""
    if stopped is not None or policy.mode is PolicyMode.MANUAL:
        reason = stopped or "the policy is manual"
        return lapsed(memory), Withdraw(reason) if memory.open else NoAction(reason)
    if observation is None:
        return replace(memory, since_s=None, rests_until_s=now_s + policy.rest_s), NoAction("an operation runs")
    state, proposal = law.step(memory.law, observation, now_s)
    return _decide(policy, replace(memory, law=state), proposal, now_s)


def rests_s(since_s: float | None, rest_s: float, now_s: float) -> float:
    """Seconds for which nothing is done yet, after what was done at `since_s`; 0: nothing was, or that is long ago."""
    return 0.0 if since_s is None else max(0.0, rest_s - (now_s - since_s))


def gain_text(gain: float) -> str:
    """'4.49 value x Mpps'."""
    return f"{gain:.2f} {UNIT}"


def dismissed(memory: LawMemory[LawState]) -> LawMemory[LawState]:
    """After an operator said no to the open recommendation."""
    return replace(memory, since_s=None, open=None, dismissed=memory.open or memory.dismissed)


def accepted(policy: RecommendationPolicy, memory: LawMemory[LawState], now_s: float) -> LawMemory[LawState]:
    """After its plan was applied: what was dismissed before is of a fleet that is no more."""
    return replace(memory, since_s=None, open=None, dismissed=None, rests_until_s=now_s + policy.rest_s)


def lapsed(memory: LawMemory[LawState]) -> LawMemory[LawState]:
    """After the open recommendation's plan has become stale: the hold time begins again."""
    return replace(memory, since_s=None, open=None)


def _decide(
    policy: RecommendationPolicy, memory: LawMemory[LawState], proposal: Proposal, now_s: float
) -> tuple[LawMemory[LawState], Decision]:
    if memory.open is not None:
        return _while_open(policy, memory, memory.open, proposal)
    reason = _why_not(policy, memory, proposal, now_s)
    if reason is not None:
        return replace(memory, since_s=None), NoAction(reason)
    return _while_held(policy, memory, proposal, now_s)


def _why_not(policy: RecommendationPolicy, memory: LawMemory[LawState], proposal: Proposal, now_s: float) -> str | None:
    """Why the proposal does not count now; None where its hold time runs."""
    if now_s < memory.rests_until_s:
        return f"the fleet settles for {memory.rests_until_s - now_s:.0f} s more"
    if proposal.held_back is not None and proposal.moves > 0:
        return f"held back: {proposal.held_back}"
    if proposal.moves == 0 or proposal.gain_mpps <= 0:
        return "nothing is to be gained"
    if proposal.moves > policy.max_moves:
        return f"it needs {proposal.moves} moves, the budget is {policy.max_moves}"
    if proposal.gain_mpps < policy.margin_mpps or (
        _percent(proposal) < policy.margin_percent and proposal.restores <= 0
    ):
        return _below_margin(policy, proposal)
    return None


def _percent(proposal: Proposal) -> float:
    """A gain over nothing is beyond every percentage."""
    return inf if proposal.gain_percent is None else proposal.gain_percent


def _while_open(
    policy: RecommendationPolicy, memory: LawMemory[LawState], opened: OpenGain, proposal: Proposal
) -> tuple[LawMemory[LawState], Decision]:
    if proposal.held_back is not None:
        return lapsed(memory), Withdraw(proposal.held_back)
    restoring = opened.restores > 0 or proposal.restores > 0  # an objective missed now and then is still to be restored
    small = proposal.gain_mpps < WITHDRAWN_BELOW * policy.margin_mpps or (
        _percent(proposal) < WITHDRAWN_BELOW * policy.margin_percent and not restoring
    )
    if proposal.moves == 0 or proposal.gain_mpps <= 0 or small:
        return lapsed(memory), Withdraw("the gain has gone: loads, chains or models have changed")
    return memory, NoAction(f"recommended, for a gain of {gain_text(opened.gain_mpps)}")


def _while_held(
    policy: RecommendationPolicy, memory: LawMemory[LawState], proposal: Proposal, now_s: float
) -> tuple[LawMemory[LawState], Decision]:
    since = now_s if memory.since_s is None else memory.since_s
    held = replace(memory, since_s=since)
    if memory.dismissed is not None and not _outgrew(memory.dismissed, proposal):
        again = OFFERED_AGAIN_FROM * memory.dismissed.gain_mpps
        return held, NoAction(f"dismissed; offered again from a gain of {gain_text(again)}")
    stood = now_s - since
    if stood < policy.hold_s:
        held_text = f"{stood:.0f} s of {policy.hold_s:.0f} s"
        return held, NoAction(f"a gain of {gain_text(proposal.gain_mpps)} stands for {held_text}")
    opened = replace(held, open=OpenGain(proposal.gain_mpps, proposal.restores), dismissed=None)
    automatic = policy.mode is PolicyMode.AUTOMATIC
    trusted = proposal.trust is TrustVerdict.TRUSTED
    reason = f"recommended, for a gain of {gain_text(proposal.gain_mpps)}"
    if automatic and not trusted:
        reason += f"; not applied: a model it rests on is {proposal.trust.value}"
    return opened, Recommend(reason, apply=automatic and trusted)


def _outgrew(offered: OpenGain, proposal: Proposal) -> bool:
    return proposal.gain_mpps >= OFFERED_AGAIN_FROM * offered.gain_mpps or proposal.restores > offered.restores


def _below_margin(policy: RecommendationPolicy, proposal: Proposal) -> str:
    margin = f"{policy.margin_mpps:g} {UNIT} and {policy.margin_percent:g} %"
    percent = "" if proposal.gain_percent is None else f" ({proposal.gain_percent:.1f} %)"
    return f"a gain of {gain_text(proposal.gain_mpps)}{percent} is below the margin of {margin}"
