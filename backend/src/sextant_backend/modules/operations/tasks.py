"""Carries an operation out: claims it, performs steps, reports to the decider, until no worker is needed any more."""

import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace

import structlog
from sextant_domain import tracing
from sqlalchemy.orm import Session

from sextant_backend.agents.client import agent_for
from sextant_backend.agents.errors import AgentError
from sextant_backend.faults import fault_point
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.leases.claims import ClaimLostError, Heartbeat
from sextant_backend.kit.leases.work import ClaimedWork, LeasedWork
from sextant_backend.kit.logging import bind_ids
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.operations import problems, service
from sextant_backend.modules.operations.events import Event, StepFailed, StepResult, StepRun, Tick
from sextant_backend.modules.operations.limits import TURN_LIMIT_S
from sextant_backend.modules.operations.models import OperationRow
from sextant_backend.modules.operations.steps import Work, limit_s, perform, point

MAX_HOSTS_AT_ONCE = 8
WAIT_STEP_S = 1.0
"""Without any result, ask so often whether a host has become due."""

_log = structlog.get_logger()


def operate(operation_id: int) -> None:
    """The OPERATE task. Returns at once where nothing is due or another worker is at it."""
    bind_ids(operation_id=operation_id)
    _Operating(operation_id).run()


@dataclass(frozen=True)
class _Given:
    """What a worker begins with."""

    works: dict[str, Work]
    """By host."""
    runs: list[StepRun]
    fence: int


class _Operating(LeasedWork[_Given, None]):
    """An operation, as far as it goes now. What comes of a step is stored with it, so that none is left at the end."""

    model, name, points = OperationRow, "operate", frozenset({"claimed"})
    alone, limit_s = False, TURN_LIMIT_S

    def __init__(self, operation_id: int) -> None:
        self._operation_id = operation_id

    def take(self, session: Session) -> ClaimedWork[_Given] | None:
        """With the next fence."""
        taken = service.take(session, self._operation_id)
        if taken is None:
            return None
        token, fence, runs = taken
        given = _Given(service.works(session, self._operation_id, fence), runs, fence)
        fault_point("operate.claiming")
        return ClaimedWork(self._operation_id, token, given, service.traceparent(session, self._operation_id))

    def perform(self, taken: ClaimedWork[_Given], heart: Heartbeat) -> None:
        """Until no worker is needed any more."""
        _log.info("operation_taken", fence=taken.what.fence)
        turn = _Turn(taken.row_id, taken.token, taken.what.works, heart)
        try:
            turn.go_on(taken.what.runs)
        finally:
            turn.close()

    def store(self, session: Session, taken: ClaimedWork[_Given], result: None) -> None:
        """Nothing."""


@dataclass
class _Step:
    """A step under way."""

    run: StepRun
    began: float | None = None
    """By this process's clock; None while it waits for its thread or its time."""


class _Turn:
    """One worker's turn at an operation."""

    def __init__(self, operation_id: int, token: str, works: dict[str, Work], heart: Heartbeat) -> None:
        self._operation_id, self._token = operation_id, token
        self._works, self._heart = works, heart
        self._pool, self._hung = self._threads(), False
        self._running: dict[Future[StepResult], _Step] = {}
        self._traceparent = tracing.current()
        """Steps run in threads, which know nothing of the span that is open here."""

    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(min(MAX_HOSTS_AT_ONCE, len(self._works)), thread_name_prefix="host")

    def go_on(self, runs: list[StepRun]) -> None:
        """Until nothing runs: then the decider has released or ended the operation."""
        self._start(runs)
        while self._running:
            done, _ = wait(self._running, timeout=WAIT_STEP_S, return_when=FIRST_COMPLETED)
            self._heart.next_step()
            if self._heart.lost:
                raise ClaimLostError(f"operation {self._operation_id}: the lease ran out")
            if not done:
                self._advance(Tick())
            for future in done:
                run = self._running.pop(future).run
                ended = self._advance(_result_of(future), point(run.step, run.undo, "before_commit"))
                fault_point(point(run.step, run.undo, "after_commit"))
                if ended:
                    fault_point("operate.ended")
            self._give_up_what_hangs()

    def close(self) -> None:
        """Wait for the steps under way, but for those that hang: what they still send has an old fence, or is known."""
        self._pool.shutdown(wait=not self._hung, cancel_futures=True)

    def _give_up_what_hangs(self) -> None:
        """Its try has failed. The thread cannot be stopped, and what it says later is not heard."""
        now = time.monotonic()
        for future, step in list(self._running.items()):
            limit = limit_s(step.run.step, self._works[step.run.host])
            if step.began is None or now - step.began <= limit or future.done():
                continue
            _log.error("step_hangs", host=step.run.host, step=step.run.step.value, limit_s=limit)
            del self._running[future]
            self._renew_threads()
            hangs = problems.hangs(step.run.host, step.run.step, limit)
            self._advance(StepFailed(step.run.host, step.run.step, hangs, definitive=False))

    def _renew_threads(self) -> None:
        """One of them is lost; what waits for it gets another."""
        self._pool.shutdown(wait=False)
        self._pool, self._hung = self._threads(), True
        waiting = [(future, step.run) for future, step in self._running.items() if future.cancel()]
        for future, run in waiting:
            del self._running[future]
            self._start([run])

    def _advance(self, event: Event, before_commit: str | None = None) -> bool:
        with session_scope() as session:
            runs, ended = service.report(session, self._operation_id, self._token, event)
            if before_commit is not None:
                fault_point(before_commit)
        self._start(runs)
        return ended

    def _start(self, runs: list[StepRun]) -> None:
        for run in runs:
            step = _Step(run)
            self._running[self._pool.submit(self._perform, step)] = step

    def _perform(self, step: _Step) -> StepResult:
        """In a thread of its own: only the agent, and of the database its reach, at every step, and its files."""
        run = step.run
        time.sleep(run.after_s)
        step.began = time.monotonic()
        with session_scope() as session:
            reach = hosts.reach(session, run.host)
        name = f"{'undo ' if run.undo else ''}{run.step.value}"
        with tracing.span(name, parent=self._traceparent) as opened:
            opened.note({"sextant.host": run.host})
            work = replace(self._works[run.host], measured=run.measured)
            result = perform(run.step, run.undo, work, agent_for(run.host, reach))
            if isinstance(result, StepFailed):
                opened.failed("StepFailed")
            return result


def _result_of(future: Future[StepResult]) -> StepResult:
    try:
        return future.result()
    except AgentError as error:
        raise ClaimLostError(f"the agent has seen a newer claim: {error}") from error
