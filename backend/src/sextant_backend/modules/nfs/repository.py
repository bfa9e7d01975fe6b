"""Queries of placed NFs across chains; module `chains` writes the table."""

from collections.abc import Iterable, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from sextant_backend.modules.chains.models import ChainRow, PlacedNfRow


def page(
    session: Session,
    *,
    host: str | None = None,
    chain: str | None = None,
    after: str | None = None,
    limit: int | None = None,
) -> Sequence[PlacedNfRow]:
    """Placed NFs by id, of one host or chain where named."""
    query = select(PlacedNfRow).order_by(PlacedNfRow.nf_id).limit(limit)
    if host is not None:
        query = query.where(PlacedNfRow.host_id == host)
    if chain is not None:
        query = query.where(PlacedNfRow.chain == chain)
    if after is not None:
        query = query.where(PlacedNfRow.nf_id > after)
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
