"""Renews all certificates of a process when half of their time is left, as `renewal` does for one host."""

import random
import threading
import time

import structlog
from pydantic import ValidationError
from sextant_domain.enrolment import IssuedCertificates, RenewRequest

from sextant_agent.identity import IdentityProblem, signing_request
from sextant_agent.renewal import LOOK_EVERY_S, Life, due_at
from sextant_agent.reporter import FleetClient, ReportFailed
from sextant_agent.simulated.identity import FleetIdentity

log = structlog.get_logger()


class FleetRenewer:
    """Runs in a thread of its own between `start` and `stop`."""

    def __init__(self, identity: FleetIdentity, client: FleetClient) -> None:
        """`client`: of its own; it is closed after each use."""
        self._identity = identity
        self._client = client
        self._failures, self._failed_at = 0, 0.0
        self._chance = random.random()  # noqa: S311 - spreads load
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="renewer", daemon=True)

    def start(self) -> None:
        """Look every 30 s."""
        self._thread.start()

    def stop(self) -> None:
        """End after the request in progress."""
        self._stopping.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        while not self._stopping.wait(LOOK_EVERY_S):
            try:
                self.look(time.time())
            except Exception:
                log.exception("renewal error", next_step="it is tried again at the next look")

    def look(self, now: float) -> bool:
        """Renew if it is time, seconds since 1970; True if there are new certificates."""
        present = self._identity.gateway()
        if present is None:
            return False
        life = Life(present.not_valid_before_utc.timestamp(), present.not_valid_after_utc.timestamp())
        if now < due_at(life, self._failures, self._failed_at, self._chance):
            return False
        try:
            request = RenewRequest(signing_request=signing_request(self._identity.key()))
            answer = self._client.post("/fleet/v1/renew", request.model_dump_json().encode())
            self._identity.renew(IssuedCertificates.model_validate_json(answer))
        except (ReportFailed, IdentityProblem, ValidationError, OSError) as error:
            self._failures, self._failed_at = self._failures + 1, now
            step = "it is tried again" if now < life.ends else "they have ended: enrol this fleet anew"
            log.warning("certificates not renewed", cause=str(error), tries=self._failures, next_step=step)
            return False
        finally:
            self._client.reset()
        self._failures, self._chance = 0, random.random()  # noqa: S311 - spreads load
        return True
