"""Takes renewed certificates up while all goes on: looks every two seconds whether their files have changed."""

import threading
from collections.abc import Callable
from typing import Protocol

import structlog

from sextant_agent.identity.tls import CertificateProblem

CHECK_EVERY_S = 2.0

log = structlog.get_logger()


class Refreshed(Protocol):
    """Contexts that follow their files."""

    def refresh(self) -> bool:
        """True if new ones are in use. Raises CertificateProblem; those in use stay."""
        ...


class CertificateWatch:
    """Runs in a thread of its own between `start` and `stop`."""

    def __init__(self, credentials: Refreshed, renewed: Callable[[], None]) -> None:
        """`renewed`: called in that thread as soon as new certificates are in use."""
        self._credentials = credentials
        self._renewed = renewed
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="certificates", daemon=True)
        self.trouble: str | None = None
        """Why what the files hold cannot be used; None while it is in use."""

    def start(self) -> None:
        """Look every 2 s."""
        self._thread.start()

    def stop(self) -> None:
        """End after the check in progress, which nobody waits for."""
        self._stopping.set()

    def _run(self) -> None:
        while not self._stopping.wait(CHECK_EVERY_S):
            try:
                if self._credentials.refresh():
                    log.info("certificates renewed")
                    self._renewed()
                self.trouble = None
            except CertificateProblem as problem:
                if str(problem) != self.trouble:
                    log.error("certificate not usable", cause=str(problem))
                self.trouble = str(problem)
