"""Octans' law: propose the best re-placement within the budget, unless what runs speaks against its models."""

from sextant_domain.laws.frame import LawName, Proposal
from sextant_domain.laws.octans import OCTANS, OctansObservation, OctansParameters

from sextant_engine.control.octans.mismatch import prediction_mismatch


class OctansLaw:
    """Without a state of its own: every observation holds all it needs."""

    name: LawName = OCTANS

    def __init__(self, parameters: OctansParameters) -> None:
        self._parameters = parameters

    def initial(self) -> None:
        """Nothing to remember."""

    def step(self, state: None, observation: OctansObservation, now_s: float) -> tuple[None, Proposal]:  # noqa: ARG002 - a law's shape
        """What it would change now."""
        held_back = prediction_mismatch(observation.predicted, observation.measured, self._parameters.band_percent)
        return state, Proposal(
            gain_mpps=observation.gain_mpps,
            gain_percent=observation.gain_percent,
            moves=observation.moves,
            restores=observation.restores,
            trust=observation.trust,
            held_back=held_back,
        )
