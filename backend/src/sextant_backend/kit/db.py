"""One database session a request or task: committed before the reply, by nobody but this module."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from datetime import datetime
from functools import lru_cache
from select import POLLIN, poll
from time import monotonic
from typing import Annotated, Any

from fastapi import Depends, Request
from psycopg.pq import ConnStatus, ExecStatus
from pydantic_core import from_json
from sextant_domain import tracing
from sqlalchemy import DateTime, Engine, ExceptionContext, MetaData, String, create_engine, event, func, select, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine import ExecutionContext
from sqlalchemy.exc import InvalidatePoolError, SQLAlchemyError
from sqlalchemy.orm import DeclarativeBase, Mapper, Session, configure_mappers, sessionmaker

from sextant_backend.kit import wait
from sextant_backend.kit.admission import AT_ONCE, admitted
from sextant_backend.kit.errors import SextantError
from sextant_backend.settings import get_settings

STATEMENT_LIMIT_MS = 30_000
LOCK_LIMIT_MS = 10_000
IDLE_LIMIT_MS = 5_000
"""PostgreSQL ends a connection whose transaction waits so long for its process: one that is frozen would keep its locks
for good. With a sweep every 2 s, what it held is taken up again well within 15 s."""
LONG_IDLE_MS = 120_000
"""The same, where `allow_idle` was called."""
UNUSED_LIMIT_MS = 60_000
"""PostgreSQL ends a connection that nothing was asked of for so long: each holds some 20 MiB, and the pool, which looks
at a connection before it lends it, opens another when there is more to do."""
CONNECT_LIMIT_S = 3
ASKED_AFTER_S = 10.0
"""Of a connection that was not used for so long a statement is asked before it is lent: its server's machine may have
gone without a word."""

_LOADED_ON_PURPOSE = {"raise", "raise_on_sql", "selectin", "joined", "write_only"}


BY_BYTES = String(collation="C")
"""Of names that sort as Python sorts them: lists merge them with what is built in."""


class Base(DeclarativeBase):
    """Parent of every table. Time stamps are timestamptz, mappings are jsonb."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy's own name for it
        datetime: DateTime(timezone=True),
        dict[str, Any]: JSONB,
        dict[str, str]: JSONB,
        list[Any]: JSONB,
    }


@event.listens_for(Base, "mapper_configured", propagate=True)
def _refuse_lazy_relationships(mapper: Mapper[Any], _class: type[Any]) -> None:
    """A relationship that loads on first touch hides a query in a loop: it must say `lazy="raise"` or how it loads."""
    for relationship in mapper.relationships:
        if relationship.lazy not in _LOADED_ON_PURPOSE:
            raise TypeError(f'{relationship}: say lazy="raise", or load it with selectin or joined')


def map_classes() -> None:
    """Of all tables that are imported. SQLAlchemy does it at a process's first statement anyway; who forks processes
    does it once for all of them."""
    configure_mappers()


def make_engine(url: str) -> Engine:
    """An engine that survives a restart of the database: connections are looked at before use."""
    made = create_engine(
        url,
        pool_size=AT_ONCE,
        max_overflow=AT_ONCE,
        pool_timeout=5,
        pool_use_lifo=True,  # so that a quiet process uses one, and the others are ended
        json_deserializer=from_json,  # a third of the time of Python's own
        connect_args={
            "connect_timeout": CONNECT_LIMIT_S,
            "options": f"-c statement_timeout={STATEMENT_LIMIT_MS} -c lock_timeout={LOCK_LIMIT_MS}"
            f" -c idle_in_transaction_session_timeout={IDLE_LIMIT_MS}"
            f" -c idle_session_timeout={UNUSED_LIMIT_MS} -c timezone=UTC",
        },
    )
    _look_before_lending(made)
    if tracing.is_on():
        event.listen(made, "before_cursor_execute", _begin_span)
        event.listen(made, "after_cursor_execute", _end_span)
        event.listen(made, "handle_error", _failed_span)
    return made


def _look_before_lending(engine: Engine) -> None:
    """A connection that has ended is replaced, and with it all others of the pool that are as old: a restart of the
    database is seen by nobody.

    SQLAlchemy's own way asks a statement each time: a turn to PostgreSQL and back for every request and every round of
    a loop, half a millisecond where a process wakes once a second. A socket says at once that its other end is closed.
    """
    returned = "sextant.returned_at"

    def note_return(_connection: Any, record: Any) -> None:
        record.info[returned] = monotonic()

    def look(connection: Any, record: Any, _proxy: Any) -> None:
        at = record.info.pop(returned, None)
        if at is not None and not stands(connection.pgconn, monotonic() - at):
            raise InvalidatePoolError

    def stands(pgconn: Any, unused_s: float) -> bool:
        """Nothing comes unasked over a connection at rest but its end, and seldom a notice: a new one costs little."""
        if pgconn.status != ConnStatus.OK or has_come(pgconn.socket):
            return False
        return bool(unused_s < ASKED_AFTER_S or pgconn.exec_(b"").status == ExecStatus.EMPTY_QUERY)

    def has_come(socket: int) -> bool:
        polled = poll()
        polled.register(socket, POLLIN)
        return bool(polled.poll(0))

    event.listen(engine, "checkin", note_return)
    event.listen(engine, "checkout", look)


def _begin_span(
    _connection: Any, _cursor: Any, statement: str, _parameters: Any, context: ExecutionContext | None, _many: bool
) -> None:
    """Statements of what is traced. Their text has placeholders; values are never noted."""
    if context is not None and tracing.current() is not None:
        stack = ExitStack()
        opened = stack.enter_context(tracing.span(statement.split(maxsplit=1)[0][:20].upper(), "client"))
        opened.note({"db.system.name": "postgresql", "db.query.text": " ".join(statement.split())})
        context.sextant_span = (stack, opened)  # type: ignore[attr-defined]


def _end_span(
    _connection: Any, _cursor: Any, _statement: str, _parameters: Any, context: ExecutionContext | None, _many: bool
) -> None:
    if (span := getattr(context, "sextant_span", None)) is not None:
        del context.sextant_span  # type: ignore[union-attr]
        span[0].close()


def _failed_span(failure: ExceptionContext) -> None:
    if (span := getattr(failure.execution_context, "sextant_span", None)) is not None:
        span[1].failed(type(failure.original_exception).__name__)
        _end_span(None, None, "", None, failure.execution_context, False)


def wait_for_database(limit_s: float, *, migrated: bool = True) -> None:
    """Until PostgreSQL answers and (`migrated`) has the schema; raises wait.NotThere."""
    wait.until(lambda: _problem(migrated), "the database", limit_s)


def _problem(migrated: bool) -> str | None:
    try:
        with session_factory()() as session:
            session.execute(text("SELECT version_num FROM alembic_version" if migrated else "SELECT 1")).one()
    except SQLAlchemyError as error:
        return str(getattr(error, "orig", error)).strip()
    return None


@lru_cache(maxsize=4)
def _sessions_for(url: str) -> sessionmaker[Session]:
    return sessionmaker(make_engine(url), expire_on_commit=False)


def session_factory() -> sessionmaker[Session]:
    """The factory of this process's sessions."""
    return _sessions_for(get_settings().database_url)


def disconnect() -> None:
    """End this process's connections that nobody uses; the next session opens another."""
    session_factory().kw["bind"].dispose()


@contextmanager
def session_scope() -> Iterator[Session]:
    """A transaction for tasks and commands; commits at the end, and with a refusal that `keeps` what was written."""
    with session_factory()() as session:
        try:
            yield session
        except SextantError as refusal:
            if refusal.keeps:
                session.commit()
            raise
        session.commit()


@contextmanager
def read_snapshot(of_request: Session | None = None) -> Iterator[Session]:
    """The database as it is at one moment, to be read and not written: locks nothing that others wait for, and may take
    as long as it takes to turn the rows of a whole fleet into objects.

    `of_request`: in a request's own session, between the transaction before it, which is committed, and the one after
    it: what the engine computes from the snapshot behind the block, it computes in no transaction. Of some hosts only,
    unless `allow_idle` is called.
    """
    with nullcontext(of_request) if of_request is not None else session_factory()() as session:
        session.commit()
        session.connection(execution_options={"isolation_level": "REPEATABLE READ", "postgresql_readonly": True})
        if of_request is None:
            session.execute(text(f"SET LOCAL idle_in_transaction_session_timeout = {LONG_IDLE_MS}"))
        try:
            yield session
        except BaseException:
            session.rollback()
            raise
        session.commit()


def get_session(request: Request, _turn: Annotated[None, Depends(admitted, scope="function")]) -> Iterator[Session]:
    """The session of a request: committed when the endpoint has returned and before the reply is sent.

    An error rolls back, but for one that `keeps`. `request.state.session` is where the idempotency record finds the
    same transaction.
    """
    with session_scope() as session:
        request.state.session = session
        yield session


SessionDep = Annotated[Session, Depends(get_session, scope="function")]


def allow_idle(session: Session) -> None:
    """For the rest of its transaction this process may be silent for longer than IDLE_LIMIT_MS: it turns the rows of a
    whole fleet into objects, or waits for an agent. Only where it has locked nothing that others wait for."""
    session.execute(text(f"SET LOCAL idle_in_transaction_session_timeout = {LONG_IDLE_MS}"))


_NOW = select(func.clock_timestamp())


def db_now(session: Session) -> datetime:
    """The database's clock: the only one that leases, sessions and the watcher compare."""
    now: datetime = session.execute(_NOW).scalar_one()
    return now
