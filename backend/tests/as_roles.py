"""A plugin for pytest: what listeners and workers do in tests, they do as their roles of the database.

    PYTHONPATH=backend/tests .venv/bin/python -m pytest -p as_roles backend/tests/test_chains_api.py

A grant that is missing fails the test as it would fail the process. Tests themselves act as the owner.
"""

import sys
from contextvars import ContextVar
from typing import Any

from sextant_backend import migrate
from sextant_backend.grants import API, FLEET, WORKER
from sextant_backend.kit import context
from sqlalchemy import Connection, event, text
from sqlalchemy.orm import Session
from starlette.types import Receive, Scope, Send

WORK = frozenset(
    {
        ("claims.py", "beat"),
        ("evaluation.py", "evaluate"),
        ("evaluation.py", "tick"),
        ("fitting.py", "make"),
        ("housekeeping.py", "housekeep"),
        ("planner.py", "make"),
        ("sealing.py", "turn"),
        ("sweep.py", "sweep"),
        ("tasks.py", "measure"),
        ("tasks.py", "operate"),
        ("tasks.py", "roll_some"),
        ("tasks.py", "run"),
        ("tasks.py", "turn"),
        ("watch.py", "round"),
    }
)
"""File and function by which workers begin."""
_listener: ContextVar[str | None] = ContextVar("listener", default=None)
_serve, _upgrade = context.RequestContext.__call__, migrate.upgrade


async def _serve_as_role(self: context.RequestContext, scope: Scope, receive: Receive, send: Send) -> None:
    _listener.set(FLEET if self._listener == "fleet" else API)
    await _serve(self, scope, receive, send)


def _upgrade_with_roles(revision: str = "head", **_: Any) -> None:
    _upgrade(revision, create_roles=True)


def _is_work() -> bool:
    frame = sys._getframe()
    while frame is not None:
        code = frame.f_code
        if "/src/sextant_" in code.co_filename and (code.co_filename.rsplit("/", 1)[-1], code.co_name) in WORK:
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


@event.listens_for(Session, "after_begin")
def _become(_session: Session, _transaction: object, connection: Connection) -> None:
    role = _listener.get() or (WORKER if _is_work() else None)
    if role is not None:
        connection.execute(text(f"SET LOCAL ROLE {role}"))


context.RequestContext.__call__ = _serve_as_role  # type: ignore[method-assign]
migrate.upgrade = _upgrade_with_roles
