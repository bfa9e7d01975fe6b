"""The Celery application of beat, which rings for what recurs: it runs no task, and so imports none."""

from datetime import timedelta

from sextant_backend.kit.tasks import TaskName

from sextant_worker.celery_app import new_app

SWEEP_EVERY = timedelta(seconds=1)
CONTROL_EVERY = timedelta(seconds=5)
"""Which laws are due, their policies say."""
HOUSEKEEP_EVERY = timedelta(hours=1)

app = new_app()
app.conf.beat_schedule = {
    # A round that no worker took in time is not caught up on: the next one does its work.
    "sweep": {"task": TaskName.SWEEP, "schedule": SWEEP_EVERY, "options": {"expires": 2}},
    "control": {"task": TaskName.CONTROL, "schedule": CONTROL_EVERY, "options": {"expires": 10}},
    "housekeep": {"task": TaskName.HOUSEKEEP, "schedule": HOUSEKEEP_EVERY, "options": {"expires": 600}},
}
