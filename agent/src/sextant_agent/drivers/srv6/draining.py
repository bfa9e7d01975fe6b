"""What is within a chain comes out before the chain is taken apart."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from sextant_agent.drivers.srv6.answers import (
    DaemonFirewalls,
    DaemonWindows,
    NfFigures,
    SinkFigures,
    SourceFigures,
)
from sextant_agent.drivers.srv6.processes import ProcessFolder
from sextant_agent.drivers.srv6.record import ChainEntry
from sextant_agent.kit.line_client import LineClient, LineError

LOOK_S = 0.005
STILL_S = 0.5
"""Nothing has come out for so long: what is missing was lost before. An NF works on nothing that waited for .2 s."""
LONGEST_S = 3.0
ANSWER_S = 1.0


@dataclass(frozen=True, slots=True)
class Passage:
    """Packets of a chain, or of the part of it that is on this host, since it was added."""

    entered: int
    came_out: int
    ended: int
    """In its NFs, which filtered or dropped them."""
    enters: bool = False
    """Further ones may enter: what was asked of the source is not taken up yet."""

    @property
    def within(self) -> int:
        """Not accounted for: on their way, or lost on it."""
        return max(0, self.entered - self.came_out - self.ended)

    @property
    def text(self) -> str:
        """For a person, of a chain that nothing is within any more."""
        lost = f", {self.within} were lost" if self.within else ""
        ended = f", {self.ended} ended in its NFs" if self.ended else ""
        return f"of {self.entered} packets {self.came_out} came out{ended}{lost}"


def drain(count: Callable[[], Passage | None]) -> Passage | None:
    """Wait until nothing is within, or nothing moves any more. `count`: None where something does not answer just now.
    What was counted last; None where nothing ever was."""
    began = since = time.monotonic()
    seen: Passage | None = None
    while time.monotonic() - began < LONGEST_S:
        found = count()
        if found is not None:
            if not found.enters and found.within == 0:
                return found
            if found != seen:
                seen, since = found, time.monotonic()
        if seen is not None and found is not None and not seen.enters and time.monotonic() - since > STILL_S:
            break
        time.sleep(LOOK_S)
    return seen


class Passages:
    """Of chains of one host."""

    def __init__(self, daemon: LineClient, folder: ProcessFolder) -> None:
        self._daemon, self._folder = daemon, folder

    def of(self, entry: ChainEntry) -> Passage | None:
        """As counted now, from its begin to its end, so that nothing comes out that did not enter; None where source,
        sink or daemon does not answer."""
        try:
            entered, enters = self._entered(entry)
            ended = self._ended(entry)
            return Passage(entered, self._came_out(entry), ended, enters)
        except (LineError, StopIteration):
            return None

    def _entered(self, entry: ChainEntry) -> tuple[int, bool]:
        if entry.packet_source is None:
            return self._at(entry.nfs[0].nf_id)[0], False
        source = self._folder.ask(entry.packet_source, SourceFigures, "query", ANSWER_S)
        return source.sent, not source.settled

    def _came_out(self, entry: ChainEntry) -> int:
        if entry.sink is None:
            return self._at(entry.nfs[-1].nf_id)[1]
        return self._folder.ask(entry.sink, SinkFigures, "query", ANSWER_S).delivered

    def _at(self, nf_id: str) -> tuple[int, int]:
        """Given to an NF, and given back. Raises StopIteration where the daemon has none."""
        found = next(nf for nf in self._daemon.ask(DaemonWindows, "windows").nfs if nf.nf_id == nf_id)
        return found.given, found.returned

    def _ended(self, entry: ChainEntry) -> int:
        ended = 0
        for nf in entry.nfs:
            figures = nf.before
            if nf.in_kernel:
                ended += sum(
                    one.filtered for one in self._daemon.ask(DaemonFirewalls, "firewalls").firewalls
                    if one.nf_id == nf.nf_id
                )  # fmt: skip
            elif nf.process.alive:
                figures += self._folder.ask(nf.process, NfFigures, "query", ANSWER_S)
            ended += figures.drops + figures.filtered
        return ended
