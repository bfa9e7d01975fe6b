"""Outcomes as the API shows them."""

from sextant_domain.trust import Outcome

from sextant_backend.modules.outcomes.models import OutcomeRow


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
            "told": row.told,
            "seconds": row.seconds,
            "provenance": row.provenance,
            "at": row.at,
        }
    )
