"""Takes studies, shows them, cancels, repeats and removes them. Running one is `tasks.py`."""

from sextant_domain.console.live import StudyGoneEvent
from sextant_domain.console.views import Page
from sextant_domain.problem import FieldError, NextAction
from sextant_domain.studies.scenario import BadScenario, Scenario, scenario_of
from sextant_domain.studies.school import SchoolScenario
from sextant_domain.studies.study import FINAL_STUDY_STATES, Study, StudyRequest, StudyScenario, StudyState
from sextant_domain.studies.summary import STUDY_SUMMARY, StudySummary
from sqlalchemy.orm import Session

from sextant_backend.kit import outbox
from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import NotFound, ValidationFailed
from sextant_backend.kit.logging import current_request_id
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal
from sextant_backend.kit.tasks import TaskName
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.studies import repository, training_costs, views
from sextant_backend.modules.studies.compression import unpack
from sextant_backend.modules.studies.errors import NoResult, StudyActionNotAllowed, TooManyStudies
from sextant_backend.modules.studies.limits import MAX_FIGURES, MAX_STUDIES
from sextant_backend.modules.studies.models import StudyRow

_ENDED = {state.value for state in FINAL_STUDY_STATES}


def start(session: Session, asked: StudyRequest, who: Principal, repeat_of: int | None = None) -> Study:
    """Store a study and ring for a worker; raises ValidationFailed with the field, TooManyStudies, or CostsMissing of a
    training by costs of a host that has none."""
    scenario, toml = _read(asked.scenario_toml), asked.scenario_toml
    if isinstance(scenario, SchoolScenario) and repeat_of is None:
        toml = training_costs.with_cost(session, scenario, toml)
        scenario = _read(toml)
    if repository.count(session) >= MAX_STUDIES:
        raise TooManyStudies(
            f"{MAX_STUDIES} studies are kept, and no more. Nothing was stored.",
            next_actions=[NextAction(label="Remove one that nobody needs", command="sextant studies list")],
        )
    row = StudyRow(
        name=scenario.name,
        summary=scenario.summary,
        kind=scenario.kind,
        machine=scenario.simulated_server,
        runs=scenario.runs,
        toml=toml,
        repeat_of=repeat_of,
        request_id=current_request_id(),
        created_by=who.username,
    )
    repository.add(session, row)
    detail = {"name": scenario.name, "kind": scenario.kind, "runs": scenario.runs}
    if repeat_of is not None:
        detail["repeat_of"] = repeat_of
    _audit(session, who, "start", row, detail)
    outbox.ring(session, TaskName.STUDY, row.id)
    views.publish_study(session, row)
    return views.study(row)


def _read(toml: str) -> Scenario:
    try:
        scenario = scenario_of(toml)
        if scenario.figures > MAX_FIGURES:
            size = f"would find about {scenario.figures} figures; the most is {MAX_FIGURES}"
            raise BadScenario("seeds", f"{size}: ask for fewer seeds, draws or placements")
    except BadScenario as error:
        field = f"scenario_toml.{error.field}" if error.field else "scenario_toml"
        raise ValidationFailed(
            f"Refused because of {error}. Nothing was stored.", errors=[FieldError(field=field, message=error.message)]
        ) from None
    return scenario


def page(session: Session, asked: Paging, state: StudyState | None, search: str | None) -> Page[Study]:
    """A page of studies: in one state, with `search` in the name."""
    found = repository.page(session, asked, state=state.value if state else None, search=search)
    return found.page(views.study(row) for row in found.rows)


def newest(session: Session, how_many: int) -> tuple[Study, ...]:
    """Every study that is not final, and the newest ones: for the snapshot of the event stream."""
    return tuple(views.study(row) for row in repository.newest(session, how_many))


def one(session: Session, study_id: int) -> Study:
    """One study; raises NotFound."""
    return views.study(found(session, study_id))


def found(session: Session, study_id: int, *, lock: bool = False) -> StudyRow:
    """Its row; raises NotFound."""
    row = repository.get(session, study_id, lock=lock)
    if row is None:
        raise NotFound(f"There is no study {study_id}; `sextant studies list` shows those that are.")
    return row


def scenario(session: Session, study_id: int) -> StudyScenario:
    """What was asked for; raises NotFound."""
    found(session, study_id)
    toml = repository.toml_of(session, study_id) or ""
    return StudyScenario(toml=toml, scenario=scenario_of(toml))


def result(session: Session, study_id: int) -> bytes:
    """StudyResult as JSON, as it was written; raises NotFound, NoResult."""
    row = found(session, study_id)
    packed = repository.result_of(session, study_id)
    if packed is None:
        raise _without_result(row)
    return unpack(packed)


def summary(session: Session, study_id: int) -> StudySummary:
    """What it says altogether; raises NotFound, NoResult."""
    row = found(session, study_id)
    tree = repository.found_in(session, study_id)
    if tree is None:
        raise _without_result(row)
    return STUDY_SUMMARY.validate_python(tree)


def _without_result(row: StudyRow) -> NoResult:
    ended = row.state in _ENDED
    return NoResult(
        f"Study {row.id} is {row.state}" + (", and so has none." if ended else ": its result comes when it is done."),
        next_actions=[NextAction(label="See why" if ended else "Watch it", command=f"sextant studies show {row.id}")],
    )


def cancel(session: Session, study_id: int, who: Principal) -> Study:
    """At once while it waits; its worker ends it while it runs. Raises StudyActionNotAllowed."""
    row = found(session, study_id, lock=True)
    if row.state in _ENDED or row.cancel_requested:
        now = f"it is {row.state}" if row.state in _ENDED else "it is being cancelled"
        raise StudyActionNotAllowed(f"Study {study_id} cannot be cancelled: {now}. Nothing was changed.")
    row.cancel_requested = True
    if row.state == StudyState.QUEUED:
        row.state, row.finished_at = StudyState.CANCELLED.value, db_now(session)
        row.claim_token = None
    _audit(session, who, "cancel", row)
    views.changed(session, row)
    return views.study(row)


def repeat(session: Session, study_id: int, who: Principal) -> Study:
    """Run it once more, and say whether it finds the same. Raises NotFound, NoResult, as `start`."""
    row = found(session, study_id)
    if row.state != StudyState.DONE:
        raise _without_result(row)
    toml = repository.toml_of(session, study_id) or ""
    return start(session, StudyRequest(scenario_toml=toml), who, repeat_of=study_id)


def remove(session: Session, row: StudyRow, who: Principal) -> None:
    """Forget the (locked) study and what it found; raises StudyActionNotAllowed."""
    if row.state not in _ENDED:
        raise StudyActionNotAllowed(
            f"Study {row.id} is {row.state}. Nothing was removed.",
            next_actions=[NextAction(label="Cancel it first", command=f"sextant studies cancel {row.id}")],
        )
    repetition = repository.open_repetition(session, row.id)
    if repetition is not None:
        raise StudyActionNotAllowed(
            f"Study {repetition} repeats study {row.id} and needs its result. Nothing was removed.",
            next_actions=[NextAction(label="Wait for it, or", command=f"sextant studies cancel {repetition}")],
        )
    _audit(session, who, "remove", row, {"name": row.name})
    session.delete(row)
    outbox.publish(session, StudyGoneEvent(id=row.id))


def _audit(
    session: Session, who: Principal, action: str, row: StudyRow, detail: dict[str, object] | None = None
) -> None:
    audit.record(session, who.username, f"study.{action}", f"study/{row.id}", detail, name=row.name)
