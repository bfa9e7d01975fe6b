"""A worker's turn at a study: take it, note how far it is, write down what became of it. Each is one transaction."""

from dataclasses import dataclass
from datetime import datetime

from sextant_domain.problem import FieldError, NextAction, Problem, problem_type
from sextant_domain.studies.study import StudyProgress, StudyState
from sqlalchemy.orm import Session

from sextant_backend.kit import outbox
from sextant_backend.kit.db import db_now
from sextant_backend.kit.leases import claims
from sextant_backend.kit.tasks import TaskName
from sextant_backend.modules.networks import service as networks
from sextant_backend.modules.studies import checkpoints, repository, views
from sextant_backend.modules.studies.limits import MAX_ATTEMPTS, MAX_GOING_ON
from sextant_backend.modules.studies.models import StudyRow
from sextant_backend.modules.studies.study_outcome import (
    CancelledByOperator,
    ScenarioRefused,
    StudyDone,
    StudyFailed,
    StudyInterrupted,
    StudyLeft,
    StudyOutcome,
)


@dataclass(frozen=True)
class ClaimedStudy:
    """One study to be run under a claim."""

    study_id: int
    token: str
    toml: str
    repeat_of: int | None
    goes_on: bool
    """A training: it keeps what it can go on from."""
    created_at: datetime
    created_by: str


def take(session: Session, study_id: int) -> ClaimedStudy | None:
    """Claim the study; None where nothing is due, or where it ended by this."""
    token = claims.claim(session, StudyRow, study_id, repository.OPEN)
    if token is None:
        return None
    row = _locked(session, study_id)
    if row.cancel_requested:
        _end(session, row, StudyState.CANCELLED)
        return None
    goes_on = row.kind == "school"
    most = MAX_GOING_ON if goes_on else MAX_ATTEMPTS
    if row.attempts >= most:
        checkpoints.forget(row.id, row.created_at)
        failure = StudyFailed(f"{most} workers died while they ran it", "look into the lab's log")
        _end(session, row, StudyState.FAILED, _failed(row, failure))
        return None
    row.attempts += 1
    row.state = StudyState.RUNNING.value
    if not goes_on or row.started_at is None:
        row.progress, row.started_at = None, db_now(session)
    views.changed(session, row)
    return ClaimedStudy(
        row.id, token, repository.toml_of(session, row.id) or "", row.repeat_of, goes_on, row.created_at, row.created_by
    )


def _locked(session: Session, study_id: int) -> StudyRow:
    row = repository.get(session, study_id, lock=True)
    if row is None:
        raise claims.ClaimLostError(f"study {study_id} is gone")
    return row


def progress(session: Session, turn: ClaimedStudy, reported: StudyProgress | None) -> bool:
    """Note how far it is; True where it is to be cancelled. ClaimLostError where another worker took it over."""
    row = _locked(session, turn.study_id)
    claims.held(row, turn.token)
    dumped = None if reported is None else reported.model_dump(mode="json")
    if dumped is not None and row.progress != dumped:
        row.progress = dumped
        views.publish_study(session, row)
    return row.cancel_requested


def end_study(session: Session, turn: ClaimedStudy, finding: StudyOutcome) -> None:
    """Write down what became of it, give the claim back, and ring for the next one."""
    row = _locked(session, turn.study_id)
    claims.held(row, turn.token)
    match finding:
        case StudyDone():
            row.result, row.found = finding.result, finding.found.summary.model_dump(mode="json")
            repeated = finding.found.repeated
            row.repeated = None if repeated is None else repeated.model_dump(mode="json")
            if finding.network is not None:
                networks.keep(session, *finding.network, row.id, row.created_by)
            _end(session, row, StudyState.DONE)
        case ScenarioRefused():
            _end(session, row, StudyState.REFUSED, _refused(row, finding))
        case StudyFailed():
            _end(session, row, StudyState.FAILED, _failed(row, finding))
        case CancelledByOperator():
            _end(session, row, StudyState.CANCELLED)
        case StudyLeft() | StudyInterrupted():
            row.state = StudyState.QUEUED.value
            row.attempts -= isinstance(finding, StudyLeft)
            claims.give_back(row)
            if row.kind != "school":
                row.progress = None
            views.changed(session, row)
            outbox.ring(session, TaskName.STUDY, row.id)


def _end(session: Session, row: StudyRow, state: StudyState, error: Problem | None = None) -> None:
    row.state, row.finished_at = state.value, db_now(session)
    row.error = None if error is None else error.model_dump(mode="json")
    claims.give_back(row)
    views.changed(session, row)
    following = repository.next_queued(session)
    if following is not None:
        outbox.ring(session, TaskName.STUDY, following)


def _refused(row: StudyRow, finding: ScenarioRefused) -> Problem:
    field = f"scenario_toml.{finding.field}" if finding.field else "scenario_toml"
    step = NextAction(label="Change its file, then start it", command=f"sextant studies export {row.id}")
    if finding.remedy is not None:
        step = NextAction(label="Where studies run, then start it again", command=finding.remedy)
    return Problem(
        type=problem_type("study-refused"),
        title="The study cannot be run here" if finding.remedy else "The study cannot be run as it is written",
        status=422,
        detail=f"Study {row.id}: {finding.field or 'the scenario'}: {finding.message}.",
        errors=(FieldError(field=field, message=finding.message),),
        next_actions=(step,),
    )


def _failed(row: StudyRow, finding: StudyFailed) -> Problem:
    return Problem(
        type=problem_type("study-failed"),
        title="The study has failed",
        status=500,
        detail=f"Study {row.id}: {finding.cause}. Nothing of what it found is kept.",
        next_actions=(NextAction(label=finding.next_step[0].upper() + finding.next_step[1:]),),
    )
