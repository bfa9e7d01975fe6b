"""The Celery application of workers: `celery -A sextant_worker.app worker -Q QUEUES`."""

from sextant_worker.celery_app import new_app

app = new_app(include=("sextant_worker.tasks",))
