"""Store, show and delete artefacts, and judge what chains name."""

from collections.abc import Iterable, Iterator

from sextant_domain.console.views import Page
from sextant_domain.hosts.artefact import FILE_SUFFIX, Artefact, FileKind
from sextant_domain.problem import FieldError, NextAction
from sqlalchemy.orm import Session

from sextant_backend.kit.db import session_scope
from sextant_backend.kit.errors import NotFound, SextantError, ValidationFailed
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.artefacts import contents, repository, views
from sextant_backend.modules.artefacts.models import ArtefactRow
from sextant_backend.modules.artefacts.references import Named
from sextant_backend.modules.artefacts.upload import Upload
from sextant_backend.modules.audit import service as audit
from sextant_backend.settings import get_settings


class OtherKind(SextantError):
    """The same bytes are there as a file of another kind."""

    kind, status, title = "artefact-of-other-kind", 409, "These bytes are stored as a file of another kind"


class ArtefactsFull(SextantError):
    """As many, or as much, as may be stored."""

    kind, status, title = "artefacts-full", 409, "There is no room for another artefact"


class ArtefactInUse(SextantError):
    """A chain or an NF type names it."""

    kind, status, title = "artefact-in-use", 409, "Chains or NF types use this artefact"


def store(session: Session, upload: Upload, who: Principal) -> tuple[Artefact, bool]:
    """The artefact of these bytes, and whether it is new; raises ValidationFailed, OtherKind or ArtefactsFull.

    Bytes that are there already are not stored again, whatever name they come under.
    """
    wrong = contents.faults(upload.kind, upload.file, upload.size)
    if wrong:
        errors = [FieldError(field="body", message=fault) for fault in wrong]
        raise ValidationFailed(
            f"{upload.name} is no file of kind {upload.kind}: {wrong[0]}. Nothing was stored.", errors=errors
        )
    repository.lock_storing(session)
    there = repository.living(session, upload.digest)
    if there is not None:
        if there.kind != upload.kind:
            raise _other_kind(there, upload.kind)
        return _view(session, there), False
    _refuse_full(session, upload.size)
    row = ArtefactRow(
        digest=upload.digest,
        name=upload.name,
        version=repository.newest_version(session, upload.name) + 1,
        kind=upload.kind.value,
        size_bytes=upload.size,
        created_by=who.username,
    )
    repository.add(session, row, upload.pieces())
    _audit(session, who, "artefact.upload", row)
    return _view(session, row), True


def _other_kind(there: ArtefactRow, asked: FileKind) -> OtherKind:
    return OtherKind(
        f"The same bytes are {there.name} version {there.version}, of kind {there.kind}; a file has one kind. "
        "Nothing was stored.",
        errors=[FieldError(field="query.kind", message=f"these bytes are known as {there.kind}, not {asked}")],
        next_actions=[NextAction(label="Delete that one first", command=f"sextant artefacts delete {there.digest}")],
    )


def _refuse_full(session: Session, size: int) -> None:
    settings = get_settings()
    number, stored = repository.stored(session)
    left = settings.max_artefacts_bytes - stored
    if number < settings.max_artefacts and size <= left:
        return
    why = (
        f"{number} are stored, as many as may be"
        if number >= settings.max_artefacts
        else f"all together may have {settings.max_artefacts_bytes} bytes; {left} are left and this one has {size}"
    )
    raise ArtefactsFull(
        f"There is no room: {why}. Nothing was stored.",
        next_actions=[NextAction(label="Delete some that no chain uses", command="sextant artefacts list")],
    )


def page(session: Session, asked: Paging, kind: FileKind | None, search: str | None) -> Page[Artefact]:
    """A page of artefacts."""
    found = repository.page(session, asked, kind and kind.value, search or None)
    return found.page(views.views(session, found.rows))


def one(session: Session, digest: str) -> Artefact:
    """One artefact; raises NotFound."""
    return _view(session, found(session, digest))


def found(session: Session, digest: str, *, lock: bool = False) -> ArtefactRow:
    """Its row; raises NotFound."""
    row = repository.living(session, digest, lock=lock)
    if row is None:
        raise NotFound(f"There is no artefact {digest}; `sextant artefacts list` shows those that are.")
    return row


def content(artefact_id: int) -> Iterator[bytes]:
    """Its bytes, a piece at a time, each in a transaction of its own: a slow reader holds no connection to the
    database. They end early where the artefact is deleted meanwhile."""
    number = 0
    while True:
        with session_scope() as session:
            piece = repository.piece(session, artefact_id, number)
        if piece is None:
            return
        yield piece
        number += 1


def delete(session: Session, row: ArtefactRow, who: Principal) -> None:
    """Forget the (locked) artefact; raises ArtefactInUse with the chains, or else the NF types, that name it."""
    uses, names = repository.users_of(session, [row.id], views.SHOWN_USERS).get(row.id, (0, ()))
    if uses:
        more = f" and {uses - len(names)} more" if uses > len(names) else ""
        raise ArtefactInUse(
            f"{row.name} version {row.version} is named by {', '.join(names)}{more}. Nothing was deleted.",
            difference={"used_by": {"chains": list(names), "count": uses}},
            next_actions=[
                NextAction(label="Delete these chains first", command=f"sextant chains delete {names[0]} --wait")
            ],
        )
    types = repository.types_of(session, [row.id]).get(row.id, ())
    if types:
        shown = ", ".join(types[: views.SHOWN_USERS])
        take_back = f"sextant nf-types update {types[0]} --set {row.kind}{FILE_SUFFIX}=none"
        raise ArtefactInUse(
            f"{row.name} version {row.version} is a default of NF type {shown}. Nothing was deleted.",
            difference={"used_by": {"nf_types": list(types[: views.SHOWN_USERS]), "count": len(types)}},
            next_actions=[NextAction(label="Take it from that type first", command=take_back)],
        )
    _audit(session, who, "artefact.delete", row)
    repository.bury(session, row)


def config_violations(session: Session, named: Iterable[Named]) -> Iterator[FieldError]:
    """What is wrong with the files a chain names. Those that are right stay until the end of the transaction."""
    named = list(named)
    there = repository.living_of(session, {one.digest for one in named})
    for one_named in named:
        message = _violation(one_named, there.get(one_named.digest))
        if message is not None:
            yield FieldError(field=one_named.field, message=message)


def _violation(named: Named, row: ArtefactRow | None) -> str | None:
    if row is None:
        return f"no artefact {named.digest} is stored; upload it first (sextant artefacts upload FILE)"
    name = f"{row.name} version {row.version}"
    if row.kind != named.kind:
        return f"{name} is a file of kind {row.kind}; {named.kind} is needed here"
    if row.size_bytes > named.max_bytes:
        return f"{name} has {row.size_bytes} bytes; {named.reader} reads at most {named.max_bytes}"
    return None


def note_uses(session: Session, chain: str, named: Iterable[Named]) -> None:
    """The chain, stored or changed in this transaction, uses these files: they cannot be deleted while it is there.

    What it used before stays with it, since a rollback orders that again.
    """
    rows = repository.living_of(session, {one.digest for one in named})
    repository.note_uses(session, chain, [row.id for row in rows.values()])


def size_of(session: Session, digests: Iterable[str]) -> int:
    """Bytes of those of the files that are there, together."""
    return repository.size_of(session, digests)


def set_type_files(session: Session, nf_type: str, digests: Iterable[str]) -> None:
    """The stored NF type names these files by default, and no others: they cannot be deleted while it does, nor while
    there is a chain that names the type now, as its next plan may give it these."""
    ids = [row.id for row in repository.living_of(session, digests).values()]
    repository.set_type_files(session, nf_type, ids)
    if ids:
        repository.note_uses_of_type(session, nf_type, ids)


def _view(session: Session, row: ArtefactRow) -> Artefact:
    return views.views(session, [row])[0]


def _audit(session: Session, who: Principal, action: str, row: ArtefactRow) -> None:
    detail = {"kind": row.kind, "size_bytes": row.size_bytes, "digest": row.digest}
    subject = f"artefact/{row.name}/{row.version}"
    audit.record(session, who.username, action, subject, detail, name=row.digest)
