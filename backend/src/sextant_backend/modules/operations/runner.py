"""Carries an operation out: claims it, performs steps, tells the decider, until no worker is needed any more."""

import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import structlog

from sextant_backend.agents import agent_for
from sextant_backend.agents.errors import AgentError
from sextant_backend.faults import fault_point
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.logging import bind_ids
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.operations import service
from sextant_backend.modules.operations.heartbeat import Heartbeat
from sextant_backend.modules.operations.lease import ClaimLostError
from sextant_backend.modules.operations.messages import Event, Looked, Run, StepResult
from sextant_backend.modules.operations.models import OperationRow
from sextant_backend.modules.operations.steps import Work, perform, point

MAX_HOSTS_AT_ONCE = 8
LOOK_S = 1.0
"""Without any result, ask so often whether a host has become due."""

_log = structlog.get_logger()


def operate(operation_id: int) -> None:
    """The OPERATE task. Returns at once where nothing is due or another worker is at it."""
    bind_ids(operation_id=operation_id)
    with session_scope() as session:
        taken = service.take(session, operation_id)
        if taken is None:
            return
        token, fence, runs = taken
        works = service.works(session, operation_id, fence)
        fault_point("operate.claiming")
    fault_point("operate.claimed")
    _log.info("operation_taken", fence=fence)
    with (
        Heartbeat(OperationRow, operation_id, token) as heart,
        ThreadPoolExecutor(max_workers=min(MAX_HOSTS_AT_ONCE, len(works)), thread_name_prefix="host") as pool,
    ):
        try:
            _Turn(operation_id, token, works, heart, pool).go_on(runs)
        except ClaimLostError as error:
            _log.warning("claim_lost", cause=str(error))


class _Turn:
    """One worker's turn at an operation."""

    def __init__(
        self,
        operation_id: int,
        token: str,
        works: dict[str, Work],
        heart: Heartbeat,
        pool: ThreadPoolExecutor,
    ) -> None:
        self._operation_id, self._token = operation_id, token
        self._works, self._heart, self._pool = works, heart, pool
        self._running: dict[Future[StepResult], Run] = {}

    def go_on(self, runs: list[Run]) -> None:
        """Until nothing runs: then the decider has released or ended the operation."""
        self._start(runs)
        while self._running:
            done, _ = wait(self._running, timeout=LOOK_S, return_when=FIRST_COMPLETED)
            if self._heart.lost:
                raise ClaimLostError(f"operation {self._operation_id}: the lease ran out")
            if not done:
                self._tell(Looked())
            for future in done:
                run = self._running.pop(future)
                ended = self._tell(_result_of(future), point(run.step, run.undo, "before_commit"))
                fault_point(point(run.step, run.undo, "after_commit"))
                if ended:
                    fault_point("operate.ended")

    def _tell(self, event: Event, before_commit: str | None = None) -> bool:
        with session_scope() as session:
            runs, ended = service.tell(session, self._operation_id, self._token, event)
            if before_commit is not None:
                fault_point(before_commit)
        self._start(runs)
        return ended

    def _start(self, runs: list[Run]) -> None:
        for run in runs:
            self._running[self._pool.submit(self._perform, run)] = run

    def _perform(self, run: Run) -> StepResult:
        """In a thread of its own: only the agent, and of the database its reach, at every step, and its files."""
        time.sleep(run.after_s)
        with session_scope() as session:
            reach = hosts.reach(session, run.host)
        return perform(run.step, run.undo, self._works[run.host], agent_for(run.host, reach))


def _result_of(future: Future[StepResult]) -> StepResult:
    try:
        return future.result()
    except AgentError as error:
        raise ClaimLostError(f"the agent has seen a newer claim: {error}") from error
