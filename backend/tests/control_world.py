"""A control law of the tests: it proposes a gain that the test names, for each host."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from pydantic import BaseModel
from sextant_backend.laws import registry
from sextant_backend.laws.frame import Draft, LawInput, Observed, PlanningLaw
from sextant_domain.laws.frame import Proposal
from sextant_domain.laws.recommendation import RecommendationPolicy
from sextant_domain.plans.evidence import Solving
from sextant_domain.plans.intents import ReplaceIntent
from sextant_domain.plans.trust import TrustVerdict
from sextant_engine.plan import make_plan


class GainSeen(BaseModel):
    """What it observes."""

    gain_mpps: float


class CountingControl:
    """Counts its steps."""

    name = "counting"

    def initial(self) -> int:
        return 0

    def step(self, state: int, observation: GainSeen, now_s: float) -> tuple[int, Proposal]:
        gain = observation.gain_mpps
        moves = 1 if gain > 0 else 0
        return state + 1, Proposal(gain_mpps=gain, gain_percent=50.0, moves=moves, trust=TrustVerdict.TRUSTED)


class CountingLaw:
    """Nobody but these tests knows its name."""

    name = "counting"
    title = "Counting"
    summary = "Proposes what the test names."
    by_host = True
    rests_on_models = True
    when_off = "nobody counts"
    state = int
    observation = GainSeen

    def __init__(self) -> None:
        self.gain_mpps = 1.0

    def initial(self) -> int:
        return 0

    def period_s(self, policy: RecommendationPolicy) -> float:
        return policy.every_s

    def by_itself(self, policy: RecommendationPolicy) -> str:
        return "It counts."

    def control(self) -> CountingControl:
        return CountingControl()

    def observe(self, given: LawInput) -> Observed[GainSeen]:
        """With an ordinary plan: one that changes nothing."""
        solving = Solving(max_moves=0)
        body = make_plan(given.snapshot, ReplaceIntent(), solving)
        hosts = tuple(host.inventory.host_id for host in given.snapshot.hosts)
        recommendation = {
            "hosts": list(hosts),
            "chains": [],
            "moves": 1,
            "gain_mpps": self.gain_mpps,
            "gain_percent": 50.0,
            "low_mpps": None,
            "high_mpps": None,
            "provenance": "assumed",
            "restores": [],
            "breaks": [],
            "trust": "trusted",
            "trust_why": "it is a test",
        }
        draft = Draft(ReplaceIntent(), solving, body, recommendation)
        return Observed(GainSeen(gain_mpps=self.gain_mpps), hosts, draft)

    def refresh(self, observation: GainSeen) -> GainSeen:
        return GainSeen(gain_mpps=self.gain_mpps)


@contextmanager
def registered(law: PlanningLaw) -> Iterator[None]:
    """As if this process had registered one law more."""
    with patch.dict(registry._planning):
        registry.register(law)
        yield
