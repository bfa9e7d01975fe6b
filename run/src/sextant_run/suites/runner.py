"""Running suites: lanes side by side, a line each, logs kept, nothing left behind."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from sextant_run.belongings import marked
from sextant_run.errors import RunError
from sextant_run.identity import end
from sextant_run.layout import DataLayout
from sextant_run.suites import measured
from sextant_run.suites.stages import summary_of
from sextant_run.suites.suite import Counts, Suite, SuiteResult
from sextant_run.suites.table import Phase, phases
from sextant_run.watch import StopRequested, stop_on_signals

MARK = "SEXTANT_TEST_RUN"
_BEHIND = ("sh", "-c", 'echo 15 2>/dev/null >/proc/self/autogroup; exec nice -n 15 "$@"', "behind")
"""Prefix of a command. Where the kernel shares processors among sessions first, `nice` counts inside a session only."""
_TAIL_LINES = 40
_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def run(layout: DataLayout, names: list[str], *, lint: bool) -> bool:
    """Run the suites named (all, or the quick ones with `lint`); prints; returns whether everything passed."""
    results_folder = layout.root / "test-results"
    results_folder.mkdir(exist_ok=True)
    chosen = _choose(phases(layout, results_folder), names, lint=lint)
    stop_on_signals()
    # Short: unix sockets in temporary folders have 107 bytes for their whole path.
    temporary = Path(tempfile.mkdtemp(prefix="sx-", dir="/tmp"))
    temporary.chmod(0o711)  # a test that runs something as nobody must get through it
    mark = f"{os.getpid()}-{time.time_ns()}"
    bench = _Bench(results_folder, {MARK: mark, "TMPDIR": str(temporary), "SEXTANT_DATA_DIR": str(temporary / "data")})
    try:
        for phase in chosen:
            bench.run_phase(phase)
        if not lint:
            bench.add(_nothing_left(mark, temporary))
    except StopRequested:
        bench.end_all()
        raise RunError("interrupted", "") from None
    finally:
        end(marked(f"{MARK}={mark}", temporary), grace_s=5.0)
        shutil.rmtree(temporary, ignore_errors=True)
    passed = sum(result.counts.passed for result in bench.results)
    failed = sum(result.counts.failed for result in bench.results)
    print("", *summary_of(bench.results), "", sep="\n")
    for result in bench.results:
        for name in result.counts.names:
            print(f"failed: {result.suite}: {name}", flush=True)
    summary = f"{passed} passed, {failed} failed"
    (results_folder / "summary").write_text(f"{summary}\n")
    print(summary, flush=True)
    return failed == 0


def _choose(all_phases: Iterable[Phase], names: list[str], *, lint: bool) -> list[Phase]:
    all_phases = tuple(all_phases)
    known = {suite.name: suite for phase in all_phases for lane in phase for suite in lane}
    unknown = sorted(set(names) - known.keys())
    if unknown:
        raise RunError(f"there is no suite {', '.join(unknown)}", f"choose from: {' '.join(sorted(known))}")
    wanted = set(names or known)
    wanted |= {before for name in wanted for before in known[name].after}
    return [
        tuple(tuple(s for s in lane if (s.lint or not lint) and s.name in wanted) for lane in phase)
        for phase in all_phases
    ]


def _nothing_left(mark: str, temporary: Path) -> SuiteResult:
    """The last check: no suite left a process behind (zombies do not count)."""
    began = time.monotonic()
    left = marked(f"{MARK}={mark}", temporary)
    while left and time.monotonic() - began < 5.0:  # what was just asked to end may take a moment
        time.sleep(0.1)
        left = marked(f"{MARK}={mark}", temporary)
    names = ", ".join(f"{identity.pid} {_command(identity.pid)}" for identity in left)
    counts = Counts(passed=int(not left), failed=int(bool(left)))
    return SuiteResult("nothing-left", counts, time.monotonic() - began, None, f"left running: {names}" if left else "")


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:120]
    except OSError:
        return "?"


class _Bench:
    """The suites that run now, and what came of those that have."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.results: list[SuiteResult] = []
        self._folder = folder
        self._environment = environment
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._ending = False

    def run_phase(self, phase: Phase) -> None:
        with ThreadPoolExecutor(max_workers=max(1, len(phase))) as pool:
            lanes = [pool.submit(self._run_lane, lane) for lane in phase if lane]
            try:
                for lane in lanes:
                    lane.result()
            except StopRequested:
                self.end_all()
                raise

    def add(self, result: SuiteResult) -> None:
        """Print a result, with the end of its log if it failed."""
        with self._lock:
            self.results.append(result)
            print(result.line(), *(f"    failed: {name}" for name in result.counts.names), sep="\n", flush=True)
            if not result.ok and result.log is not None and not self._ending:
                lines = _COLOUR.sub("", result.log.read_text(errors="replace")).splitlines()[-_TAIL_LINES:]
                print("\n".join(f"    {line}" for line in lines), f"\n    whole log: {result.log}", flush=True)

    def end_all(self) -> None:
        """End every running suite with its children."""
        with self._lock:
            self._ending = True
            running = list(self._running)
        for child in running:
            _signal_group(child, signal.SIGTERM)
        for child in running:
            try:
                child.wait(timeout=20)
            except subprocess.TimeoutExpired:
                _signal_group(child, signal.SIGKILL)

    def _run_lane(self, lane: tuple[Suite, ...]) -> None:
        for suite in lane:
            if not self._ending:
                self.add(self._run(suite))

    def _run(self, suite: Suite) -> SuiteResult:
        log, cpu = self._folder / f"{suite.name}.log", self._folder / f"{suite.name}.cpu"
        if not suite.needs.exists():
            return SuiteResult(suite.name, Counts(0, 1), 0.0, None, f"cannot run: {suite.needs} is not there")
        if (junit := getattr(suite.count, "path", None)) is not None:
            junit.unlink(missing_ok=True)
        cpu.unlink(missing_ok=True)
        command = (sys.executable, "-ES", measured.__file__, str(cpu), *suite.command)
        began, cause = time.monotonic(), ""
        with log.open("wb") as stream:
            try:
                child = subprocess.Popen(  # noqa: S603 - our own tools
                    (*_BEHIND, *command) if suite.behind else command,
                    cwd=suite.cwd,
                    env={**os.environ, **self._environment, **suite.environment},
                    stdin=subprocess.DEVNULL,
                    stdout=stream,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            except OSError as error:
                return SuiteResult(suite.name, Counts(0, 1), 0.0, None, f"cannot run: {error}")
        with self._lock:
            self._running.add(child)
        try:
            status = child.wait(timeout=suite.limit_s)
        except subprocess.TimeoutExpired:
            cause = f"ended after {suite.limit_s:.0f} s"
            _signal_group(child, signal.SIGKILL)
            status = child.wait() or 1
        with self._lock:
            self._running.discard(child)
        counts = suite.count(status)
        if cause and counts.failed == 0:
            counts = replace(counts, failed=1)
        return SuiteResult(
            suite.name, counts, time.monotonic() - began, log, cause, _cpu_s(cpu), stage=suite.stage, began_s=began
        )


def _cpu_s(file: Path) -> float | None:
    try:
        return float(file.read_text())
    except (OSError, ValueError):  # it was ended, and wrote none
        return None


def _signal_group(child: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, number)  # a session of its own: its pid is its group
