"""Fits as the engine would hand them over, without the engine: two NF types on the host model of the test hosts."""

from datetime import UTC, datetime
from typing import Any

from sextant_backend.kit.db import session_scope
from sextant_backend.modules.models import fitting, repository
from sextant_backend.modules.models.models import FitRow
from sextant_backend.modules.nfs.catalogue import BY_NAME
from sextant_domain.base import Provenance
from sextant_domain.profiling.fit import Fit, MetricSelection, ModelState, ModelVersion
from sextant_domain.profiling.model import LocalRemote, PerformanceModel
from sextant_engine.parameters import assumed_models

HOST_MODEL = "test-cpu 1x2"
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def a_version(nf_type: str, ideal: float, fit_id: int, **changes: Any) -> ModelVersion:
    """Method solo: throughput measured, drops assumed; usable."""
    version = changes.get("nf_version", BY_NAME[nf_type].version)
    assumed = next(model for model in assumed_models(HOST_MODEL) if model.nf_type == nf_type)
    change = {
        "version": f"fit-{fit_id}",
        "ideal_mpps": LocalRemote(local=ideal, remote=ideal),
        "ideal_provenance": Provenance.MEASURED,
        "nf_version": version,
    }
    values: dict[str, Any] = {
        "id": 0,
        "fit_id": fit_id,
        "nf_type": nf_type,
        "nf_version": version,
        "host_model": HOST_MODEL,
        "state": ModelState.CANDIDATE,
        "method": "solo",
        "model": PerformanceModel.model_validate(assumed.model_copy(update=change)),
        "curves": None,
        "sides": (),
        "scores": (),
        "held_out": (),
        "samples": 2,
        "basis": Provenance.MEASURED,
        "validated": False,
        "refusals": (),
        "created_at": NOW,
        "decided_at": None,
        "decided_by": None,
    }
    return ModelVersion(**{**values, **changes})


def a_fit(fit_id: int, *versions: ModelVersion, scale: float = 1.0, metric: str = "cycles") -> Fit:
    """A fit of these models."""
    return Fit(
        id=fit_id,
        host_model=HOST_MODEL,
        job_id=None,
        metric=MetricSelection(
            host_model=HOST_MODEL, chosen=None, used=metric, scores=(), stability=(), alone=(), note="no counters"
        ),
        scale=scale,
        models=versions,
        scores=(),
        samples=sum(version.samples for version in versions),
        seconds=0.01,
        basis=Provenance.MEASURED,
        created_at=NOW,
    )


def stored(ideals: dict[str, float], scale: float = 1.0, **changes: dict[str, Any]) -> int:
    """A fit that is done, with a model of each NF type; `changes` by NF type (`_` for `-`)."""
    with session_scope() as session:
        row = repository.add(session, FitRow(host_model=HOST_MODEL, created_by="ada"))
        versions = [
            a_version(name, ideal, row.id, **changes.get(name.replace("-", "_"), {})) for name, ideal in ideals.items()
        ]
        fitting.put(session, row, a_fit(row.id, *versions, scale=scale))
        return row.id
