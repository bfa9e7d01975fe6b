"""What the embedded servers have in common."""

import signal
from typing import Protocol

from sextant_run.errors import RunError

DIE_WITH_PARENT = ("setpriv", "--pdeathsig", "KILL", "--")
"""Prefix of a command whose process the kernel ends when its parent dies."""


class ServerError(RunError):
    """A server could not be prepared or did not start; the message names the cause and its log."""


class EmbeddedServer(Protocol):
    """An embedded server."""

    @property
    def name(self) -> str:
        """Also the name of its process and its log."""

    @property
    def stop_signal(self) -> signal.Signals:
        """What ends it in order."""

    @property
    def url(self) -> str:
        """Where clients reach it."""

    def prepare(self) -> None:
        """Make its folders; idempotent, and fixes what a killed predecessor left."""

    def command(self) -> list[str]:
        """The foreground command; it logs to stderr and ends within seconds at `stop_signal`."""

    def ready(self) -> bool:
        """Whether it answers now."""
