"""NFs beside the one that is measured, each under a manager of its own, as chains of an order have them.

A competitor is its NF with all that feeds it: RX and TX threads of its manager press on the memory as well, and no NF
of OpenNetVM runs without them. They are paused and let go on together.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from sextant_agent.drivers.opennetvm.profiling.periods import Period, PeriodFault, Writing
from sextant_agent.drivers.opennetvm.profiling.rig import ProfilingRig
from sextant_agent.drivers.opennetvm.profiling.spinner import Spinner


class Competitors:
    """All of one measurement. `end` whatever happened."""

    def __init__(
        self, rigs: Sequence[ProfilingRig], kept: frozenset[int], folder: Path, own_share: float
    ) -> None:  # fmt: skip
        """`kept`: CPUs of the NF that is measured and of its manager, which nobody else may spin on. `own_share`: of
        its core, what a packet thread must have had in a period that counts."""
        self._rigs, self._kept, self._folder = tuple(rigs), kept, folder
        self.own_share = own_share
        self._spinners: list[Spinner] = []
        self._seen: list[list[Writing]] = []

    def start(self) -> None:
        """Running. Raises DriverError."""
        for rig in self._rigs:
            rig.start()
        self._spin()

    def restart(self) -> None:
        """Fresh NFs under the same managers, running. Raises DriverError."""
        self.run(True)
        for rig in self._rigs:
            rig.restart()

    def run(self, running: bool) -> None:
        """Let all go on; else pause them, and hold their CPUs busy."""
        for spinner in self._spinners:
            spinner.pause() if running else spinner.resume()
        for rig in self._rigs:
            rig.resume() if running else rig.pause()

    def begin(self) -> None:
        """What is written from now on counts."""
        self._seen = [[] for _ in self._rigs]

    def look(self) -> None:
        """Whether anything was written. Raises DriverError where one has ended."""
        for rig, seen in zip(self._rigs, self._seen, strict=True):
            found = rig.look()
            if found is not None:
                seen.append(found)

    def periods(self) -> tuple[Period, ...] | None:
        """Of each, from its first writing that counted to its last; None where one has written less than twice, or had
        not its core: then nobody knows what it has done."""
        if any(len(seen) < 2 for seen in self._seen):
            return None
        found = tuple(Period(seen[0], seen[-1]) for seen in self._seen)
        starved = any(period.fault(self.own_share) is PeriodFault.STARVED for period in found)
        return None if starved else found

    def notes(self, periods: Sequence[Period]) -> tuple[str, ...]:
        """Of those that took all that their ports played: they might press harder."""
        return tuple(
            f"{rig.nf.nf_type} on core {rig.nf.core} took all that its manager received: it may press harder than this"
            for rig, period in zip(self._rigs, periods, strict=True)
            if period.fault(self.own_share) is PeriodFault.NOT_FULL
        )

    def end(self) -> None:
        """All of their processes. Raises DriverError, once each was tried."""
        with ExitStack() as stack:
            for rig in self._rigs:
                stack.callback(rig.end)

    def _spin(self) -> None:
        for number, rig in enumerate(self._rigs):
            place = rig.place
            out = place.cpus[0] if place.way_out_cpu is None else place.way_out_cpu
            for cpu in sorted({rig.nf.core, *place.cpus[1:], out} - self._kept):
                self._spinners.append(Spinner(cpu, place.prefix, self._folder / f"spinner-{number}-{cpu}"))
