"""When a re-placement is recommended, withdrawn or applied: a law with hysteresis.

A gain is recommended once it has reached the margin for the hold time, and withdrawn when it has fallen below half the
margin, so a gain that wavers about the margin makes no noise. Once dismissed, it comes again only if it has grown by
half or mends more chains. While operations run, and for a rest after them, nothing new is begun. Where what runs was
measured otherwise than it is foretold, nothing is recommended at all.
"""

from dataclasses import dataclass, replace
from math import inf

from sextant_domain.plans.recommendation import Policy, PolicyMode
from sextant_domain.plans.trust import TrustVerdict

LEAVES = 0.5
"""Of the margin: below it an open recommendation is withdrawn."""
GROWN = 1.5
"""Times the dismissed gain: from there on it is offered again."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What a re-placement within the budget of moves would do to the fleet as it is."""

    at_s: float
    """Seconds from any fixed point, never backwards."""
    gain_mpps: float = 0.0
    """Value x Mpps; 0 where nothing is to be gained."""
    gain_percent: float | None = 0.0
    """Of what the hosts that would change score now; None where that is nothing."""
    moves: int = 0
    mends: int = 0
    """Chains whose SLO it mends, less those whose SLO it breaks."""
    trust: TrustVerdict = TrustVerdict.UNTESTED
    """The least of the models that it rests on."""
    busy: bool = False
    """Whether an operation is under way."""
    held: str | None = None
    """Why what is predicted of the fleet as it stands cannot be relied on: nothing is recommended by it."""


@dataclass(frozen=True, slots=True)
class Offer:
    """How much a recommendation promised."""

    gain_mpps: float
    mends: int


@dataclass(frozen=True, slots=True)
class State:
    """What the law remembers from one look to the next."""

    since_s: float | None = None
    """From when on the gain has stood at or above the margin."""
    rests_until_s: float = 0.0
    open: Offer | None = None
    dismissed: Offer | None = None


@dataclass(frozen=True, slots=True)
class Nothing:
    """Leave all as it is."""

    says: str


@dataclass(frozen=True, slots=True)
class Recommend:
    """Make the re-placement known to operators."""

    says: str
    apply: bool
    """Carry it out as well, without asking."""


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Take the open recommendation back."""

    says: str


Action = Nothing | Recommend | Withdraw


def step(policy: Policy, state: State, seen: Observation) -> tuple[State, Action]:
    """One look at the fleet."""
    if policy.mode is PolicyMode.MANUAL:
        idle = replace(state, since_s=None, open=None)
        return idle, Withdraw("the policy is manual") if state.open else Nothing("the policy is manual")
    if seen.busy:
        return replace(state, since_s=None, rests_until_s=seen.at_s + policy.rest_s), Nothing("an operation runs")
    if state.open is not None:
        return _opened(policy, state, state.open, seen)
    if seen.at_s < state.rests_until_s:
        left = state.rests_until_s - seen.at_s
        return replace(state, since_s=None), Nothing(f"the fleet settles for {left:.0f} s more")
    return _settled(policy, state, seen)


def dismissed(state: State) -> State:
    """After an operator said no to the open recommendation."""
    return replace(state, since_s=None, open=None, dismissed=state.open or state.dismissed)


def accepted(policy: Policy, state: State, at_s: float) -> State:
    """After its plan was applied: what was dismissed before is of a fleet that is no more."""
    return replace(state, since_s=None, open=None, dismissed=None, rests_until_s=at_s + policy.rest_s)


def lapsed(state: State) -> State:
    """After the open recommendation's plan has become stale: a gain has to stand anew."""
    return replace(state, since_s=None, open=None)


def _pays(policy: Policy, seen: Observation) -> bool:
    if seen.moves == 0 or seen.gain_mpps < policy.margin_mpps or seen.gain_mpps <= 0:
        return False
    return _percent(seen) >= policy.margin_percent or seen.mends > 0


def _percent(seen: Observation) -> float:
    """A gain over nothing is beyond every percentage."""
    return inf if seen.gain_percent is None else seen.gain_percent


def _settled(policy: Policy, state: State, seen: Observation) -> tuple[State, Action]:
    if seen.held is not None and seen.moves > 0:
        return replace(state, since_s=None), Nothing(f"held back: {seen.held}")
    if not _pays(policy, seen):
        return replace(state, since_s=None), Nothing(_too_little(policy, seen))
    return _standing(policy, state, seen)


def _opened(policy: Policy, state: State, offer: Offer, seen: Observation) -> tuple[State, Action]:
    if seen.held is not None:
        return lapsed(state), Withdraw(seen.held)
    mending = offer.mends > 0 or seen.mends > 0  # an objective missed now and then is still to be mended
    small = seen.gain_mpps < LEAVES * policy.margin_mpps or (
        _percent(seen) < LEAVES * policy.margin_percent and not mending
    )
    if seen.moves == 0 or seen.gain_mpps <= 0 or small:
        return lapsed(state), Withdraw("the gain has gone: loads, chains or models have changed")
    return state, Nothing(f"recommended, for a gain of {offer.gain_mpps:.2f}")


def _standing(policy: Policy, state: State, seen: Observation) -> tuple[State, Action]:
    since = seen.at_s if state.since_s is None else state.since_s
    held = replace(state, since_s=since)
    if state.dismissed is not None and not _outgrew(state.dismissed, seen):
        return held, Nothing(f"dismissed; offered again from a gain of {GROWN * state.dismissed.gain_mpps:.2f}")
    stood = seen.at_s - since
    if stood < policy.hold_s:
        return held, Nothing(f"a gain of {seen.gain_mpps:.2f} stands for {stood:.0f} s of {policy.hold_s:.0f} s")
    opened = replace(held, open=Offer(seen.gain_mpps, seen.mends), dismissed=None)
    automatic = policy.mode is PolicyMode.AUTOMATIC
    trusted = seen.trust is TrustVerdict.TRUSTED
    says = f"recommended, for a gain of {seen.gain_mpps:.2f}"
    if automatic and not trusted:
        says += f"; not applied: a model it rests on is {seen.trust.value}"
    return opened, Recommend(says, apply=automatic and trusted)


def _outgrew(offer: Offer, seen: Observation) -> bool:
    return seen.gain_mpps >= GROWN * offer.gain_mpps or seen.mends > offer.mends


def _too_little(policy: Policy, seen: Observation) -> str:
    if seen.moves == 0 or seen.gain_mpps <= 0:
        return "nothing is to be gained"
    least = f"{policy.margin_mpps:g} and {policy.margin_percent:g} %"
    percent = "" if seen.gain_percent is None else f" ({seen.gain_percent:.1f} %)"
    return f"a gain of {seen.gain_mpps:.2f}{percent} is below the margin of {least}"
