"""The sweep: rings again for what no worker is at although one should be: plans, operations, jobs, fits, studies."""

from functools import lru_cache
from typing import NamedTuple

from sqlalchemy import Select, or_, select
from sqlalchemy.orm import Session

from sextant_backend.faults import fault_point
from sextant_backend.kit import outbox
from sextant_backend.kit.tasks import TaskName
from sextant_backend.modules.audit import seals
from sextant_backend.modules.control import each_second
from sextant_backend.modules.control import reading as control
from sextant_backend.modules.history import repository as history
from sextant_backend.modules.history.policy import SETTLING_S
from sextant_backend.modules.models import fitting
from sextant_backend.modules.notifications import repository as notifications
from sextant_backend.modules.operations import repository
from sextant_backend.modules.operations import service as operations
from sextant_backend.modules.plans import model_waits, planner
from sextant_backend.modules.predictions import repository as predictions
from sextant_backend.modules.profiling import repository as profiling
from sextant_backend.modules.races import repository as races
from sextant_backend.modules.sfc2cpu import fitting as cost_fitting
from sextant_backend.modules.studies import repository as studies


class Due(NamedTuple):
    """What there is to do."""

    sweep: bool
    """A sweep would find something."""
    control: bool
    """A control law is due, or what came of a recommendation is to be followed."""
    each_second: bool
    """A control law that is evaluated every second has something to look at."""
    seal: bool
    """Entries of the audit log wait to be sealed."""
    roll_up: bool
    """Hosts have measured what is not rolled up."""


def due(session: Session) -> Due:
    """At rest this is asked once a second, and nothing else: one statement, which is made once."""
    found = session.execute(_due()).one()
    return Due(sweep=found[0], control=found[1], each_second=found[2], seal=found[3], roll_up=found[4])


@lru_cache(maxsize=1)
def _due() -> Select[bool, bool, bool, bool, bool]:
    return select(
        or_(
            repository.any_to_ring(),
            planner.any_to_ring(),
            profiling.any_to_ring(),
            studies.any_to_ring(),
            fitting.any_to_ring(),
            cost_fitting.any_to_ring(),
            model_waits.any_waits(),
            repository.any_stopped(),
            predictions.any_due(),
            races.any_due(),
            notifications.any_due(),
        ),
        control.any_due(),
        each_second.any_due(),
        seals.any_unsealed(),
        history.any_behind(SETTLING_S),
    )


def sweep(session: Session) -> int:
    """Ring for what has not started, whose lease has run out, or whose next attempt is due; returns how many. Plans
    that wait for a model say how far that is, and operations that wait for a host go on once it reports.

    Rings are sent after the commit; one that is lost comes again with a later sweep.
    """
    model_waits.report_waits(session)
    operations.follow_hosts(session)
    due = {
        TaskName.OPERATE: repository.to_ring(session),
        TaskName.PLAN: planner.to_ring(session),
        TaskName.PROFILE: profiling.to_ring(session),
        TaskName.STUDY: studies.to_ring(session),
        TaskName.FIT: fitting.to_ring(session),
        TaskName.FIT_HOST_COST: cost_fitting.to_ring(session),
    }
    for task, ids in due.items():
        for row_id in ids:
            outbox.ring(session, task, row_id)
    turns = {
        TaskName.JUDGE: predictions.is_due(session),
        TaskName.RACE: races.is_due(session),
        TaskName.NOTIFY: notifications.is_due(session),
    }
    for task, wanted in turns.items():
        if wanted:
            outbox.ring(session, task)
    count = sum(map(len, due.values()))
    if count:
        fault_point("sweep.before_ring")
    return count
