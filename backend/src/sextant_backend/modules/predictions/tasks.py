"""Tests predictions: takes up what is new of them, measures windows, writes outcomes. For the JUDGE task."""

from datetime import timedelta

from sextant_domain.hosts.limits import limiting
from sqlalchemy.orm import Session

from sextant_backend.modules.outcomes import outcome_evaluation, views
from sextant_backend.modules.outcomes.models import OutcomeRow
from sextant_backend.modules.outcomes.outcome_evaluation import ChainExpected, NfExpected
from sextant_backend.modules.predictions import outcome_opening, repository
from sextant_backend.modules.predictions.repository import LEAST_SAMPLES, SETTLING, WINDOW, Window
from sextant_backend.settings import get_settings

AGAIN = timedelta(minutes=10)
"""To the second window; then twice as long each time, as chains that stay as they are show little that is new."""
MOST_SELDOM = timedelta(days=1)
PLANS_A_TURN = 5
WINDOWS_A_TURN = 500


def turn(session: Session) -> int:
    """Take up what was applied or promoted, and judge what was measured; returns how many outcomes there are more."""
    if not repository.take_turn(session):
        return 0
    for plan_id in repository.applied(session, PLANS_A_TURN):
        outcome_opening.with_plan(session, plan_id)
    for host_model in repository.promoted(session):
        outcome_opening.with_models(session, host_model)
    return sum(_judge(session, window) for window in repository.due(session, WINDOWS_A_TURN))


def _judge(session: Session, window: Window) -> bool:
    """True where an outcome was written."""
    row = window.row
    if not window.in_force:
        session.delete(row)  # another order has been booked, whose own plan predicts
        return False
    if not window.ran or window.samples < LEAST_SAMPLES or window.provenance is None:
        row.window_from = window.now + SETTLING
        return False
    session.add(_outcome(session, window, window.provenance))
    row.window_from = window.now + min(AGAIN * 2**row.measured, MOST_SELDOM)
    row.measured = min(row.measured + 1, 20)
    return True


def _outcome(session: Session, window: Window, provenance: str) -> OutcomeRow:
    row = window.row
    offered, measured = window.offered_mpps or 0.0, window.measured_mpps or 0.0
    test = outcome_evaluation.outcome_test(row.capacity_mpps, row.line_mpps, offered, measured)
    limit = limiting(repository.loads(session, row))
    own = next((NfExpected(**nf) for nf in row.nfs if limit is not None and nf["nf_id"] == limit[0]), None)
    expected = ChainExpected(row.nf_id, row.nf_type, row.version, row.predicted_mpps, row.low_mpps, row.high_mpps)
    judged = outcome_evaluation.judged(expected, own, test, measured, get_settings().trust_band_percent)
    return OutcomeRow(
        plan_id=row.plan_id,
        chain=row.chain,
        host_id=row.host_id,
        host_model=row.host_model,
        nf_id=row.nf_id,
        nf_type=row.nf_type,
        predictor=row.predictor,
        version=row.version,
        predicted_mpps=row.predicted_mpps,
        low_mpps=row.low_mpps,
        high_mpps=row.high_mpps,
        interval_source=row.interval_source,
        measured_mpps=measured,
        offered_mpps=offered,
        test=test.value,
        limited_nf_id=limit and limit[0],
        limited_sign=limit and limit[1].value,
        judged=views.judged_rows(judged, row.host_model, row.predictor),
        seconds=WINDOW.total_seconds(),
        provenance=provenance,
    )
