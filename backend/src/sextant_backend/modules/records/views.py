"""Stored measurements as the API shows them, and as fits are given them."""

from sextant_domain.profiling.job import ProfileRecord

from sextant_backend.modules.records.models import ProfileRecordRow


def record(row: ProfileRecordRow) -> ProfileRecord:
    """The stored measurement."""
    return ProfileRecord.model_validate(
        {
            "id": row.id,
            "job_id": row.job_id,
            "point_id": row.point_id,
            "host": row.host_id,
            "host_model": row.host_model,
            "versions": row.versions,
            "setting": row.setting,
            "request": row.request,
            "result": row.result,
            "stored_at": row.stored_at,
            "provenance": row.provenance,
        }
    )
