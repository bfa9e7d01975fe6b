"""Making a calibration, keeping it, and checking whether a kept one still holds."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError
from sextant_domain.profiling.calibration import Calibration, CoreClock, CorePair, LoadLatency, MachineFingerprint

from sextant_agent.kit.files import write_durably
from sextant_agent.measuring.cache_levels import cache_levels
from sextant_agent.measuring.distances import threshold
from sextant_agent.measuring.lines import ProgramLine
from sextant_agent.measuring.program import MeasureFailed, MeasureProgram

FILE_NAME = "calibration.json"
MAX_CORES = 64
SWEEPS_MIB = (128, 1024)
"""The second where the first ends within a cache."""


def calibrate(
    program: MeasureProgram,
    cores: Sequence[int],
    fingerprint: MachineFingerprint,
    cancelled: Callable[[], bool] = lambda: False,
    sweeps_mib: Sequence[int] = SWEEPS_MIB,
) -> Calibration:
    """Takes some seconds; the first core is swept. Raises MeasureFailed, Cancelled."""
    for sweep_mib in sweeps_mib:
        request = {"mode": "calibrate", "cores": list(cores[:MAX_CORES]), "sweep_mib": sweep_mib}
        found = read_calibration(program.run(request, cancelled), fingerprint, datetime.now(UTC))
        if found.memory_ns is not None:
            break
    return found


def read_calibration(lines: Sequence[ProgramLine], fingerprint: MachineFingerprint, taken_at: datetime) -> Calibration:
    """What the program's lines amount to. Pure."""
    clocks = [line.clock for line in lines if line.clock is not None]
    pairs = [line.pair for line in lines if line.pair is not None]
    steps = [(line.chase.bytes, line.chase.ns) for line in lines if line.chase is not None]
    summary = lines[-1].summary
    if summary is None or not clocks or not steps or summary.tsc_hz <= 0:
        raise MeasureFailed("the calibration is not whole: agent and data plane are of different versions")
    caches, memory_ns = cache_levels(steps)
    found = threshold([pair.ns for pair in pairs], caches[-1].load_ns if memory_ns else None, memory_ns)
    return Calibration(
        fingerprint=fingerprint,
        taken_at=taken_at,
        version=summary.version,
        tsc_hz=summary.tsc_hz,
        clocks=tuple(CoreClock(core=clock.core, imul_ns=clock.imul_ns, hz=clock.hz) for clock in clocks),
        pairs=tuple(
            CorePair(first=pair.cores[0], second=pair.cores[1], ns=pair.ns, shares_llc=found.shares(pair.ns))
            for pair in pairs
        ),
        threshold_ns=found.ns,
        threshold_reason=found.reason,
        caches=caches,
        memory_ns=memory_ns,
        sweep=tuple(LoadLatency(size_bytes=size, ns=ns) for size, ns in steps),
        counters=summary.counters,
    )


class CalibrationStore:
    """The last calibration, in one file."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME

    @property
    def stamp(self) -> int | None:
        """Another one whenever another calibration is kept; None while there is none."""
        try:
            return self._path.stat().st_mtime_ns
        except OSError:
            return None

    def load(self, fingerprint: MachineFingerprint, cores: Sequence[int]) -> Calibration | None:
        """None where there is none for this machine, this start of it and these cores."""
        try:
            held = Calibration.model_validate_json(self._path.read_bytes())
        except (OSError, ValidationError):
            return None
        return held if held.fingerprint == fingerprint and held.cores >= set(cores) else None

    def save(self, calibration: Calibration) -> None:
        """Raises OSError."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_durably(self._path, calibration.model_dump_json(indent=1).encode())

    def forget(self) -> None:
        """It has been refuted: the next measurement starts with a new one."""
        self._path.unlink(missing_ok=True)
