"""Octans' law, as the registry lists it."""

from sextant_domain.laws.frame import LawName, Proposal
from sextant_domain.laws.octans import OCTANS, OctansObservation, OctansParameters
from sextant_domain.laws.recommendation import RecommendationPolicy
from sextant_engine.control.frame import ControlLaw
from sextant_engine.control.octans.law import OctansLaw

from sextant_backend.laws.frame import LawInput, Observed
from sextant_backend.laws.octans import describe, observe
from sextant_backend.laws.octans.propose import propose
from sextant_backend.settings import get_settings


class OctansModule:
    """Evaluated once for the fleet: the budget of moves is of all hosts together."""

    name: LawName = OCTANS
    title = describe.TITLE
    summary = describe.SUMMARY
    by_host = False
    rests_on_models = True
    when_off = "an operator asks for re-placements"
    state = type(None)
    observation = OctansObservation

    def initial(self) -> None:
        """Nothing to remember."""

    def period_s(self, policy: RecommendationPolicy) -> float:
        """As its policy says."""
        return policy.every_s

    def by_itself(self, policy: RecommendationPolicy) -> str:
        """With the policy's budget and hold time."""
        return describe.by_itself(policy)

    def control(self) -> ControlLaw[None, OctansObservation, Proposal]:
        """With the band of trust that the settings name."""
        return OctansLaw(OctansParameters(band_percent=get_settings().trust_band_percent))

    def observe(self, given: LawInput) -> Observed[OctansObservation]:
        """A plan, its gain, and how far what runs agrees with what is predicted of it."""
        draft, gain = propose(given)
        observation = OctansObservation(
            gain_mpps=gain.mpps,
            gain_percent=gain.percent,
            moves=len(describe.moves(draft.body)),
            restores=len(gain.restores) - len(gain.breaks),
            trust=gain.trust,
            predicted=observe.predicted(given.snapshot, gain.now),
        )
        hosts = tuple(base.host for base in draft.body.base)
        return Observed(observe.with_measurements(observation), hosts, draft)

    def refresh(self, observation: OctansObservation) -> OctansObservation:
        """Only what is measured changes."""
        return observe.with_measurements(observation)
