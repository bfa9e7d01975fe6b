"""Keeps a claim alive while its worker works; a thread, because steps wait for agents.

Only while the work goes on: a step that hangs for longer than its limit loses the claim, and its work is taken over.
"""

import os
import sys
import threading
import time
import traceback
from types import TracebackType
from typing import Self

import structlog
from sqlalchemy.exc import SQLAlchemyError

from sextant_backend.kit.db import session_scope
from sextant_backend.kit.leases import claims
from sextant_backend.kit.leases.limits import HEARTBEAT_S

EXIT_HUNG = 70
_FRAMES = 8
_log = structlog.get_logger()


class Heartbeat:
    """`with Heartbeat(OperationRow, 7, token, step_limit_s=60) as heart:` renews until the block ends, the claim is
    lost, or no `heart.next_step()` came for the limit.

    `alone`: nobody can stop a thread that hangs, and none goes on in its place, so the process ends and whoever
    supervises it starts it anew.
    """

    def __init__(
        self, model: type[claims.Leased], row_id: int, token: str, *, step_limit_s: float, alone: bool = False
    ) -> None:
        self._model, self._row_id, self._token = model, row_id, token
        self._limit_s, self._alone = step_limit_s, alone
        self._step_limit_s = step_limit_s
        self._owner = threading.get_ident()
        self._began = time.monotonic()
        self._stop = threading.Event()
        self._lost = threading.Event()
        self._thread = threading.Thread(target=self._beat, name=f"lease-{row_id}", daemon=True)

    def __enter__(self) -> Self:
        self.next_step()
        self._thread.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    @property
    def lost(self) -> bool:
        """True once another worker has taken over, or may."""
        return self._lost.is_set()

    def next_step(self, limit_s: float | None = None) -> None:
        """The worker got on: its next step has the whole limit, or one of its own."""
        self._step_limit_s = self._limit_s if limit_s is None else limit_s
        self._began = time.monotonic()

    def _beat(self) -> None:
        while not self._stop.wait(HEARTBEAT_S):
            if time.monotonic() - self._began > self._step_limit_s:
                self._give_up()
                return
            try:
                with session_scope() as session:
                    if not claims.extend(session, self._model, self._row_id, self._token):
                        self._lost.set()
                        return
            except SQLAlchemyError as error:  # the database is away: the claim may run out, and then the fence decides
                _log.warning("lease_not_renewed", row=self._row_id, cause=type(error).__name__)

    def _give_up(self) -> None:
        frame = sys._current_frames().get(self._owner)  # where it hangs, for whoever reads the log
        _log.error(
            "step_hangs",
            kind=self._model.__name__,
            row=self._row_id,
            limit_s=self._step_limit_s,
            at="" if frame is None else "".join(traceback.format_stack(frame)[-_FRAMES:]),
            next="this process ends" if self._alone else "another worker takes it over",
        )
        self._lost.set()
        if self._alone:
            os._exit(EXIT_HUNG)
