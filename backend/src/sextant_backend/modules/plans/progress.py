"""How far a plan in the making is: told to every console once a second, and stopped when nobody wants it any more."""

import time

import structlog
from sextant_domain.console.live import PlanEvent
from sextant_domain.plans.evidence import PlanProgress
from sextant_domain.plans.plan import PlanState
from sqlalchemy.exc import SQLAlchemyError

from sextant_backend.kit.db import session_scope
from sextant_backend.kit.outbox import publish
from sextant_backend.modules.plans import repository, views

EVERY_S = 1.0
_log = structlog.get_logger()


class Watch:
    """What the engine calls some ten times a second; True ends its search."""

    def __init__(self, plan_id: int, token: str) -> None:
        self._plan_id, self._token = plan_id, token
        self._due_at = time.monotonic()
        self._unwanted = False

    def __call__(self, progress: PlanProgress) -> bool:
        now = time.monotonic()
        if now >= self._due_at and not self._unwanted:
            self._due_at = now + EVERY_S
            self._unwanted = not self._tell(progress)
        return self._unwanted

    def _tell(self, progress: PlanProgress) -> bool:
        """Write it down; False where the plan was rejected or superseded, or another worker has taken it over."""
        try:
            with session_scope() as session:
                row = repository.get(session, self._plan_id, lock=True)
                if row is None or row.state != PlanState.PLANNING or row.claim_token != self._token:
                    return False
                row.progress = progress.model_dump(mode="json")
                publish(session, PlanEvent(plan=views.brief(row)))
        except SQLAlchemyError as error:  # the database is away: the search goes on, and its end will tell
            _log.warning("progress_not_told", plan_id=self._plan_id, cause=type(error).__name__)
        return True
