"""Outcomes as the API shows them."""

from collections.abc import Iterable
from typing import Any

from sextant_domain.plans.trust import JudgedModel, Outcome

from sextant_backend.modules.outcomes.models import JudgedRow, OutcomeRow


def outcome(row: OutcomeRow) -> Outcome:
    """One prediction beside what was measured."""
    return Outcome.model_validate(
        {
            "id": row.id,
            "plan_id": row.plan_id,
            "chain": row.chain,
            "host": row.host_id,
            "host_model": row.host_model,
            "nf_id": row.nf_id,
            "nf_type": row.nf_type,
            "predictor": row.predictor,
            "version": row.version,
            "predicted_mpps": row.predicted_mpps,
            "low_mpps": row.low_mpps,
            "high_mpps": row.high_mpps,
            "interval_source": row.interval_source,
            "measured_mpps": row.measured_mpps,
            "offered_mpps": row.offered_mpps,
            "test": row.test,
            "limited_by": row.limited_nf_id and {"nf_id": row.limited_nf_id, "by": row.limited_sign},
            "judged": [_judged(one) for one in row.judged],
            "seconds": row.seconds,
            "provenance": row.provenance,
            "at": row.at,
        }
    )


def _judged(row: JudgedRow) -> dict[str, Any]:
    return {name: getattr(row, name) for name in JudgedModel.model_fields}


def judged_rows(judged: Iterable[JudgedModel], host_model: str, predictor: str) -> list[JudgedRow]:
    """The other way: as they are stored."""
    return [
        JudgedRow(place=place, host_model=host_model, predictor=predictor, **one.model_dump())
        for place, one in enumerate(judged)
    ]
