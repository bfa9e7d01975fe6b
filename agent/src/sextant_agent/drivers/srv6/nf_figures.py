"""What NFs' processes have counted, each asked for a moment alone: one that stands still must not hold up what is known
of all others of its host."""

from collections.abc import Set
from contextlib import suppress

from sextant_agent.drivers.srv6.answers import NfFigures
from sextant_agent.drivers.srv6.processes import ProcessFolder
from sextant_agent.drivers.srv6.record import ProcessEntry
from sextant_agent.kit.line_client import LineError

ANSWERS_S, SILENT_S = 0.5, 0.1
"""So long an NF is waited for; and one that gave no answer the time before."""


class NfQuestions:
    """Of one host."""

    def __init__(self, folder: ProcessFolder) -> None:
        self._folder = folder
        self._silent: set[int] = set()
        """By number, processes that gave no answer the last time."""

    def figures(self, process: ProcessEntry) -> NfFigures | None:
        """None where it does not answer soon."""
        limit_s = SILENT_S if process.number in self._silent else ANSWERS_S
        self._silent.add(process.number)
        with suppress(LineError):
            found = self._folder.ask(process, NfFigures, "query", limit_s)
            self._silent.discard(process.number)
            return found
        return None

    def keep(self, living: Set[int]) -> None:
        """By number, the processes that there are."""
        self._silent &= living
