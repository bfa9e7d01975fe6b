"""Queries of artefacts, their content and their uses."""

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import delete, func, or_, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, contains, equal
from sextant_backend.modules.artefacts.models import ArtefactPieceRow, ArtefactRow, ArtefactUseRow, NfTypeArtefactRow
from sextant_backend.modules.chains.models import ChainRow

ORDER = Order(
    "id", "-id", id=ArtefactRow.id, name=ArtefactRow.name, kind=ArtefactRow.kind, size_bytes=ArtefactRow.size_bytes
)

_STORING = text("SELECT pg_advisory_xact_lock(hashtext('sextant.artefacts'))")
_LIVING = ArtefactRow.deleted_at.is_(None)


def lock_storing(session: Session) -> None:
    """Until the end of the transaction nobody else stores one: versions are counted and limits judged in turn."""
    session.execute(_STORING)


def living(session: Session, digest: str, *, lock: bool = False) -> ArtefactRow | None:
    """The artefact of that digest that is not deleted."""
    query = select(ArtefactRow).where(ArtefactRow.digest == digest, _LIVING)
    return session.scalars(query.with_for_update() if lock else query).one_or_none()


def living_of(session: Session, digests: Iterable[str]) -> dict[str, ArtefactRow]:
    """Those of the digests that are there, by digest; they cannot be deleted before the end of the transaction."""
    query = select(ArtefactRow).where(ArtefactRow.digest.in_(list(digests)), _LIVING).order_by(ArtefactRow.id)
    return {row.digest: row for row in session.scalars(query.with_for_update(read=True, key_share=True))}


def size_of(session: Session, digests: Iterable[str]) -> int:
    """Bytes of those of the digests that are there, together."""
    query = select(func.coalesce(func.sum(ArtefactRow.size_bytes), 0)).where(ArtefactRow.digest.in_(list(digests)))
    return int(session.scalar(query.where(_LIVING)) or 0)


def page(session: Session, asked: Paging, kind: str | None, search: str | None) -> Found[ArtefactRow]:
    """A page of artefacts: of one kind, with `search` in the name or at the digest's start."""
    query = select(ArtefactRow).where(_LIVING, *equal({ArtefactRow.kind: kind}))
    if search is not None:
        digits = search.lower().removeprefix("sha256:")
        query = query.where(
            or_(*contains(ArtefactRow.name, search), ArtefactRow.digest.startswith(f"sha256:{digits}", autoescape=True))
        )
    return ORDER.read(session, query, asked)


def newest_version(session: Session, name: str) -> int:
    """The highest version that the name ever had; 0 for a new name."""
    return session.scalar(select(func.max(ArtefactRow.version)).where(ArtefactRow.name == name)) or 0


def stored(session: Session) -> tuple[int, int]:
    """How many there are, and the sum of their bytes."""
    query = select(func.count(), func.coalesce(func.sum(ArtefactRow.size_bytes), 0)).where(_LIVING)
    number, size = session.execute(query).one()
    return number, int(size)


def add(session: Session, row: ArtefactRow, pieces: Iterable[bytes]) -> None:
    """Store a new artefact with its content; one piece at a time is in memory."""
    session.add(row)
    session.flush()
    for number, content in enumerate(pieces):
        piece = {"artefact_id": row.id, "number": number, "content": content}
        session.execute(insert(ArtefactPieceRow).values(**piece))


def piece(session: Session, artefact_id: int, number: int) -> bytes | None:
    """A piece of the content; None after the last."""
    return session.scalar(select(ArtefactPieceRow.content).filter_by(artefact_id=artefact_id, number=number))


def bury(session: Session, row: ArtefactRow) -> None:
    """Forget the content and free the digest; name and version stay taken."""
    session.execute(delete(ArtefactPieceRow).where(ArtefactPieceRow.artefact_id == row.id))
    row.deleted_at = session.scalar(select(func.clock_timestamp()))


def note_uses(session: Session, chain_name: str, artefact_ids: Iterable[int]) -> None:
    """The living chain of that name uses these artefacts; those it used before stay noted."""
    chain = select(ChainRow.id).where(ChainRow.name == chain_name, ChainRow.deleted_at.is_(None)).scalar_subquery()
    for artefact_id in artefact_ids:
        use = insert(ArtefactUseRow).values(chain_id=chain, artefact_id=artefact_id)
        session.execute(use.on_conflict_do_nothing())


def note_uses_of_type(session: Session, nf_type: str, artefact_ids: Sequence[int]) -> None:
    """Every living chain that names the NF type uses these artefacts, too."""
    naming = ChainRow.spec.contains({"nfs": [{"type": nf_type}]})
    uses = (
        select(ChainRow.id, ArtefactRow.id)
        .join(ArtefactRow, ArtefactRow.id.in_(artefact_ids))
        .where(ChainRow.deleted_at.is_(None), naming)
    )
    stored = insert(ArtefactUseRow).from_select(["chain_id", "artefact_id"], uses)
    session.execute(stored.on_conflict_do_nothing())


def set_type_files(session: Session, nf_type: str, artefact_ids: Iterable[int]) -> None:
    """The NF type names these artefacts, and no others."""
    session.execute(delete(NfTypeArtefactRow).where(NfTypeArtefactRow.nf_type == nf_type))
    for artefact_id in artefact_ids:
        session.execute(insert(NfTypeArtefactRow).values(nf_type=nf_type, artefact_id=artefact_id))


def types_of(session: Session, artefact_ids: Sequence[int]) -> Mapping[int, tuple[str, ...]]:
    """Of each artefact that registered NF types name: their names."""
    query = select(NfTypeArtefactRow.artefact_id, NfTypeArtefactRow.nf_type).order_by(NfTypeArtefactRow.nf_type)
    found: dict[int, tuple[str, ...]] = {}
    for artefact_id, name in session.execute(query.where(NfTypeArtefactRow.artefact_id.in_(artefact_ids))):
        found[artefact_id] = (*found.get(artefact_id, ()), name)
    return found


def users_of(session: Session, artefact_ids: Sequence[int], most: int) -> Mapping[int, tuple[int, tuple[str, ...]]]:
    """Of each artefact that living chains use: how many, and the names of the first `most`."""
    place = func.row_number().over(partition_by=ArtefactUseRow.artefact_id, order_by=ChainRow.name).label("place")
    total = func.count().over(partition_by=ArtefactUseRow.artefact_id).label("total")
    uses = (
        select(ArtefactUseRow.artefact_id, ChainRow.name, place, total)
        .join(ChainRow, ChainRow.id == ArtefactUseRow.chain_id)
        .where(ArtefactUseRow.artefact_id.in_(artefact_ids), ChainRow.deleted_at.is_(None))
        .subquery()
    )
    found: dict[int, tuple[int, tuple[str, ...]]] = {}
    for row in session.execute(select(uses).where(uses.c.place <= most).order_by(uses.c.artefact_id, uses.c.place)):
        _, names = found.get(row.artefact_id, (0, ()))
        found[row.artefact_id] = row.total, (*names, row.name)
    return found
