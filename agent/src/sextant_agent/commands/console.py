"""What the commands share: the log on stderr, and how a command ends with an error."""

import logging
import sys
from contextlib import suppress
from typing import NoReturn, TextIO, cast

import structlog
import typer


class _Log:
    """Stderr, whose full disk or vanished reader must not end the threads that have something to log."""

    def write(self, text: str) -> int:
        with suppress(OSError):
            return sys.stderr.write(text)
        return 0

    def flush(self) -> None:
        with suppress(OSError):
            sys.stderr.flush()


def configure_log(level: str) -> None:
    """JSON lines on stderr."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.WriteLoggerFactory(file=cast("TextIO", _Log())),
        cache_logger_on_first_use=True,
    )


def fail(message: str) -> NoReturn:
    """End with the message on stderr and status 1."""
    typer.echo(message, err=True)
    raise typer.Exit(1)
