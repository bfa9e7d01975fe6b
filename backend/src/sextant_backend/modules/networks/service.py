"""Keeps what a training leaves, and says which networks plans go by."""

import structlog
from sextant_domain.profiling.assigner import PromotedNetwork
from sextant_domain.studies.school import SchoolReport
from sextant_engine.errors import BadEngineInput
from sqlalchemy.orm import Session

from sextant_backend.modules.networks import contents, repository, views
from sextant_backend.modules.networks.models import NetworkRow

MAX_NETWORKS = 200
"""Kept; beyond, those that were never promoted go, the oldest first."""
_log = structlog.get_logger()


def keep(session: Session, document: bytes, report: SchoolReport, study_id: int | None, who: str) -> str:
    """Store what a training left, once; the digest of its weights. Raises BadEngineInput by field where it is not what
    the engine computes by, or not what the report says."""
    trained = contents.read(document, report.cores)
    repository.lock(session)
    row = NetworkRow(
        weights=trained.digest,
        cores=report.cores,
        document=document,
        report=report.model_dump(mode="json"),
        study_id=study_id,
        trained_at=trained.training.trained_at,
        trained_by=who,
    )
    repository.add(session, row)
    repository.forget_oldest(session, MAX_NETWORKS)
    return trained.digest


def in_force(session: Session) -> tuple[PromotedNetwork, ...]:
    """By number of cores. Weights that are not any more what was stored are passed over: hosts then refuse plans by a
    network, and say so."""
    rows, found = repository.in_force(session), []
    documents = repository.documents(session, {row.weights for row in rows})
    steps = repository.steps_of(session, documents)
    for row in rows:
        try:
            trained = contents.read(documents[row.weights], row.cores, row.weights)
        except BadEngineInput as error:
            _log.error("network_passed_over", weights=row.weights, cause=str(error))
            continue
        raw = trained.weights.model_dump_json()
        found.append(views.promoted(row, steps[row.weights], raw))
    return tuple(found)


def cores_in_force(session: Session) -> set[int]:
    """Numbers of cores for which one is; its weights are not looked at."""
    return {row.cores for row in repository.in_force(session)}
