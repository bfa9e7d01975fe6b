"""What the HOUSEKEEP task does: partitions made ahead, old rows dropped."""

from sqlalchemy.orm import Session

from sextant_backend.kit import idempotency
from sextant_backend.modules.alerts import service as alerts
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.auth import repository as auth
from sextant_backend.modules.comparisons import service as comparisons
from sextant_backend.modules.control import service as control
from sextant_backend.modules.enrolments import service as enrolments
from sextant_backend.modules.history import service as history
from sextant_backend.modules.maintenance import service as maintenance
from sextant_backend.modules.models import service as models
from sextant_backend.modules.notifications import service as notifications
from sextant_backend.modules.outcomes import service as outcomes
from sextant_backend.modules.races import tasks
from sextant_backend.modules.secrets import service as secrets
from sextant_backend.modules.telemetry import service as telemetry


def housekeep(session: Session) -> None:
    """One round; harmless to repeat."""
    telemetry.housekeep(session)
    history.housekeep(session)
    auth.forget_old(session)
    idempotency.forget_old(session)
    comparisons.forget_old(session)
    enrolments.forget_old(session)
    maintenance.forget_old(session)
    models.forget_old(session)
    outcomes.forget_old(session)
    control.forget_old(session)
    notifications.forget_old(session)
    alerts.forget_old(session)
    tasks.forget_old(session)
    secrets.forget_unused(session)
    audit.forget_old(session)
