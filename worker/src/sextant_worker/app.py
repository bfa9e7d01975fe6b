"""The Celery application of workers."""

from sextant_worker.celery_app import new_app

app = new_app(include=("sextant_worker.tasks",))
