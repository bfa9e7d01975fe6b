"""Celery: thin tasks that call services of the backend. The queue is only a doorbell; operations live in PostgreSQL."""
