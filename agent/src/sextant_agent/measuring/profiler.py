"""Profiles of one host: calibrated where that is needed, one measurement at a time."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from sextant_domain.profiling.calibration import Calibration
from sextant_domain.profiling.profile import ProfileProgress, ProfileRequest, ProfileResult

from sextant_agent.measuring import calibration as calibrating
from sextant_agent.measuring.calibration import CalibrationStore
from sextant_agent.measuring.fingerprint import read_fingerprint
from sextant_agent.measuring.program import (
    CoresInUse,
    MeasureDisturbed,
    MeasureFailed,
    MeasureProgram,
    MeasureRefused,
)
from sextant_agent.measuring.protocol import NOBODY, ONE_NODE, Companion, Nodes, profile
from sextant_agent.measuring.requests import placed_nfs
from sextant_agent.measuring.watch import MeasurementWatch


class HostProfiler:
    """Safe for several threads: the second measurement is refused while one runs."""

    def __init__(self, program: MeasureProgram, state_dir: Path | None, root: Path = Path("/")) -> None:
        """Without a `state_dir` calibrations are not kept."""
        self._program = program
        self._store = None if state_dir is None else CalibrationStore(state_dir)
        self._root = root
        self._measuring = threading.Lock()
        self._kept: tuple[int | None, Calibration | None] = (None, None)

    @property
    def program(self) -> MeasureProgram:
        """What it runs."""
        return self._program

    @property
    def missing(self) -> str | None:
        """Why nothing can be measured; None where it can be tried."""
        return self._program.missing

    @property
    def calibration(self) -> Calibration | None:
        """The one that is kept and holds; None where there is none. Read again only when another one is kept."""
        if self._store is None:
            return None
        kept, stamp = self._kept, self._store.stamp
        if kept[0] != stamp:
            kept = self._kept = stamp, self._known(())
        return kept[1]

    def nf_types(self) -> frozenset[str]:
        """Those that can be measured. Raises MeasureFailed."""
        summary = self._program.run({"mode": "describe"})[-1].summary
        return frozenset(summary.nf_types if summary else ())

    def calibrate(self, cores: Sequence[int], watch: MeasurementWatch) -> Calibration:
        """Anew. Raises MeasureFailed (CoresInUse where other work is in the way), Cancelled, OSError."""
        with self._alone():
            return self._calibrate(cores, watch)

    def profile(
        self,
        request: ProfileRequest,
        free: Sequence[int],
        watch: MeasurementWatch,
        check_cores: Callable[[], None] = lambda: None,
        *,
        nodes: Nodes = ONE_NODE,
        needed: Sequence[int] = (),
        along: Companion = NOBODY,
    ) -> ProfileResult:
        """Measures one point; `free` cores are calibrated together with it, so that the pairs among them are known.
        `needed`: cores that have to be, too. Where the machine is not as it was calibrated, it is calibrated and
        measured once more. `nodes`: of the machine's cores. `along`: as for the protocol.

        Raises MeasureFailed (CoresInUse where other work is in the way), Cancelled, OSError, and what `check_cores`
        raises.
        """
        with self._alone():
            self._refuse_unknown_types(request)
            check_cores()
            wanted = tuple(dict.fromkeys((*request.cores, *needed)))
            cores = tuple(dict.fromkeys((*wanted, *free)))
            calibration = self._known(wanted) or self._calibrate(cores, watch)
            result = profile(request, self._program, calibration, watch, check_cores, nodes=nodes, along=along)
            if result.not_measurable is not None and result.void_tries:
                # Refuted: the machine is another one now, for a while at least. What it is now can be measured.
                calibration, void = self._calibrate(cores, watch), result.void_tries
                result = profile(request, self._program, calibration, watch, check_cores, nodes=nodes, along=along)
                result = result.model_copy(update={"void_tries": void + result.void_tries})
            doubtful = result.void_tries or calibration.threshold_ns is None
            if result.not_measurable is not None and doubtful and self._store is not None:
                self._store.forget()  # it was refuted, too, or so disturbed that it proves nothing
            return result

    def _refuse_unknown_types(self, request: ProfileRequest) -> None:
        """Before seconds of calibrating; the rest of a configuration only the NF itself can judge."""
        known = self.nf_types()
        for place, nf in placed_nfs(request):
            if nf.runs not in known:
                there = ", ".join(sorted(known))
                message = f"there is no NF type '{nf.runs}' here; there are {there}"
                raise MeasureRefused("bad-request", f"{place}.type", message)

    def _known(self, cores: Sequence[int]) -> Calibration | None:
        return None if self._store is None else self._store.load(read_fingerprint(self._root), cores)

    def _calibrate(self, cores: Sequence[int], watch: MeasurementWatch) -> Calibration:
        watch.progress(ProfileProgress(stage="calibrating", note=f"cores {', '.join(map(str, cores))}"))
        try:
            made = calibrating.calibrate(self._program, cores, read_fingerprint(self._root), watch.cancelled)
        except MeasureDisturbed as error:
            reported = f"calibrating ended because other work uses the cores: {error}; wait until it has ended"
            raise CoresInUse(reported) from error
        if self._store is not None:
            self._store.save(made)
        return made

    def _alone(self) -> "_Alone":
        return _Alone(self._measuring)


class _Alone:
    """Holds the lock, or refuses at once: waiting for minutes behind another would look like hanging."""

    def __init__(self, lock: threading.Lock) -> None:
        self._lock = lock

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise MeasureFailed("another measurement runs on this host; wait until it has ended, or cancel it")

    def __exit__(self, *_: object) -> None:
        self._lock.release()
