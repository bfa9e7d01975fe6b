"""The catalogue as it is now: built-in types, and those that operators registered."""

from collections.abc import Iterable, Sequence

from sextant_domain.chains.nf import NfType
from sqlalchemy import select
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import ItemOrder
from sextant_backend.modules.nfs import repository
from sextant_backend.modules.nfs.catalogue import BY_NAME, CATALOGUE
from sextant_backend.modules.nfs.catalogue.registered import registered
from sextant_backend.modules.nfs.models import NfTypeRow

ORDER = ItemOrder[NfType](
    "name", name=lambda one: one.name, short_name=lambda one: one.short_name, implementation=lambda one: one.runs
)

MAX_NF_TYPES = 500
"""Built-in ones included: as many as a snapshot may have."""


def every(session: Session) -> tuple[NfType, ...]:
    """All types, sorted by name."""
    return _merged(CATALOGUE, _rows(session))


def named(session: Session, names: Iterable[str], *, keep: bool = False) -> dict[str, NfType]:
    """Those of the names that are types, by name. `keep`: what is registered among them neither changes nor goes before
    the end of the transaction."""
    names = set(names)
    built_in = [nf_type for nf_type in CATALOGUE if nf_type.name in names]
    return {nf_type.name: nf_type for nf_type in _merged(built_in, _rows(session, names=names, keep=keep))}


def short_names(session: Session, names: Iterable[str]) -> dict[str, str]:
    """Short names of types, by name; of one that is gone the beginning of its name."""
    names = set(names)
    registered_ones = names - BY_NAME.keys()
    known = {name: nf_type.short_name for name, nf_type in BY_NAME.items()}
    stored = repository.short_names(session, registered_ones) if registered_ones else {}
    return {name: stored.get(name) or known.get(name) or name[:8] for name in names}


def of_row(row: NfTypeRow) -> NfType:
    """A registered type, whose implementation there is."""
    return registered(
        BY_NAME[row.implementation],
        name=row.name,
        version=version_of(row),
        short_name=row.short_name,
        summary=row.summary,
        config=row.config,
    )


def version_of(row: NfTypeRow) -> int:
    """A new version of the implementation is one of every type that it runs for: what was measured of them is stale."""
    now = BY_NAME.get(row.implementation)
    return row.version + (max(0, now.version - row.implementation_version) if now else 0)


def _merged(built_in: Iterable[NfType], rows: Iterable[NfTypeRow]) -> tuple[NfType, ...]:
    """Sorted by name. A built-in type that came after an operator had taken its name waits for that name."""
    types = {nf_type.name: nf_type for nf_type in built_in}
    types.update({row.name: of_row(row) for row in rows if row.implementation in BY_NAME})
    return tuple(nf_type for _, nf_type in sorted(types.items()))


def _rows(
    session: Session,
    *,
    names: Iterable[str] | None = None,
    keep: bool = False,
) -> Sequence[NfTypeRow]:
    """Registered types by name, of those named where names are given. `keep`: nobody changes or removes them before the
    end of the transaction."""
    query = select(NfTypeRow).where(NfTypeRow.removed_at.is_(None)).order_by(NfTypeRow.name)
    if names is not None:
        query = query.where(NfTypeRow.name.in_(list(names)))
    return session.scalars(query.with_for_update(read=True, key_share=True) if keep else query).all()
