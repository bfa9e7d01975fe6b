"""The frame of work that one worker at a time does: what comes of it is stored once, under the claim it was done by."""

from collections.abc import Callable, Iterator
from datetime import datetime

import pytest
from console_world import wait_until
from sextant_backend.faults import replaced
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.leases import claims
from sextant_backend.kit.leases.claims import Heartbeat
from sextant_backend.kit.leases.work import ClaimedWork, LeasedWork
from sextant_backend.modules.control import repository
from sextant_backend.modules.control.models import CONTROL_ROW_ID, ControlRow
from sextant_backend.settings import Settings
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

ROW = CONTROL_ROW_ID


class Saying(LeasedWork[str, str]):
    """Writes the words that it was given into the row of all laws, under points that there are."""

    model, name, points = ControlRow, "race", frozenset({"claimed", "before_store"})
    alone = False
    store_tries = 3

    def __init__(self, words: str, meanwhile: Callable[[Heartbeat], object] = lambda _: None) -> None:
        self._words, self._meanwhile = words, meanwhile
        self.refusals = 0

    def take(self, session: Session) -> ClaimedWork[str] | None:
        token = claims.claim(session, ControlRow, ROW)
        return None if token is None else ClaimedWork(ROW, token, self._words)

    def perform(self, taken: ClaimedWork[str], heart: Heartbeat) -> str:
        self._meanwhile(heart)
        return taken.what

    def store(self, session: Session, taken: ClaimedWork[str], result: str) -> None:
        row = repository.control(session, lock=True)
        claims.held(row, taken.token)
        row.changed_by, row.claim_token = result, None
        if self.refusals:
            self.refusals -= 1
            session.flush()
            raise OperationalError("commit", {}, Exception("the database is away"))

    def wait_for_database(self) -> None:
        assert said() == "nothing"


@pytest.fixture(autouse=True)
def control(clean: Settings) -> Iterator[None]:
    with session_scope() as session:
        repository.control(session).changed_by = "nothing"
    yield


def said() -> str:
    with session_scope() as session:
        return repository.control(session).changed_by


def lease_until() -> datetime | None:
    with session_scope() as session:
        return repository.control(session).lease_until


def taken_over() -> bool:
    """Whether another worker gets it now."""
    with session_scope() as session:
        return claims.claim(session, ControlRow, ROW) is not None


def test_what_came_of_it_is_stored_and_the_next_worker_may_take_it() -> None:
    reached: list[str] = []
    with replaced(reached.append):
        assert Saying("done").run()

    assert (said(), reached) == ("done", ["race.claimed", "race.before_store"])
    assert Saying("again").run() and said() == "again"


def test_who_finds_another_worker_at_it_does_nothing() -> None:
    assert taken_over()

    assert not Saying("mine", lambda _: pytest.fail("it was not claimed")).run()
    assert said() == "nothing"


def test_a_step_that_hangs_beyond_its_own_limit_is_taken_over_and_stores_nothing() -> None:
    """The step before may have had minutes: this one has half a second, and a lease then ends within 3 s."""

    def hang(heart: Heartbeat) -> None:
        heart.next_step(600)
        heart.next_step(0.5)
        wait_until(taken_over)

    assert not Saying("late", hang).run()
    assert said() == "nothing"


def test_a_step_without_a_limit_of_its_own_has_that_of_the_work_again() -> None:
    def go_on(heart: Heartbeat) -> None:
        heart.next_step(0.01)
        heart.next_step()
        first = lease_until()
        wait_until(lambda: lease_until() != first, 30)  # a beat: the short limit would have ended it
        assert not heart.lost

    assert Saying("in time", go_on).run()
    assert said() == "in time"


@pytest.mark.parametrize(("refusals", "stored"), [(2, True), (3, False)])
def test_a_result_is_stored_again_while_the_database_is_away_and_not_for_ever(refusals: int, stored: bool) -> None:
    work = Saying("kept")
    work.refusals = refusals
    if stored:
        assert work.run()
    else:
        with pytest.raises(OperationalError):
            work.run()
    assert said() == ("kept" if stored else "nothing")
