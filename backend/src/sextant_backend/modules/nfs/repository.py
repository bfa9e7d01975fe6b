"""Queries of placed NFs across chains (module `chains` writes the table), and of registered NF types."""

from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.modules.chains.models import ChainRow, PlacedNfRow
from sextant_backend.modules.nfs.models import NfTypeRow

ORDER = Order(
    "nf_id",
    "nf_id",
    nf_id=PlacedNfRow.nf_id,
    nf_type=PlacedNfRow.nf_type,
    host=PlacedNfRow.host_id,
    core=PlacedNfRow.core,
)

_REGISTERING = text("SELECT pg_advisory_xact_lock(hashtext('sextant.nf_types'))")
_LIVING = NfTypeRow.removed_at.is_(None)


def every(session: Session) -> Sequence[PlacedNfRow]:
    """All placed NFs, by id."""
    return session.scalars(select(PlacedNfRow).order_by(PlacedNfRow.nf_id)).all()


def page(
    session: Session, asked: Paging, *, host: str | None, chain: str | None, nf_type: str | None
) -> Found[PlacedNfRow]:
    """A page of placed NFs: on one host, of one chain, of one type."""
    row = PlacedNfRow
    return ORDER.read(
        session, select(row).where(*equal({row.host_id: host, row.chain: chain, row.nf_type: nf_type})), asked
    )


def of_hosts(session: Session, hosts: Collection[str]) -> Sequence[PlacedNfRow]:
    """The NFs that are placed on these hosts, by id."""
    query = select(PlacedNfRow).where(PlacedNfRow.host_id.in_(hosts)).order_by(PlacedNfRow.nf_id)
    return session.scalars(query).all()


def paused(session: Session, chains: Iterable[str]) -> set[str]:
    """Those of the chains that are paused."""
    query = select(ChainRow.name).where(
        ChainRow.name.in_(set(chains)), ChainRow.deleted_at.is_(None), ChainRow.spec["paused"].as_boolean()
    )
    return set(session.scalars(query))


def one(session: Session, nf_id: str) -> PlacedNfRow | None:
    """The placed NF of that id."""
    return session.get(PlacedNfRow, nf_id)


def lock_registering(session: Session) -> None:
    """Until the end of the transaction nobody else registers a type: names and their number are judged in turn."""
    session.execute(_REGISTERING)


def type_row(session: Session, name: str, *, lock: bool = False) -> NfTypeRow | None:
    """The type of that name, removed or not."""
    query = select(NfTypeRow).where(NfTypeRow.name == name).execution_options(populate_existing=True)
    return session.scalars(query.with_for_update() if lock else query).one_or_none()


def count_types(session: Session) -> int:
    """How many are registered and not removed."""
    return session.scalar(select(func.count()).select_from(NfTypeRow).where(_LIVING)) or 0


def short_names(session: Session, names: Iterable[str]) -> dict[str, str]:
    """Short names of registered types, by name."""
    query = select(NfTypeRow.name, NfTypeRow.short_name).where(_LIVING, NfTypeRow.name.in_(list(names)))
    return {row.name: row.short_name for row in session.execute(query)}


def chains_naming(session: Session, nf_type: str, most: int) -> tuple[int, tuple[str, ...]]:
    """How many living chains name the type, and the first `most` of them by name."""
    query = select(ChainRow.name, func.count().over()).where(
        ChainRow.deleted_at.is_(None), ChainRow.spec.contains({"nfs": [{"type": nf_type}]})
    )
    found = session.execute(query.order_by(ChainRow.name).limit(most)).all()
    return (found[0][1] if found else 0), tuple(name for name, _ in found)
