"""`python -m sextant_backend certificates`: the backend's certificate in `SEXTANT_PKI_DIR`, renewed while it runs.

With `SEXTANT_CA_KEY_FILE` this process is the authority: it makes key and certificate where there are none, signs its
own and answers the machines that ask by the database. Without, it is one of those.
"""

import signal
import socket
import time
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

import structlog
from sqlalchemy.exc import SQLAlchemyError

from sextant_backend.kit import logging
from sextant_backend.kit.db import session_scope, wait_for_database
from sextant_backend.modules.certificates import service
from sextant_backend.pki.authority import Authority
from sextant_backend.pki.store import Pair, backend_pair, kept_authority, put, renew
from sextant_backend.settings import Settings

SIGN_EVERY_S = 2.0
CHECK_EVERY_S = 30.0
"""Short against a certificate's 24 hours, so that a machine that slept renews as soon as it wakes."""
ANSWER_EVERY_S = 1.0
ASK_AGAIN_S = 60.0
_log = structlog.get_logger()


def keep(settings: Settings, folder: Path) -> None:
    """Until SIGTERM. Raises wait.NotThere or OSError."""
    logging.configure("certificates", settings.log_level)
    signal.signal(signal.SIGTERM, _end)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    pair = backend_pair(folder)
    if settings.ca_key_file is not None:
        sign_for_all(pair, settings.ca_key_file, settings.start_limit_s)
    wait_for_database(settings.start_limit_s)
    while True:
        if datetime.now(UTC) >= pair.renewal():
            ask_for(pair)
        time.sleep(CHECK_EVERY_S)


def sign_for_all(pair: Pair, key_file: Path, start_limit_s: float) -> None:
    """What the authority does. Its own pair does not wait for the database."""
    authority = renewed(pair, key_file)
    wait_for_database(start_limit_s)
    while True:
        time.sleep(SIGN_EVERY_S)
        try:
            with session_scope() as session:
                for machine in service.sign(session, authority):
                    _log.info("certificate_signed", machine=machine)
        except SQLAlchemyError as error:
            _log.warning("database_unavailable", cause=str(getattr(error, "orig", error)).strip()[:300])
        authority = renewed(pair, key_file)


def renewed(pair: Pair, key_file: Path) -> Authority:
    """The authority, and the pair that it signed, renewed where that is due."""
    now = datetime.now(UTC)
    key_file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not key_file.exists():
        _log.warning("authority_made", cause=f"{key_file} was not there", next="hosts enrolled before must enrol anew")
    authority = kept_authority(key_file, key_file.with_suffix(".crt"), now)
    if renew(pair, authority, now):
        _log.info("certificate_renewed", identity=pair.urn)
    return authority


def ask_for(pair: Pair) -> None:
    """Ask by the database, and store what was given. Asks again after a minute: the authority may have been away."""
    key, fresh = pair.key()
    asked = 0.0
    while True:
        try:
            with session_scope() as session:
                given = service.answer(session, key) if asked else None
                if given is None and (not asked or time.monotonic() > asked + ASK_AGAIN_S):
                    service.ask(session, key, socket.gethostname())
                    _log.info("certificate_asked_for", next="the process with SEXTANT_CA_KEY_FILE signs it")
                    asked = time.monotonic()
        except SQLAlchemyError as error:
            given = None
            _log.warning("database_unavailable", cause=str(getattr(error, "orig", error)).strip()[:300])
        if given is not None:
            put(pair, key if fresh else None, given.authority, given.certificate)
            _log.info("certificate_renewed", identity=pair.urn)
            return
        time.sleep(ANSWER_EVERY_S)


def _end(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)
