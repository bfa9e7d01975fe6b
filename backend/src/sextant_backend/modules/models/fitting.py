"""Asks for fits and makes them: claims, records, engine, versions. A worker that dies leaves it to the next one."""

import structlog
from sextant_domain.problem import NextAction, Problem, problem_type
from sextant_domain.profiling.fit import Fit, FitState, ModelVersion
from sqlalchemy import ColumnElement
from sqlalchemy.orm import Session

from sextant_backend.kit import outbox
from sextant_backend.kit.db import db_now, session_scope
from sextant_backend.kit.leases import claims
from sextant_backend.kit.leases.claims import Heartbeat
from sextant_backend.kit.leases.work import ClaimedWork, LeasedWork
from sextant_backend.kit.tasks import TaskName
from sextant_backend.modules.models import fit_inputs, repository
from sextant_backend.modules.models.models import FitRow, ModelVersionRow
from sextant_backend.modules.models.views import OF_THE_ROW
from sextant_backend.modules.records import repository as records
from sextant_backend.modules.records.views import record

MAX_TRIES = 3
FIT_LIMIT_S = 1800.0
"""All records of a host model at once: minutes where there are thousands."""
_log = structlog.get_logger()


def request(session: Session, host_model: str, job_id: int | None = None, who: str = "system") -> FitRow:
    """A fit of all that is stored of a host model by now, to be made by a worker; one that no worker has begun is
    used again. For the end of a profiling job, and for operators."""
    row = repository.not_begun(session, host_model)
    if row is None:
        row = repository.add(session, FitRow(host_model=host_model, job_id=job_id, created_by=who))
    outbox.ring(session, TaskName.FIT, row.id)
    return row


def make(fit_id: int) -> None:
    """The FIT task: fit unless it is done or somebody is at it. Failures become the fit's error."""
    _Fitting(fit_id).run()


class _Fitting(LeasedWork[int, Fit | Problem]):
    """One fit; what is taken is how often a worker began it."""

    model, name, points = FitRow, "fit", frozenset({"claimed", "before_store"})

    def __init__(self, fit_id: int) -> None:
        self._fit_id = fit_id

    def take(self, session: Session) -> ClaimedWork[int] | None:
        """Counts the try."""
        token = claims.claim(session, FitRow, self._fit_id, FitRow.state == FitState.FITTING)
        row = repository.get(session, self._fit_id)
        if token is None or row is None:
            return None
        row.tries += 1
        return ClaimedWork(row.id, token, row.tries)

    def perform(self, taken: ClaimedWork[int], heart: Heartbeat) -> Fit | Problem:
        """Models, or why there are none."""
        return _compute(taken.row_id, heart) if taken.what <= MAX_TRIES else _too_many_tries(taken.row_id)

    def store(self, session: Session, taken: ClaimedWork[int], result: Fit | Problem) -> None:
        """From now on only states of its models change."""
        row = repository.get(session, taken.row_id, lock=True)
        if row is None or row.state != FitState.FITTING:
            return
        claims.held(row, taken.token)
        claims.give_back(row)
        row.version += 1
        if isinstance(result, Problem):
            row.state, row.error = FitState.FAILED.value, result.model_dump(mode="json")
        else:
            put(session, row, result)


def _compute(fit_id: int, heart: Heartbeat) -> Fit | Problem:
    from sextant_engine.modelling.fitting import InUse, fit  # NumPy, which only this task needs

    with session_scope() as session:
        row = repository.get(session, fit_id)
        if row is None:
            raise claims.ClaimLostError(f"fit {fit_id} is gone")
        found = [record(stored) for stored in records.comparable(session, row.host_model)]
        versions, shape = fit_inputs.nf_versions(session), fit_inputs.shape(session, row.host_model)
        used, now = repository.scale_in_use(session, row.host_model), db_now(session)
    if not found:
        return _failed(fit_id, "no measurement of this host model is stored", 409)
    heart.next_step(FIT_LIMIT_S)
    try:
        return fit(
            found,
            fit_id=fit_id,
            now=now,
            host_model=row.host_model,
            cores_a_node=shape.cores_a_node,
            nodes=shape.nodes,
            most_beside=shape.most_beside,
            most_elsewhere=shape.most_elsewhere,
            job_id=row.job_id,
            in_use=InUse(*used) if used else None,
            versions_now=versions,
        )
    except Exception as error:
        _log.exception("fitting_failed", fit_id=fit_id)
        return _failed(fit_id, f"the engine stopped with {type(error).__name__}: {error}", 500)


def put(session: Session, row: FitRow, fit: Fit) -> None:
    """Write down what was found: from now on only states of its models change."""
    row.state = FitState.DONE.value
    row.body = fit.model_dump_json(exclude={"id", "host_model", "job_id", "created_at", "models"})
    row.metric, row.scale = fit.metric.used, fit.scale
    row.samples, row.basis = fit.samples, fit.basis.value
    session.add_all(_version_row(row, version) for version in fit.models)
    session.flush()


def _version_row(row: FitRow, version: ModelVersion) -> ModelVersionRow:
    return ModelVersionRow(
        fit_id=row.id,
        nf_type=version.nf_type,
        nf_version=version.nf_version,
        host_model=row.host_model,
        state=version.state.value,
        body=version.model_dump_json(exclude=OF_THE_ROW),
        model=version.model and version.model.model_dump(mode="json"),
        curves=version.curves and version.curves.model_dump(mode="json"),
        process=version.process and version.process.model_dump(mode="json"),
    )


def _failed(fit_id: int, cause: str, status: int) -> Problem:
    return Problem(
        type=problem_type("fitting-failed"),
        title="The models could not be fitted",
        status=status,
        detail=f"Fit {fit_id}: {cause}. Plans use the models they used before.",
        next_actions=(NextAction(label="Profile NF types on a host of this model, then ask for a fit again"),),
    )


def _too_many_tries(fit_id: int) -> Problem:
    return _failed(fit_id, f"{MAX_TRIES} workers died while they made it", 500)


def any_to_ring() -> ColumnElement[bool]:
    """Whether `to_ring` would find one."""
    return claims.any_unattended(FitRow, FitRow.state == FitState.FITTING)


def to_ring(session: Session) -> list[int]:
    """Fits that no worker is at although one should be."""
    return list(claims.unattended(session, FitRow, FitRow.state == FitState.FITTING))
