"""The query of a snapshot that is kept."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from sextant_backend.modules.snapshots.models import ComparisonRow


def compared(session: Session, comparison_id: int) -> bytes | None:
    """The packed snapshot of a comparison."""
    return session.scalar(select(ComparisonRow.snapshot).where(ComparisonRow.id == comparison_id))
