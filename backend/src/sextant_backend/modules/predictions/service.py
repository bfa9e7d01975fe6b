"""Predictions in force beside what their chains carry, read."""

from itertools import groupby

from sextant_domain.plans.predictions import FleetPredictions, HostPredictions, StandingPrediction
from sqlalchemy.orm import Session

from sextant_backend.modules.outcomes import outcome_evaluation
from sextant_backend.modules.outcomes.trust import OCTANS, TIME_SHARING
from sextant_backend.modules.predictions import repository
from sextant_backend.modules.predictions.repository import LEAST_SAMPLES, WINDOW, InForce


def standing(session: Session, host: str | None = None) -> FleetPredictions:
    """Of the whole fleet, or of one host: by host, by chain; what plans rest on, and not what other predictors say."""
    rows = repository.in_force(session, (OCTANS, TIME_SHARING), host)
    hosts = groupby(rows, key=lambda row: (row.host, row.plan_id, row.generation, row.predictor))
    return FleetPredictions(
        window_s=WINDOW.total_seconds(),
        hosts=tuple(
            HostPredictions(
                host=name,
                plan_id=plan_id,
                generation=generation,
                predictor=predictor,
                chains=tuple(_prediction(row) for row in chains),
            )
            for (name, plan_id, generation, predictor), chains in hosts
        ),
    )


def _prediction(row: InForce) -> StandingPrediction:
    offered, measured = row.offered, row.measured
    whole = row.steady and (row.samples or 0) >= LEAST_SAMPLES
    test = (
        outcome_evaluation.outcome_test(row.capacity, row.line, offered, measured)
        if whole and offered is not None and measured is not None
        else None
    )
    return StandingPrediction(
        chain=row.chain,
        bottleneck=row.bottleneck,
        predicted_mpps=_short(row.predicted),
        low_mpps=None if row.low is None else _short(row.low),
        high_mpps=None if row.high is None else _short(row.high),
        offered_mpps=None if test is None or offered is None else _short(offered),
        measured_mpps=None if test is None or measured is None else _short(measured),
        test=test,
        assumed=row.assumed,
    )


def _short(mpps: float) -> float:
    """Five significant digits: more are noise, and a third of the answer."""
    return float(f"{mpps:.5g}")
