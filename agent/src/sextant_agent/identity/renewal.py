"""Renews certificates when half of their time is left: new ones for the same key, without a restart.

The files are replaced here; whoever watches them (`tls.Credentials`) takes the new ones up.
"""

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog
from cryptography import x509
from pydantic import ValidationError
from sextant_domain.hosts.enrolment import IssuedCertificates, RenewRequest

from sextant_agent.identity.fleet_client import FleetClient, ReportFailed
from sextant_agent.identity.identity import HostIdentity, IdentityProblem, Key, signing_request

CHECK_EVERY_S = 30.0
"""Short against a day, so that a machine that slept renews as soon as it wakes."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 30.0, 900.0
SPREAD = 0.05
"""Of a certificate's life: hosts that were enrolled at once do not renew at once."""

log = structlog.get_logger()


@dataclass(frozen=True)
class Life:
    """From when to when a certificate is valid, seconds since 1970."""

    begins: float
    ends: float


def due_at(life: Life, failures: int, failed_at: float, chance: float) -> float:
    """When to (re)try, seconds since 1970; `chance` is between 0 and 1.

    Half-way through, up to 5 % of the life later; after failures 30, 60 ... 900 s from the last one, a quarter more
    or less.
    """
    half = life.begins + (life.ends - life.begins) * (0.5 + SPREAD * chance)
    if failures == 0:
        return half
    pause = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** min(failures - 1, 10))
    return failed_at + pause * (0.75 + 0.5 * chance)


@dataclass(frozen=True)
class Renewable:
    """What is renewed together: certificates of one key, with one end."""

    present: Callable[[], x509.Certificate | None]
    """None where there is none that can be read."""
    key: Callable[[], Key]
    """Raises IdentityProblem."""
    take_up: Callable[[IssuedCertificates], None]
    """Puts the next ones in place. Raises IdentityProblem where they are not for that key, OSError."""


def of_host(identity: HostIdentity, host_id: str) -> Renewable:
    """The certificate of one host."""

    def take_up(issued: IssuedCertificates) -> None:
        own = [host.certificate for host in issued.hosts if host.host_id == host_id]
        if len(own) != 1:
            raise IdentityProblem(f"the listener answered no certificate for {host_id}; the former stays")
        identity.renew(own[0])

    return Renewable(identity.certificate, identity.key, take_up)


class Renewer:
    """Runs in a thread of its own between `start` and `stop`."""

    def __init__(self, renewable: Renewable, client: FleetClient) -> None:
        """`client`: of its own; it is closed after each use."""
        self._renewable = renewable
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
        while not self._stopping.wait(CHECK_EVERY_S):
            try:
                self.renew_if_due(time.time())
            except Exception:
                log.exception("renewal error", next_step="it is tried again at the next look")

    def renew_if_due(self, now: float) -> bool:
        """Renew if it is time, seconds since 1970; True if there are new certificates."""
        present = self._renewable.present()
        if present is None:
            return False
        life = Life(present.not_valid_before_utc.timestamp(), present.not_valid_after_utc.timestamp())
        if now < due_at(life, self._failures, self._failed_at, self._chance):
            return False
        try:
            self._renew()
        except (ReportFailed, IdentityProblem, OSError) as error:
            self._failures, self._failed_at = self._failures + 1, now
            step = "it is tried again" if now < life.ends else "it has ended: enrol again"
            log.warning("certificate not renewed", cause=str(error), tries=self._failures, next_step=step)
            return False
        self._failures, self._chance = 0, random.random()  # noqa: S311 - spreads load
        return True

    def _renew(self) -> None:
        request = RenewRequest(signing_request=signing_request(self._renewable.key()))
        try:
            answer = self._client.post("/fleet/v1/renew", request.model_dump_json().encode())
            issued = IssuedCertificates.model_validate_json(answer)
        except ValidationError as error:
            raise IdentityProblem(f"the answer of the listener does not fit: {error.error_count()} fields") from error
        finally:
            self._client.reset()  # a connection a day: kept open it would carry the former certificate
        self._renewable.take_up(issued)
