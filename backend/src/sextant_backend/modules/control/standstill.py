"""Where no law may act at this moment, in two queries for all hosts: what agents are told once a second."""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from sextant_backend.modules.control.models import CONTROL_ROW_ID, ControlRow
from sextant_backend.modules.maintenance import service as maintenance
from sextant_backend.modules.maintenance.service import Resting


@dataclass(frozen=True)
class Standstill:
    """Why laws may not act, on hosts or anywhere."""

    switch: str | None
    """Of the one switch of all laws; None: it is not set."""
    resting: Resting

    def why(self, host: str) -> str | None:
        """Of a host; None: laws may act there."""
        return self.switch or self.resting.why(host)


def read(session: Session) -> Standstill:
    """As it is now. Writes nothing: the fleet listener may read these tables only."""
    query = select(ControlRow.stopped, ControlRow.changed_by).where(ControlRow.id == CONTROL_ROW_ID)
    found = session.execute(query).one_or_none()
    switch = f"all control laws are stopped, by {found.changed_by}" if found is not None and found.stopped else None
    return Standstill(switch, maintenance.resting(session))
