"""The small console's policy and its one recommendation, by docs/contracts/console.md."""

from datetime import timedelta
from typing import Any

from sextant_domain.base import Provenance
from sextant_domain.laws.automation import Automation, LawView, PolicyScope, ScopedPolicy, TimelineEntry, TimelineEvent
from sextant_domain.laws.host_automation import HostAutomation, LawOnHost, PolicySource, UnattendedAction
from sextant_domain.laws.recommendation import (
    PolicyMode,
    PolicyView,
    Recommendation,
    RecommendationPolicy,
    RecommendationState,
)
from sextant_domain.plans.evidence import Algorithm
from sextant_domain.plans.race import AlgorithmRank, Race, RaceBegin, RaceChain, RaceEntry, RaceRanking, RaceState
from sextant_domain.plans.trust import TrustVerdict

from .answers import NOW

A_RACE = Race(
    id=1,
    state=RaceState.PLANNING,
    why=None,
    begun_by=RaceBegin.RECOMMENDATION,
    plan_id=7,
    plan_state="applied",
    hosts=("edge-1",),
    host_models=("xeon-2x16",),
    predicted_mpps=9.0,
    provenance=Provenance.ASSUMED,
    measured_mpps=8.1,
    measured_provenance=Provenance.SIMULATED,
    entries=(
        RaceEntry(
            algorithm=Algorithm.NODE_FIRST,
            predicted_mpps=6.56,
            later_mpps=5.9,
            low_mpps=5.5,
            high_mpps=6.3,
            margin_percent=-27.16,
            provenance=Provenance.ASSUMED,
            later_provenance=Provenance.PREDICTED,
            moves=0,
            differs=1,
            seconds=0.02,
            chains=(RaceChain(chain="web-edge", same=False, predicted_mpps=6.56, mpps=5.9, basis="predicted"),),
        ),
    ),
    waiting=(Algorithm.NODE_BALANCE,),
    deadline_at=NOW,
    created_at=NOW,
)

A_RANKING = RaceRanking(
    host_model=None,
    host_models=("xeon-2x16",),
    scored=3,
    open=1,
    ended=0,
    wanted=True,
    provenance=Provenance.SIMULATED,
    ranks=(
        AlgorithmRank(
            algorithm=Algorithm.EXACT,
            races=3,
            predicted=1,
            wins=3,
            failed=0,
            margin_percent=1.5,
            low_percent=-0.25,
            high_percent=3.25,
            seconds=0.04,
        ),
        AlgorithmRank(
            algorithm=Algorithm.NODE_FIRST,
            races=0,
            predicted=0,
            wins=0,
            failed=3,
            margin_percent=None,
            low_percent=None,
            high_percent=None,
            seconds=None,
        ),
    ),
)


A_DECISION = TimelineEntry(
    id=1,
    at=NOW,
    event=TimelineEvent.MADE,
    law="octans",
    actor="system",
    recommendation_id=1,
    plan_id=7,
    text="recommended 1 move of web-edge on edge-1, for a predicted gain of 2.44 value x Mpps",
)


class ShelfOfRecommendations:
    """One that is open."""

    def __init__(self) -> None:
        self.policy = RecommendationPolicy()
        self.modes: dict[tuple[str, str], PolicyMode] = {}
        """Of hosts and chains, by scope and name."""
        self.stopped = False
        self.version = 1
        self.changed_meanwhile = 0
        """So many changes of the policy come too late."""
        self.one = Recommendation(
            id=1,
            plan_id=7,
            state=RecommendationState.OPEN,
            hosts=("edge-1",),
            chains=("web-edge",),
            moves=1,
            gain_mpps=2.44,
            low_mpps=1.9,
            high_mpps=2.98,
            gain_percent=37.2,
            provenance=Provenance.PREDICTED,
            restores=("web-edge",),
            breaks=(),
            trust=TrustVerdict.TRUSTED,
            trust_why="5 of 6 outcomes inside their intervals, mean error 2.1 %",
            created_at=NOW,
        )

    def view(self) -> PolicyView:
        return PolicyView(
            policy=self.policy,
            status="recommended, for a gain of 2.44 value x Mpps",
            evaluated_at=NOW,
            changed_at=NOW,
            changed_by="ada",
            version=self.version,
        )

    def asked(self, method: str, body: Any, tag: str | None) -> PolicyView | None:
        """GET or PUT; None: it has changed since it was read."""
        if method == "GET":
            return self.view()
        if self.changed_meanwhile:
            self.changed_meanwhile -= 1
            self.version += 1
        if tag != f'"{self.version}"':
            return None
        self.policy = RecommendationPolicy.model_validate(body)
        self.version += 1
        return self.view()

    def policies(self) -> list[ScopedPolicy]:
        """The fleet's, and those of hosts and chains."""
        scopes = {("fleet", None): self.policy.mode, **self.modes}
        return [
            ScopedPolicy(
                id=number,
                law="octans",
                scope=PolicyScope(scope),
                name=name,
                mode=mode,
                changed_at=NOW,
                changed_by="ada",
            )
            for number, ((scope, name), mode) in enumerate(scopes.items())
        ]

    def set_mode(self, scope: str, name: str, mode: str) -> ScopedPolicy:
        """Of a host or chain."""
        self.modes[scope, name] = PolicyMode(mode)
        return next(one for one in self.policies() if one.name == name)

    def automation(self) -> Automation:
        """All laws."""
        law = LawView(
            name="octans",
            title="Octans",
            summary="Moves NFs.",
            mode=self.policy.mode,
            status="recommended, for a gain of 2.44 value x Mpps",
            evaluated_at=NOW,
        )
        return Automation(stopped=self.stopped, changed_at=NOW, changed_by="ada", version=1, laws=(law,))

    def automation_of_host(self) -> HostAutomation:
        """Of edge-1."""
        law = LawOnHost(
            law="octans",
            title="Octans",
            mode=self.policy.mode,
            source=PolicySource.FLEET,
            changed_by="ada",
            changed_at=NOW,
            chains=(),
            policy="Recommends, and changes nothing by itself: the fleet's policy is recommend, set by ada.",
            held_back=("Operation 12 is at work on this host: nothing is evaluated until it has ended.",),
            status="an operation runs",
            evaluated_at=NOW,
            next_at=NOW + timedelta(seconds=15),
            recommendations=(self.one,),
        )
        restarts = UnattendedAction(kind="restart", text="The agent restarts an NF that ends.")
        return HostAutomation(host="edge-1", stopped=self.stopped, laws=(law,), others=(restarts,))

    def decide(self, action: str) -> Recommendation | None:
        """None: it is not open."""
        if self.one.state is not RecommendationState.OPEN:
            return None
        state = RecommendationState.ACCEPTED if action == "accept" else RecommendationState.DISMISSED
        operation = 1 if action == "accept" else None
        self.one = self.one.model_copy(update={"state": state, "operation_id": operation, "decided_by": "ada"})
        return self.one
