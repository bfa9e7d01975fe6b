"""All tasks. Arguments are ids; every task may run twice, or be lost: the rows say what is to be done."""

from collections.abc import Callable
from threading import BoundedSemaphore

import structlog
from sextant_backend import wiring
from sextant_backend.faults import InjectedFaultError
from sextant_backend.housekeeping import housekeep as clean_up
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.tasks import Queue, TaskName
from sextant_backend.modules.audit import sealing
from sextant_backend.modules.control import each_second, evaluation
from sextant_backend.modules.history import tasks as history_tasks
from sextant_backend.modules.models import fitting
from sextant_backend.modules.notifications import tasks as notification_tasks
from sextant_backend.modules.operations import tasks as operation_tasks
from sextant_backend.modules.plans import planner
from sextant_backend.modules.predictions import tasks as prediction_tasks
from sextant_backend.modules.profiling import tasks as profiling_tasks
from sextant_backend.modules.races import tasks as race_tasks
from sextant_backend.modules.sfc2cpu import fitting as cost_fitting
from sextant_backend.modules.studies import tasks as study_tasks
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from sextant_worker.app import app
from sextant_worker.places import after, if_free
from sextant_worker.pools import THREADS

wiring.connect()
_SENDING = BoundedSemaphore(1)
"""Messages wait for their receivers: they hold one thread of the queue at most, the other is left to operations."""
_log = structlog.get_logger()
_ROLLING_UP = BoundedSemaphore(1)
_EVALUATING = BoundedSemaphore(1)
_EACH_SECOND = BoundedSemaphore(1)
_SECOND_WAITS, _EARLY_WAITS = BoundedSemaphore(1), BoundedSemaphore(1)
_PLACES = {name: BoundedSemaphore(THREADS[name]) for name in (Queue.PROFILE, Queue.STUDY)}


@app.task(name=TaskName.PLAN)
def plan(plan_id: int) -> None:
    """Make a plan."""
    _left_to_the_sweep(lambda: planner.make(plan_id))


@app.task(name=TaskName.FIT)
def fit(fit_id: int) -> None:
    """Fit all profiles of a host model."""
    _left_to_the_sweep(lambda: fitting.make(fit_id))


@app.task(name=TaskName.FIT_HOST_COST)
def fit_host_cost(fit_id: int) -> None:
    """Fit what packets cost on a host beside others."""
    _left_to_the_sweep(lambda: cost_fitting.make(fit_id))


@app.task(name=TaskName.OPERATE)
def operate(operation_id: int) -> None:
    """Carry an operation out, as far as it goes now."""
    _left_to_the_sweep(lambda: operation_tasks.operate(operation_id))


@app.task(name=TaskName.PROFILE)
def profile(job_id: int) -> None:
    """Measure the next point of a profiling job."""
    _one_of_its_queue(Queue.PROFILE, lambda: profiling_tasks.measure(job_id))


@app.task(name=TaskName.STUDY)
def study(study_id: int) -> None:
    """Run a study, to its end."""
    _one_of_its_queue(Queue.STUDY, lambda: study_tasks.run(study_id))


@app.task(name=TaskName.JUDGE)
def judge() -> None:
    """Test predictions of plans that were applied."""
    _in_a_transaction(prediction_tasks.turn)


@app.task(name=TaskName.CONTROL)
def control() -> None:
    """Evaluate the control laws that are due."""
    _if_free(_EVALUATING, evaluation.tick)


@app.task(name=TaskName.CONTROL_EACH_SECOND)
def control_each_second() -> None:
    """Evaluate the control laws of every second; in a thread of its own, so that no search delays it."""
    _after(_EACH_SECOND, _SECOND_WAITS, each_second.tick)


@app.task(name=TaskName.CONTROL_EARLY)
def control_early(*due: str) -> None:
    """The same, at once, of hosts that have made an early report, and of those that are due. Whoever waits for the turn
    under way will read what others ring for meanwhile."""
    each_second.note_due(due)
    _after(_EACH_SECOND, _EARLY_WAITS, each_second.tick_early)


@app.task(name=TaskName.RACE)
def race() -> None:
    """Another algorithm has a turn at what was recommended or applied, where no plan waits."""
    _left_to_the_sweep(race_tasks.turn)


@app.task(name=TaskName.NOTIFY)
def notify() -> None:
    """Send the messages that are due."""
    _if_free(_SENDING, notification_tasks.turn)


@app.task(name=TaskName.ROLL_UP)
def roll_up() -> None:
    """Roll up what hosts have measured; one turn at a time, which leaves the threads of its queue to control laws."""
    _if_free(_ROLLING_UP, history_tasks.turn)


@app.task(name=TaskName.HOUSEKEEP)
def housekeep() -> None:
    """Make partitions ahead, drop what is old."""
    _in_a_transaction(clean_up)


@app.task(name=TaskName.SEAL)
def seal() -> None:
    """Seal entries of the audit log that wait."""
    _left_to_the_sweep(sealing.turn)


def _one_of_its_queue(queue_of_it: Queue, work: Callable[[], object]) -> None:
    """Where queues share a process, none holds the threads of another: what is too much comes again with the sweep."""
    _if_free(_PLACES[queue_of_it], work)


def _if_free(places: BoundedSemaphore, work: Callable[[], object]) -> None:
    if_free(places, lambda: _left_to_the_sweep(work))


def _after(places: BoundedSemaphore, waiting: BoundedSemaphore, work: Callable[[], object]) -> None:
    after(places, waiting, lambda: _left_to_the_sweep(work))


def _in_a_transaction(work: Callable[[Session], object]) -> None:
    def run() -> None:
        with session_scope() as session:
            work(session)

    _left_to_the_sweep(run)


def _left_to_the_sweep(work: Callable[[], object]) -> None:
    """An error that passes (the database restarts) ends this turn with one line; its lease ends, others go on."""
    try:
        work()
    except (DBAPIError, InjectedFaultError) as error:
        _log.warning("turn_ended", cause=str(getattr(error, "orig", error)).strip()[:300], next="the sweep rings again")
