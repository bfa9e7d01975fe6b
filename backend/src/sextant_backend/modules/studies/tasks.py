"""The STUDY task: one study, run by the lab in a process of its own, watched, written down.

The lab computes from the file alone: a worker that dies takes it along, and the next one begins again; a training goes
on from what it has kept on the same machine.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from sextant_backend.faults import fault_point
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.leases.claims import ClaimLostError, Heartbeat
from sextant_backend.kit.leases.work import ClaimedWork, LeasedWork
from sextant_backend.modules.studies import checkpoints, claim_next, leftovers, repository
from sextant_backend.modules.studies.child import Child
from sextant_backend.modules.studies.claim_next import ClaimedStudy
from sextant_backend.modules.studies.compression import unpack
from sextant_backend.modules.studies.limits import STORE_TRIES, WAIT_STEP_S
from sextant_backend.modules.studies.models import StudyRow
from sextant_backend.modules.studies.study_outcome import (
    CancelledByOperator,
    StudyInterrupted,
    StudyLeft,
    StudyOutcome,
    finding_of,
)

_log = structlog.get_logger()
_leaving = threading.Event()


def leave() -> None:
    """This process ends: a study that runs is left to the next one."""
    _leaving.set()


def run(study_id: int) -> None:
    """Returns at once where nothing is due or another worker is at it."""
    _Running(study_id).run()


class _Running(LeasedWork[ClaimedStudy, StudyOutcome]):
    """One study, which may have run for hours: what came of it waits for a database that is away."""

    model, name = StudyRow, "study"
    points = frozenset({"claimed", "before_store", "after_commit"})
    store_tries = STORE_TRIES

    def __init__(self, study_id: int) -> None:
        self._study_id = study_id

    def take(self, session: Session) -> ClaimedWork[ClaimedStudy] | None:
        """None also where it ended by this."""
        turn = claim_next.take(session, self._study_id)
        return None if turn is None else ClaimedWork(turn.study_id, turn.token, turn)

    def perform(self, taken: ClaimedWork[ClaimedStudy], heart: Heartbeat) -> StudyOutcome:
        """What became of it."""
        return _run(taken.what, heart)

    def store(self, session: Session, taken: ClaimedWork[ClaimedStudy], result: StudyOutcome) -> None:
        """And ring for the next one."""
        claim_next.end_study(session, taken.what, result)
        if taken.what.goes_on and not isinstance(result, StudyLeft | StudyInterrupted):
            checkpoints.forget(taken.what.study_id, taken.what.created_at)

    def wait_for_database(self) -> None:
        """Unless this process ends."""
        _leaving.wait(WAIT_STEP_S)


def _run(turn: ClaimedStudy, heart: Heartbeat) -> StudyOutcome:
    """What became of it; ClaimLostError where another worker has taken over."""
    keep = checkpoints.folder(turn.study_id, turn.created_at) if turn.goes_on else None
    with _folder() as folder, Child(folder, turn.toml, _before(turn), keep) as child:
        fault_point("study.started")
        while (status := child.wait(WAIT_STEP_S)) is None:
            heart.next_step()
            if heart.lost:
                raise ClaimLostError(f"study {turn.study_id}: the lease ran out")
            if _leaving.is_set():
                return StudyLeft()
            if _is_cancelled(turn, child):
                child.stop()
                return CancelledByOperator()
        return finding_of(status, child, goes_on=turn.goes_on)


@contextmanager
def _folder() -> Iterator[Path]:
    leftovers.remove()
    with TemporaryDirectory(prefix=leftovers.own_prefix()) as name:
        yield Path(name)


def _is_cancelled(turn: ClaimedStudy, child: Child) -> bool:
    """A database that is away for a moment does not end a study of hours: the lease says whose it is."""
    try:
        with session_scope() as session:
            return claim_next.progress(session, turn, child.progress)
    except DBAPIError as error:
        _log.warning("progress_not_written", cause=str(error.orig).strip()[:300])
        return False


def _before(turn: ClaimedStudy) -> bytes | None:
    if turn.repeat_of is None:
        return None
    with session_scope() as session:
        packed = repository.result_of(session, turn.repeat_of)
    return None if packed is None else unpack(packed)
