"""The frame of all work that one worker at a time does: a claim, steps with limits of their own, a result.

Rows say what is to be done; whoever is rung for it takes it, keeps it by a heartbeat, and writes down what came of it
under the claim it took. A worker that dies, freezes, or hangs in a step loses its claim and stores nothing.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

import structlog
from sextant_domain import tracing
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from sextant_backend.faults import fault_point
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.leases.claims import ClaimLostError, Heartbeat, Leased, kept
from sextant_backend.kit.leases.limits import STORE_LIMIT_S, WORK_LIMIT_S

What = TypeVar("What")
Result = TypeVar("Result")
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ClaimedWork(Generic[What]):
    """A row that this worker has claimed."""

    row_id: int
    token: str
    what: What
    """All that is needed to do it, read in the transaction of the claim."""
    traceparent: str | None = None
    """Of the request that it was asked for in: the work is a span of that trace."""


class LeasedWork(ABC, Generic[What, Result]):
    """One piece of work. `run` calls the others: `take` and `store` in transactions, `perform` between them in none."""

    model: ClassVar[type[Leased]]
    name: ClassVar[str]
    """Of its fault points."""
    points: ClassVar[frozenset[str]]
    """Those of `claimed`, `before_store` and `after_commit` that it has."""
    alone: ClassVar[bool] = True
    """Where a step hangs the process ends: nobody can stop its thread, which keeps the place of the next work of its
    kind. What else the process was at is taken over, as that of a worker that died."""
    limit_s: ClassVar[float] = WORK_LIMIT_S
    """Of the first step of `perform`, and of every further one that names no other."""
    store_tries: ClassVar[int] = 1
    """To store what came of it while the database is away."""

    @abstractmethod
    def take(self, session: Session) -> ClaimedWork[What] | None:
        """Claim it; None where nothing is due, or another worker is at it."""

    @abstractmethod
    def perform(self, taken: ClaimedWork[What], heart: Heartbeat) -> Result:
        """Do it, and say `heart.next_step` between steps. ClaimLostError where it is not to be done any more."""

    @abstractmethod
    def store(self, session: Session, taken: ClaimedWork[What], result: Result) -> None:
        """Write down what came of it; ClaimLostError where another worker has taken over (`claims.held`)."""

    def wait_for_database(self) -> None:
        """Between two tries to store."""

    def run(self) -> bool:
        """True once its result is stored; False where there was nothing to do, or another worker has taken over.

        One function, so that it reads from the claim to the stored result.
        """
        with session_scope() as session:
            taken = self.take(session)
        if taken is None:
            return False
        if "claimed" in self.points:
            fault_point(f"{self.name}.claimed")
        with tracing.span(self.name, "consumer", parent=taken.traceparent) as opened:
            opened.note({f"sextant.{self.name}": taken.row_id})
            beating = kept(self.model, taken.row_id, taken.token, step_limit_s=self.limit_s, alone=self.alone)
            try:
                with beating as heart:
                    result = self.perform(taken, heart)
                    if "before_store" in self.points:
                        fault_point(f"{self.name}.before_store")
                    for tries_left in reversed(range(self.store_tries)):
                        heart.next_step(STORE_LIMIT_S)
                        try:
                            with session_scope() as session:
                                self.store(session, taken, result)
                            break
                        except DBAPIError as error:
                            if not tries_left:
                                raise
                            _log.warning("result_not_stored", work=self.name, cause=str(error.orig).strip()[:300])
                            self.wait_for_database()
            except ClaimLostError as error:
                _log.warning("claim_lost", work=self.name, row=taken.row_id, cause=str(error))
                return False
            if "after_commit" in self.points:
                fault_point(f"{self.name}.after_commit")
            return True
