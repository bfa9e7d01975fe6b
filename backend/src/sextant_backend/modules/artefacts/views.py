"""Artefacts as the API shows them."""

from collections.abc import Sequence

from sextant_domain.hosts.artefact import Artefact, FileKind
from sqlalchemy.orm import Session

from sextant_backend.modules.artefacts import repository
from sextant_backend.modules.artefacts.models import ArtefactRow

SHOWN_USERS = 20


def views(session: Session, rows: Sequence[ArtefactRow]) -> list[Artefact]:
    """One view a row, with two further queries in all."""
    ids = [row.id for row in rows]
    users, types = repository.users_of(session, ids, SHOWN_USERS), repository.types_of(session, ids)
    return [_view(row, *users.get(row.id, (0, ())), types.get(row.id, ())[:SHOWN_USERS]) for row in rows]


def _view(row: ArtefactRow, uses: int, used_by: tuple[str, ...], nf_types: tuple[str, ...]) -> Artefact:
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
        nf_types=nf_types,
    )
