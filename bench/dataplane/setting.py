"""What all tables share: the machine as it was found, how long to measure, and how a table begins."""

import os
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from sextant_agent.measuring.calibration import SWEEPS_MIB, calibrate
from sextant_agent.measuring.fingerprint import read_fingerprint
from sextant_agent.measuring.program import MeasureFailed, MeasureProgram
from sextant_domain.profiling.calibration import Calibration

T = TypeVar("T")

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "dataplane" / "build"
RUNNER = BUILD / "sextant-runner"

MATCH = {"src_prefix": "10.0.0.0/8", "dst_prefix": "192.168.0.0/16", "protocol": "udp", "dst_port": None}


class NotMeasured(Exception):
    """Why a row has no figure."""


@dataclass(frozen=True)
class Setting:
    """One run of the bench."""

    quick: bool
    cores: tuple[int, ...]
    changes: int | None = None
    """Of lanes, in the table of these; None: as many as `quick` says."""
    within_s: float = 600.0
    """They end then, however many there were."""

    @property
    def nf_core(self) -> int:
        """The last: the machine's interrupts and other work lie on the first more often."""
        return self.cores[-1]

    @property
    def other_core(self) -> int:
        """For the packets' source and sink. Raises NotMeasured."""
        if len(self.cores) < 2:
            raise NotMeasured("this needs two cores, and this process may use one")
        return self.cores[0]

    @cached_property
    def program(self) -> MeasureProgram:
        """sextant-measure."""
        return MeasureProgram(BUILD / "sextant-measure")

    @cached_property
    def calibration(self) -> Calibration:
        """Of this run: some seconds, once. Raises NotMeasured."""
        sweeps_mib = self.pick(SWEEPS_MIB, (64,))
        try:
            return calibrate(self.program, self.cores, read_fingerprint(Path("/")), sweeps_mib=sweeps_mib)
        except MeasureFailed as error:
            raise NotMeasured(f"the machine cannot be calibrated: {error}") from error

    def pick(self, full: T, quick: T) -> T:
        """By how long the run may take."""
        return quick if self.quick else full

    def preface(self, name: str, goal: str) -> Iterator[str]:
        """Machine, command and goal, in front of a table."""
        short = " --quick" * self.quick + (f" --changes {self.changes}" if self.changes is not None else "")
        command = f'make bench-dataplane BENCH="--only {name}{short}"'
        yield f"`{command}` on {self._machine()}. Load when it began: {os.getloadavg()[0]:.1f}.{_sentence(goal)}"
        yield ""

    def _machine(self) -> str:
        found = self.calibration
        clocks = ", ".join(f"{clock.hz / 1e9:.2f}" for clock in found.clocks)
        return (
            f"{found.fingerprint.cpu_model}{_hypervisor(found)}, Linux {platform.release()}, "
            f"{len(self.cores)} cores at {clocks} GHz "
            f"(time-stamp counter {found.tsc_hz / 1e9:.2f}), {_pages()}; {_caches(found)}; {_distances(found)}"
        )


def _sentence(goal: str) -> str:
    return f" Goal: {goal}." if goal else " Nothing is promised here."


def _hypervisor(found: Calibration) -> str:
    return f" (a virtual machine, {found.fingerprint.hypervisor})" if found.fingerprint.hypervisor else ""


def _pages() -> str:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("HugePages_Free:") and int(line.split()[1]) > 0:
            return f"{line.split()[1]} free hugepages"
    return "no hugepages"


def _caches(found: Calibration) -> str:
    sizes = [f"L{cache.level} {_size(cache.size_bytes)}" for cache in found.caches]
    return ", ".join(sizes)


def _size(count: int) -> str:
    return f"{count / 2**20:.0f} MiB" if count >= 2**20 else f"{count / 2**10:.0f} KiB"


def _distances(found: Calibration) -> str:
    """The nearest pair and the farthest say enough."""
    if not found.pairs:
        return "a single core"
    ordered = sorted(found.pairs, key=lambda pair: pair.ns)
    said = {True: "sharing an L3", False: "sharing no L3", None: "L3 shared or not: it cannot be told"}
    ends = dict.fromkeys((ordered[0], ordered[-1]))
    return "; ".join(
        f"cores {pair.first} and {pair.second} {pair.ns:.0f} ns apart, {said[pair.shares_llc]}" for pair in ends
    )


def verdict(met: bool) -> str:
    """Beside a goal."""
    return "met" if met else "missed"


def rows(each: Sequence[T], row: Callable[[T], str], blank: Callable[[T, str], str]) -> Iterator[str]:
    """A row for each; `blank` makes the one that says why there is no figure."""
    for one in each:
        try:
            yield row(one)
        except NotMeasured as error:
            yield blank(one, str(error))
