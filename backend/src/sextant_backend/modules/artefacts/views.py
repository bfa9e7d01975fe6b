"""Artefacts as the API shows them."""

from collections.abc import Sequence

from sextant_domain.artefact import Artefact, FileKind
from sqlalchemy.orm import Session

from sextant_backend.modules.artefacts import repository
from sextant_backend.modules.artefacts.models import ArtefactRow

SHOWN_USERS = 20


def views(session: Session, rows: Sequence[ArtefactRow]) -> list[Artefact]:
    """One view a row, with one further query in all."""
    users = repository.users_of(session, [row.id for row in rows], SHOWN_USERS)
    return [_view(row, *users.get(row.id, (0, ()))) for row in rows]


def _view(row: ArtefactRow, uses: int, used_by: tuple[str, ...]) -> Artefact:
    return Artefact(
        digest=row.digest,
        name=row.name,
        version=row.version,
        kind=FileKind(row.kind),
        size_bytes=row.size_bytes,
        created_at=row.created_at,
        created_by=row.created_by,
        uses=uses,
        used_by=used_by,
    )
