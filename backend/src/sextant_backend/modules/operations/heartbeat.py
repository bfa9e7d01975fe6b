"""Keeps a claim alive while its worker works; a thread, because steps wait for agents."""

import threading
from types import TracebackType
from typing import Self

import structlog
from sqlalchemy.exc import SQLAlchemyError

from sextant_backend.kit.db import session_scope
from sextant_backend.modules.operations import lease
from sextant_backend.modules.operations.limits import HEARTBEAT_S

_log = structlog.get_logger()


class Heartbeat:
    """`with Heartbeat(OperationRow, 7, token) as heart:` renews until the block ends or the claim is lost."""

    def __init__(self, model: type[lease.Leased], row_id: int, token: str) -> None:
        self._model, self._row_id, self._token = model, row_id, token
        self._stop = threading.Event()
        self._lost = threading.Event()
        self._thread = threading.Thread(target=self._beat, name=f"lease-{row_id}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    @property
    def lost(self) -> bool:
        """True once another worker has taken over."""
        return self._lost.is_set()

    def _beat(self) -> None:
        while not self._stop.wait(HEARTBEAT_S):
            try:
                with session_scope() as session:
                    if not lease.extend(session, self._model, self._row_id, self._token):
                        self._lost.set()
                        return
            except SQLAlchemyError as error:  # the database is away: the claim may run out, and then the fence decides
                _log.warning("lease_not_renewed", row=self._row_id, cause=type(error).__name__)
