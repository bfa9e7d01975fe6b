"""What agents are answered to their telemetry: whether laws may act. Read at most once a second, whoever reports."""

import threading
import time
from collections.abc import Collection

from sextant_domain.hosts.telemetry import TelemetryAnswer
from sqlalchemy.orm import Session

from sextant_backend.modules.control import standstill
from sextant_backend.modules.control.standstill import Standstill

READ_EVERY_S = 1.0


class TelemetryAnswers:
    """Of one process. Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: Standstill | None = None
        self._read_at = 0.0

    def answer(self, session: Session, host: str) -> bytes:
        """TelemetryAnswer as JSON."""
        return TelemetryAnswer(laws_stopped=self._now(session).why(host)).model_dump_json().encode()

    def stopped(self, session: Session, hosts: Collection[str]) -> dict[str, str]:
        """Of these hosts, those where no law may act, and why."""
        found = self._now(session)
        return {host: why for host in sorted(hosts) if (why := found.why(host)) is not None}

    def _now(self, session: Session) -> Standstill:
        with self._lock:
            if self._found is None or time.monotonic() - self._read_at >= READ_EVERY_S:
                self._found, self._read_at = standstill.read(session), time.monotonic()
            return self._found
