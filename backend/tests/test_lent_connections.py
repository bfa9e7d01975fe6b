"""A connection is looked at before it is lent: one that has ended is replaced, and none is asked a statement for it."""

import pytest
from sextant_backend.kit import db
from sextant_backend.settings import Settings, get_settings
from sqlalchemy import Engine, text
from sqlalchemy.exc import OperationalError

_PID = text("SELECT pg_backend_pid()")
_QUERY = text("SELECT query FROM pg_stat_activity WHERE pid = :pid")
_END = text("SELECT pg_terminate_backend(:pid, 5000)")


@pytest.fixture
def engine(clean: Settings) -> Engine:
    return db.make_engine(get_settings().database_url)


def _use(engine: Engine) -> int:
    with engine.connect() as connection:
        return int(connection.execute(_PID).scalar_one())


def _lend(engine: Engine) -> None:
    with engine.connect():
        pass


def _last_asked(of: int) -> str:
    with db.session_factory()() as other:
        return str(other.execute(_QUERY, {"pid": of}).scalar_one())


def _end(pid: int) -> None:
    with db.session_factory()() as other:
        assert other.execute(_END, {"pid": pid}).scalar_one()


def test_what_the_server_has_ended_is_replaced_unseen(engine: Engine) -> None:
    first = _use(engine)
    assert _use(engine) == first
    _end(first)
    second = _use(engine)
    assert second != first
    assert _use(engine) == second


def test_where_one_has_ended_all_of_its_age_are_replaced(engine: Engine) -> None:
    with engine.connect() as one, engine.connect() as other:
        pids = {int(each.execute(_PID).scalar_one()) for each in (one, other)}
    assert len(pids) == 2
    _end(min(pids))
    _end(max(pids))
    with engine.connect() as one, engine.connect() as other:
        assert pids.isdisjoint({int(each.execute(_PID).scalar_one()) for each in (one, other)})


def test_nothing_is_asked_of_one_that_was_used_a_moment_ago(engine: Engine) -> None:
    pid = _use(engine)
    before = _last_asked(pid)
    _lend(engine)
    assert _last_asked(pid) == before
    assert "pg_backend_pid" in before or before == "ROLLBACK"


def test_one_that_was_long_unused_is_asked_an_empty_statement(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(db, "ASKED_AFTER_S", 0.0)
    pid = _use(engine)
    assert _last_asked(pid) != ""
    _lend(engine)
    assert _last_asked(pid) == ""
    assert _use(engine) == pid, "it stands"


def test_a_session_that_was_ended_in_a_transaction_is_not_lent_again(engine: Engine) -> None:
    with pytest.raises(OperationalError), engine.connect() as connection:
        pid = int(connection.execute(_PID).scalar_one())
        _end(pid)
        connection.execute(_PID)
    assert _use(engine) != pid
