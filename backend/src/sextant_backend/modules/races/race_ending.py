"""What becomes of a race: deadline, measurement, score, or an end without one."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sextant_domain.plans.evidence import Algorithm
from sextant_domain.plans.plan import PlanState
from sextant_domain.plans.race import RaceState
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.modules.outcomes import repository as outcomes
from sextant_backend.modules.outcomes import trust
from sextant_backend.modules.outcomes.outcome_evaluation import Key
from sextant_backend.modules.outcomes.views import outcome
from sextant_backend.modules.plans.models import PlanRow
from sextant_backend.modules.races import repository, scoring
from sextant_backend.modules.races.models import RaceRow
from sextant_backend.modules.races.ranking import Score
from sextant_backend.modules.races.scoring import Leg, MeasuredRates

MEASURED_WITHIN = timedelta(hours=1)
"""After its plan was applied: windows come after ten seconds, and after ten minutes."""
A_TURN = 50
MOST_OUTCOMES = 1000
"""Of one plan: the first windows of all its chains, and later ones."""
_NEVER = {
    PlanState.REJECTED: "was rejected",
    PlanState.SUPERSEDED: "was superseded",
    PlanState.FAILED: "failed or was undone",
}


def settle(session: Session, algorithms: Sequence[Algorithm]) -> None:
    """End the turns of races whose time is over, score what was measured, close what never will be."""
    now = db_now(session)
    for row, plan in repository.open_ones(session, A_TURN):
        if row.state == RaceState.PLANNING and row.deadline_at < now:
            _run_out(row, algorithms)
        if row.state == RaceState.MEASURING:
            _score(session, row)
        _close(session, row, plan, now)


def after_turn(row: RaceRow, ran: Leg, algorithms: Sequence[Algorithm]) -> None:
    """Whether the (locked) race goes on: there must be something to judge by, and somebody to come."""
    unpredicted = sorted(name for name, mpps in ran.predicted.items() if mpps is None)
    if not ran.predicted:
        _end(row, "nothing is predicted of the plan itself: the workers that tried died")
    elif unpredicted:
        _end(row, f"nothing is predicted of {', '.join(unpredicted)} on these hosts, by any algorithm")
    elif len(row.legs) == len(algorithms):
        row.state, row.snapshot = RaceState.MEASURING.value, None


def _run_out(row: RaceRow, algorithms: Sequence[Algorithm]) -> None:
    """Who has not planned has failed; whoever is at a turn stores nothing any more."""
    missing = algorithms[len(row.legs) :]
    cause = "it had no turn before the race's deadline: workers made plans all the time, or were not there"
    failed = [Leg(algorithm=algorithm, error=cause).model_dump(mode="json") for algorithm in missing]
    row.claim_token, row.legs = None, [*row.legs, *failed]
    row.state, row.snapshot = RaceState.MEASURING.value, None
    if row.ran is None:
        _end(row, "no algorithm had a turn before the race's deadline")


def _score(session: Session, row: RaceRow) -> None:
    found = score_of(session, row)
    if isinstance(found, Score):
        row.score, row.state = found.model_dump(mode="json"), RaceState.SCORED.value


def _close(session: Session, row: RaceRow, plan: PlanRow, now: datetime) -> None:
    state = PlanState(plan.state)
    if row.state in (RaceState.SCORED, RaceState.ENDED):
        return
    if state in _NEVER:
        _end(row, f"plan {plan.id} {_NEVER[state]}: nothing of it was measured")
    elif state is PlanState.APPLIED and plan.tested and not repository.is_tested(session, plan.id):
        cause = "its hosts were ordered anew, or a chain there is paused, before all of its chains were measured"
        _end(row, f"plan {plan.id} was applied, but {cause}")
    elif state is PlanState.APPLIED and (plan.decided_at or now) + MEASURED_WITHIN < now:
        _end(row, f"plan {plan.id} was applied, but not all of its chains were measured within an hour")


def _end(row: RaceRow, why: str) -> None:
    row.claim_token = row.snapshot = None
    row.state, row.why = RaceState.ENDED.value, why


def measured(session: Session, row: RaceRow, legs: Sequence[Leg]) -> MeasuredRates:
    """What is known of the race's plan and of the predictors of its legs by now."""
    first = outcomes.ORDER.first(MOST_OUTCOMES)
    rows = outcomes.page(session, first, chain=None, plan=row.plan_id, nf_type=None).rows
    windows = scoring.first_windows([outcome(found) for found in rows])
    keys: set[Key] = set()
    if windows:
        keys = {key for leg in legs for name in leg.predicted for key in [leg.key(name)] if key is not None}
    return MeasuredRates(windows, trust.tests(session, list(keys)))


def score_of(session: Session, row: RaceRow) -> Score | None:
    """What became of the race; None until every chain of its plan was measured."""
    ran, legs = Leg.model_validate(row.ran or Leg(algorithm=None)), [Leg.model_validate(leg) for leg in row.legs]
    found = measured(session, row, legs)
    mpps = scoring.measured_mpps(ran, found.windows)
    if mpps is None:
        return None
    entries = tuple(scoring.entry(leg, ran, found) for leg in legs)
    return Score(measured_mpps=mpps, provenance=scoring.measured_by(found.windows), entries=entries)
