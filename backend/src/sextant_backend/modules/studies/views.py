"""Studies as the API shows them, and the event of their changes."""

from sextant_domain.console.live import StudyEvent
from sextant_domain.studies.study import Study
from sqlalchemy.orm import Session

from sextant_backend.kit.outbox import publish
from sextant_backend.modules.studies.models import StudyRow


def study(row: StudyRow) -> Study:
    """As lists and events show it."""
    return Study.model_validate({name: getattr(row, name) for name in Study.model_fields})


def changed(session: Session, row: StudyRow) -> None:
    """Count a change and publish it to every console."""
    row.version += 1
    publish_study(session, row)


def publish_study(session: Session, row: StudyRow) -> None:
    """Publish its state to every console."""
    session.flush()
    publish(session, StudyEvent(study=study(row)))
