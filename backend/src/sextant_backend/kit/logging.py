"""JSON lines on standard error, with the ids of the request, operation and plan they belong to."""

import logging
import sys

import structlog
from structlog.contextvars import bind_contextvars, get_contextvars, merge_contextvars
from structlog.typing import EventDict, WrappedLogger

SECRETS = frozenset({"password", "token", "cookie", "authorization", "csrf_token", "secret", "key"})


def _hide_secrets(_logger: WrappedLogger, _method: str, entry: EventDict) -> EventDict:
    for name in SECRETS & entry.keys():
        entry[name] = "(hidden)"
    return entry


def configure(process: str, level: str = "info") -> None:
    """Send structlog and the standard library's loggers through one JSON formatter; call once at a process's start."""

    def name_process(_logger: WrappedLogger, _method: str, entry: EventDict) -> EventDict:
        return {"process": process, **entry}

    shared: list[structlog.typing.Processor] = [
        name_process,
        merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _hide_secrets,
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    logging.getLogger("httpx").setLevel(logging.WARNING)


def bind_ids(
    *,
    request_id: str | None = None,
    operation_id: int | None = None,
    plan_id: int | None = None,
    job_id: int | None = None,
    fit_id: int | None = None,
    study_id: int | None = None,
) -> None:
    """Put ids into every later log line of this request or task."""
    ids = {"request_id": request_id, "operation_id": operation_id, "plan_id": plan_id, "job_id": job_id}
    given = {**ids, "fit_id": fit_id, "study_id": study_id}
    bind_contextvars(**{name: value for name, value in given.items() if value is not None})


def current_request_id() -> str | None:
    """The id of the request being served, None outside one."""
    value = get_contextvars().get("request_id")
    return value if isinstance(value, str) else None
