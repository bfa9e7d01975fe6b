"""What fits and their views need of other modules: stored measurements, and the versions that NF types are at."""

from collections.abc import Sequence

from sextant_domain.base import Provenance
from sextant_domain.profiling import ProfileRecord
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from sextant_backend.modules.nfs import types
from sextant_backend.modules.profiling import views
from sextant_backend.modules.profiling.models import ProfileRecordRow


def of(session: Session, host_model: str) -> list[ProfileRecord]:
    """Every measurement on hosts of that model, oldest first. Simulated ones count only where nothing was measured:
    the two are never fitted together."""
    rows = session.scalars(
        select(ProfileRecordRow).where(ProfileRecordRow.host_model == host_model).order_by(ProfileRecordRow.id)
    ).all()
    measured = [row for row in rows if row.provenance == Provenance.MEASURED]
    return [views.record(row) for row in measured or rows]


def count(session: Session, host_model: str) -> int:
    """How many measurements there are."""
    query = select(func.count()).select_from(ProfileRecordRow).where(ProfileRecordRow.host_model == host_model)
    return session.scalar(query) or 0


def host_models(session: Session) -> Sequence[str]:
    """Those on which something was measured, by name."""
    return session.scalars(select(ProfileRecordRow.host_model).distinct().order_by(ProfileRecordRow.host_model)).all()


def nf_versions(session: Session) -> dict[str, int]:
    """The version that every NF type is at."""
    return {nf_type.name: nf_type.version for nf_type in types.every(session)}
