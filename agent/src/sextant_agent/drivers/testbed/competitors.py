"""NFs on cores of their own that press while a phase over rings is measured: each by sextant-measure, in a closed loop.

Where there is nothing to press, a competitor's core is held by an NF that stays in its core's own caches, as the
measuring protocol holds it with a spinner: an idle core would let other processes in, and the clocks of others rise.
"""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from sextant_domain.profiling.calibration import Calibration
from sextant_domain.profiling.profile import NfFigures, ProfiledNf, ProfileMode, ProfileTraffic

from sextant_agent.measuring import gates
from sextant_agent.measuring.lines import ProgramLine
from sextant_agent.measuring.program import CoresInUse, MeasureDisturbed, MeasureProgram
from sextant_agent.measuring.reading import TooBusy, figures
from sextant_agent.measuring.requests import competitor

MARGIN_S, STAGGER_S = 0.5, 1.5
"""That a competitor presses longer than the phase; with others beside it, whose tables may take longer to build."""
WAIT_STEP_S = 0.02
HOLDER = "simple-forward"

Lines = list[ProgramLine]
Found = TypeVar("Found")


def holder(nf: ProfiledNf) -> ProfiledNf:
    """What holds its core where it shall not press: nothing but bursts of one flow."""
    return ProfiledNf(nf_type=HOLDER, core=nf.core, traffic=ProfileTraffic(flows=1))


def beside(
    program: MeasureProgram,
    nfs: Sequence[ProfiledNf],
    calibration: Calibration,
    seconds: float,
    phase: Callable[[], Found],
    *,
    check: Callable[[], None],
) -> tuple[Found, tuple[NfFigures, ...]]:
    """What `phase`, which takes `seconds`, returns while all of `nfs` press; then what these got done.

    Raises CoresInUse where one of them did not press all the time, MeasureFailed, and what `check` and `phase` raise.
    """
    lasting = seconds + MARGIN_S + (STAGGER_S if len(nfs) > 1 else 0)
    requests = [{"mode": ProfileMode.SOLO.value, "nf": competitor(nf), "seconds": lasting} for nf in nfs]
    ended, pressing = threading.Event(), [threading.Event() for _ in nfs]
    with ThreadPoolExecutor(max(1, len(nfs))) as pool:
        try:
            runs = [
                pool.submit(program.run, request, ended.is_set, _begun(one))
                for request, one in zip(requests, pressing, strict=True)
            ]
            _wait(lambda: all(one.is_set() for one in pressing) or any(run.done() for run in runs), check)
            _refuse_ended(runs)
            found = phase()
            _refuse_ended(runs)
            _wait(lambda: all(run.done() for run in runs), check)
            done = tuple(_figures(run.result(), nf, calibration) for run, nf in zip(runs, nfs, strict=True))
        except MeasureDisturbed as error:
            raise CoresInUse(f"other work uses the cores of competitors: {error}") from error
        finally:
            ended.set()
    return found, done


def _begun(pressing: threading.Event) -> Callable[[ProgramLine], None]:
    """Its tables are built and warm once it has passed the first gate."""

    def heard(line: ProgramLine) -> None:
        if line.gate is not None:
            pressing.set()

    return heard


def _wait(until: Callable[[], bool], check: Callable[[], None]) -> None:
    while not until():
        check()
        time.sleep(WAIT_STEP_S)


def _refuse_ended(runs: Sequence[Future[Lines]]) -> None:
    for run in runs:
        if run.done():
            run.result()  # its own error says more
            raise CoresInUse("a competitor ended before the phase that it was to press in: measure it again")


def _figures(lines: Lines, nf: ProfiledNf, calibration: Calibration) -> NfFigures:
    different = gates.fault([line.gate for line in lines if line.gate is not None], calibration)
    if different is not None:
        raise CoresInUse(f"beside a competitor {different}")
    try:
        phases = [line.sample for line in lines if line.sample is not None]
        return figures(phases, paced=nf.traffic.rate_mpps is not None)
    except TooBusy as error:
        raise CoresInUse(f"other work uses the cores of competitors: {error}") from error
