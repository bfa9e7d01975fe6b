"""Tables of what laws of every second say of each host: all rows of a law are written in one statement."""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from pydantic_core import to_json
from sqlalchemy import JSON, Double, ForeignKey, TextClause, delete, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, Session, mapped_column

from sextant_backend.kit.db import Base

_DIALECT = postgresql.dialect()  # type: ignore[no-untyped-call]


class LawHostRow(Base):
    """What came of the last evaluation of a host, for pages: written every second.

    Unlogged, as the samples of NFs are: it is said again within a second. What must outlast a crash of the server is in
    `control_laws`.
    """

    __abstract__ = True
    __table_args__ = ({"prefixes": ["UNLOGGED"], "postgresql_with": {"fillfactor": 50}},)

    host_id: Mapped[str] = mapped_column(ForeignKey("hosts.host_id", ondelete="CASCADE"), primary_key=True)
    evaluated_at: Mapped[datetime]
    mode: Mapped[str]
    chains: Mapped[int]
    """That the law looks after."""
    reason: Mapped[str]
    provenance: Mapped[str | None]
    """Of the figures; None where nothing was measured lately."""
    seen: Mapped[dict[str, Any]] = mapped_column(JSON)
    """What a page of the host shows beside."""


def replace_all(
    session: Session, model: type[LawHostRow], rows: Sequence[dict[str, Any]], only: frozenset[str] | None = None
) -> None:
    """Exactly these hosts are those that the law looks at, of `only` where that is given. A figure that is no number is
    stored as none, or as 0 where there must be one."""
    names = [row["host_id"] for row in rows]
    gone = delete(model).where(model.host_id.not_in(names))
    session.execute(gone if only is None else gone.where(model.host_id.in_(only)))
    if rows:
        session.execute(_replace(model), {"rows": to_json(rows, inf_nan_mode="null").decode()})


@lru_cache(maxsize=16)
def _replace(model: type[LawHostRow]) -> TextClause:
    columns = model.__table__.columns
    typed = ", ".join(f"{one.name} {one.type.compile(_DIALECT)}" for one in columns)
    given = ", ".join(
        f"COALESCE(r.{one.name}, 0)" if isinstance(one.type, Double) and not one.nullable else f"r.{one.name}"
        for one in columns
    )
    changed = ", ".join(f"{one.name} = excluded.{one.name}" for one in columns if not one.primary_key)
    return text(
        f"""
        INSERT INTO {model.__tablename__} ({", ".join(one.name for one in columns)})
        SELECT {given} FROM json_to_recordset(CAST(:rows AS json)) AS r({typed})
        JOIN hosts h ON h.host_id = r.host_id ORDER BY r.host_id
        ON CONFLICT (host_id) DO UPDATE SET {changed}
        """  # noqa: S608 - names of our own columns
    )
