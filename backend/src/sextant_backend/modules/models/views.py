"""Fits and model versions as the API shows them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sextant_domain.profiling.fit import Fit, FitBrief, FitView, ModelState, ModelVersion
from sextant_engine.modelling.promotion import staleness

from sextant_backend.modules.models.models import FitRow, ModelVersionRow

Versions = Mapping[str, int]
"""NF type -> the version it is at now."""

OF_THE_ROW = {
    "id", "fit_id", "nf_type", "nf_version", "host_model", "state", "model", "curves", "process", "stale", "created_at",
    "decided_at", "decided_by",
}  # fmt: skip
"""What a model version's body leaves to its row."""


def stale(row: ModelVersionRow, versions: Versions) -> str | None:
    """Why the version describes something else than the NF type is now; None where it does not."""
    return staleness(row.nf_version, versions.get(row.nf_type))


def version_view(row: ModelVersionRow, versions: Versions, *, held_out: bool = True) -> ModelVersion:
    """A model version, whose body must have been read; without its held-out samples and its process where many are
    shown."""
    body: dict[str, Any] = json.loads(row.body)
    if not held_out:
        body["held_out"] = ()
    return ModelVersion.model_validate(
        {
            **body,
            "id": row.id,
            "fit_id": row.fit_id,
            "nf_type": row.nf_type,
            "nf_version": row.nf_version,
            "host_model": row.host_model,
            "model": row.model,
            "curves": row.curves,
            "process": row.process if held_out else None,
            "state": row.state,
            "stale": stale(row, versions),
            "created_at": row.created_at,
            "decided_at": row.decided_at,
            "decided_by": row.decided_by,
        }
    )


def brief(row: FitRow, models: Sequence[ModelVersionRow]) -> FitBrief:
    """Without what was found."""
    return FitBrief.model_validate(_brief(row, models))


def _brief(row: FitRow, models: Sequence[ModelVersionRow]) -> dict[str, Any]:
    return {
        "id": row.id,
        "host_model": row.host_model,
        "state": row.state,
        "job_id": row.job_id,
        "nf_types": tuple(model.nf_type for model in models),
        "promoted": tuple(model.nf_type for model in models if model.state == ModelState.PROMOTED),
        "metric": row.metric,
        "samples": row.samples,
        "basis": row.basis,
        "error": row.error,
        "created_at": row.created_at,
        "created_by": row.created_by,
        "version": row.version,
    }


def view(row: FitRow, models: Sequence[ModelVersionRow], versions: Versions) -> FitView:
    """A fit with all that was found; its body must have been read."""
    found = None
    if row.body is not None:
        found = Fit.model_validate(
            {
                **json.loads(row.body),
                "id": row.id,
                "host_model": row.host_model,
                "job_id": row.job_id,
                "created_at": row.created_at,
                "models": tuple(version_view(model, versions) for model in models),
            }
        )
    return FitView.model_validate({**_brief(row, models), "fit": found})
