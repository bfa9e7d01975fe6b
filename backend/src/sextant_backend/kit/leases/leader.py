"""Of several processes that could do the same, one leads: by a lease in the database and by the database's clock.

The leader renews its lease in the transaction in which it works, and the row stays locked until that ends. So a process
that was frozen, and comes back after another has taken over, finds that out before it changes anything.
"""

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache

from sqlalchemy import BigInteger, Text, bindparam, case, func, or_, select, update
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.orm import Mapped, Session, mapped_column
from sqlalchemy.sql.dml import ReturningUpdate

from sextant_backend.kit.db import Base
from sextant_backend.kit.leases.claims import new_token
from sextant_backend.kit.leases.limits import LEASE_S


class LeaderRow(Base):
    """Who leads in one duty."""

    __tablename__ = "leaders"

    duty: Mapped[str] = mapped_column(primary_key=True)
    holder: Mapped[str | None]
    """The process that leads, or led last (`Candidate.name`); None where it has stepped down."""
    term: Mapped[int] = mapped_column(BigInteger, server_default="0")
    """One more with every change of the leader."""
    lease_until: Mapped[datetime | None]
    rung: Mapped[dict[str, float]] = mapped_column(JSONB, server_default="{}")
    """When the leader did what recurs, by name: seconds since 1970."""


@dataclass(frozen=True)
class Term:
    """What the leader knows in one transaction."""

    number: int
    now: float
    """By the database's clock: seconds since 1970."""
    rung: Mapping[str, float]


@dataclass
class Candidate:
    """One process that may lead in a duty."""

    duty: str
    name: str = field(default_factory=lambda: f"{socket.gethostname()}/{os.getpid()}/{new_token()}")
    """Machine and process, for people; random behind that, as process ids are used again."""

    def lead(self, session: Session, rung: Mapping[str, float] | None = None) -> Term | None:
        """Renew the lease, or take one that has run out, and note what was done in `rung`; None where another leads.

        Waits for nobody: whoever has locked the row leads.
        """
        term = self._take(session, rung or {})
        if term is None and self._is_first(session):
            term = self._take(session, rung or {})
        return term

    def step_down(self, session: Session) -> None:
        """Whoever comes next need not wait for the lease to run out."""
        left = update(LeaderRow).where(LeaderRow.duty == self.duty, LeaderRow.holder == self.name)
        session.execute(left.values(holder=None))

    def _is_first(self, session: Session) -> bool:
        """Nobody has led yet, and there is a row now."""
        made = insert(LeaderRow).values(duty=self.duty).on_conflict_do_nothing().returning(LeaderRow.duty)
        return session.execute(made).first() is not None

    def _take(self, session: Session, rung: Mapping[str, float]) -> Term | None:
        given = {"its_duty": self.duty, "who": self.name, "what_was_rung": dict(rung)}
        found = session.execute(_taking(), given).one_or_none()
        return None if found is None else Term(found[0], float(found[1]), found[2])


@lru_cache(maxsize=1)
def _taking() -> ReturningUpdate[int, int, dict[str, float]]:
    """Made once: it is asked every second."""
    row, now = LeaderRow, func.clock_timestamp()
    duty, who = bindparam("its_duty", type_=Text), bindparam("who", type_=Text)
    mine = row.holder == who
    over = or_(row.holder.is_(None), row.lease_until < now)
    free = select(row.duty).where(row.duty == duty, or_(mine, over)).with_for_update(skip_locked=True)
    return (
        update(row)
        .where(row.duty == free.scalar_subquery())
        .values(
            holder=who,
            term=row.term + case((mine, 0), else_=1),
            lease_until=now + timedelta(seconds=LEASE_S),
            rung=row.rung.op("||")(bindparam("what_was_rung", type_=JSONB)),
        )
        .returning(row.term, func.extract("epoch", now), row.rung)
        .execution_options(synchronize_session=False)
    )
