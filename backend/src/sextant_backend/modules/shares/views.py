"""Measured shares as the API shows them."""

from collections.abc import Mapping

from sextant_domain.hosts.measured_shares import SharesVersion
from sextant_engine.modelling.promotion import staleness

from sextant_backend.modules.shares.models import SharesRow

Versions = Mapping[str, int]
"""NF type -> the version it is at now."""


def view(row: SharesRow, versions: Versions) -> SharesVersion:
    """One version."""
    return SharesVersion.model_validate(
        {
            "id": row.id,
            "host_model": row.host_model,
            "nf_type": row.nf_type,
            "nf_version": row.nf_version,
            "version": row.version,
            "state": row.state,
            "measured": row.measured,
            "provenance": row.provenance,
            "job_id": row.job_id,
            "host": row.host_id,
            "stale": staleness(row.nf_version, versions.get(row.nf_type)),
            "created_at": row.created_at,
            "created_by": row.created_by,
            "decided_at": row.decided_at,
            "decided_by": row.decided_by,
        }
    )
