"""The newest generation that was reached, kept over restarts of the agent so that it never seems to go back."""

from pathlib import Path

import structlog

from sextant_agent.kit.files import write_atomically

log = structlog.get_logger()


class AppliedGeneration:
    """One number in one file. Losing it is harmless: it is found again when the host has converged."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.value = self._read()

    def keep(self, generation: int) -> None:
        """Store a number that differs from the one held."""
        if generation == self.value:
            return
        self.value = generation
        try:
            write_atomically(self._path, f"{generation}\n".encode())
        except OSError as error:
            log.warning("applied generation not kept", path=str(self._path), cause=error.strerror)

    def _read(self) -> int:
        try:
            return int(self._path.read_text()[:20])
        except (OSError, ValueError):
            return 0
