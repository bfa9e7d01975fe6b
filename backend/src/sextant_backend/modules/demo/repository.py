"""Reading and writing the row."""

from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from sextant_backend.modules.demo.models import DemoFleetRow


def found(session: Session) -> DemoFleetRow:
    """The row, locked; made where there is none."""
    session.execute(insert(DemoFleetRow).values(the_one=True, hosts=0).on_conflict_do_nothing())
    row = session.get(DemoFleetRow, True, with_for_update=True, populate_existing=True)
    assert row is not None  # noqa: S101 - inserted above
    return row


def hosts(session: Session) -> int:
    """How many there are to be."""
    row = session.get(DemoFleetRow, True)
    return 0 if row is None else row.hosts
