"""Running sextant-measure: one request in, lines out as they come; whatever happens, no process is left."""

import json
import os
import selectors
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from pydantic import ValidationError

from sextant_agent.measuring.lines import ErrorLine, ProgramLine
from sextant_agent.measuring.watch import MeasurementCancelled

DISTURBED = "start-failed"
WAIT_STEP_S = 0.1
LONGEST_LINE = 8 * 1024 * 1024
TIME_LIMIT_S = 300.0
"""The longest run: 60 s, 20 s of warming up, gates between 16 cores. Calibrating 64 cores takes half a minute."""


class MeasureFailed(Exception):
    """The program could not be run, or ended without a result: cause, then next step."""


class MeasureRefused(MeasureFailed):
    """The program refused the request: the field and the cause, in its own words."""

    def __init__(self, code: str, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}" if field else message)
        self.code = code
        self.field = field


class MeasureDisturbed(MeasureFailed):
    """The program could not carry the run out this time: a core gave no time, a process was killed."""


class ResourcesChanged(MeasureDisturbed):
    """What the NF was given of cache and memory was not its own all along: another program changed or removed it."""


class CoresInUse(MeasureFailed):
    """Other work took the cores in every try for a sample. It may end by itself: the host can measure, but not now."""


class MeasureProgram:
    """The binary and where artefacts lie. One run at a time for each caller; runs know nothing of each other."""

    def __init__(self, binary: Path, artefacts: Path | None = None) -> None:
        self._binary = binary
        self._artefacts = artefacts

    @property
    def missing(self) -> str | None:
        """Why it cannot be run, where that is known without trying."""
        if os.access(self._binary, os.X_OK) and self._binary.is_file():
            return None
        return f"there is no program at {self._binary}: build the data plane ('make setup')"

    def run(
        self,
        request: dict[str, Any],
        cancelled: Callable[[], bool] = lambda: False,
        heard: Callable[[ProgramLine], None] = lambda _: None,
    ) -> list[ProgramLine]:
        """All lines of a run that ended well; `heard` has each as it comes. Raises MeasureFailed (Refused, Disturbed)
        and MeasurementCancelled."""
        lines: list[ProgramLine] = []
        with _memory_file(json.dumps(request).encode()) as asked, _memory_file(b"") as said:
            process = self._start(asked, said)
            try:
                for line in _lines(process.stdout, cancelled):
                    if line.error is not None:
                        raise _failure(line.error)
                    lines.append(line)
                    heard(line)
                    if line.summary is not None:
                        return lines
                status = process.wait(TIME_LIMIT_S)
            finally:
                _end(process)
            raise MeasureFailed(f"sextant-measure ended without a result (status {status}): {_last_words(said)}")

    def _start(self, asked: IO[bytes], said: IO[bytes]) -> subprocess.Popen[bytes]:
        arguments = [str(self._binary)]
        if self._artefacts is not None:
            arguments += ["--artefacts", str(self._artefacts)]
        try:
            return subprocess.Popen(  # noqa: S603 - a path from the settings, arguments of our own making
                arguments, stdin=asked, stdout=subprocess.PIPE, stderr=said
            )
        except OSError as error:
            raise MeasureFailed(
                f"{self._binary} cannot be started: {error.strerror or error}; build the data plane ('make setup')"
            ) from error


def _failure(error: ErrorLine) -> MeasureFailed:
    if error.code == DISTURBED:
        return MeasureDisturbed(f"{error.field}: {error.message}" if error.field else error.message)
    return MeasureRefused(error.code, error.field, error.message)


def _memory_file(content: bytes) -> IO[bytes]:
    """A file without a place: the program may read it, or write to it, at its own speed."""
    file = os.fdopen(os.memfd_create("sextant-measure"), "w+b")
    file.write(content)
    file.seek(0)
    return file


def _lines(output: IO[bytes] | None, cancelled: Callable[[], bool]) -> Iterator[ProgramLine]:
    """As they come, until the program closes its end. Raises MeasurementCancelled, MeasureFailed."""
    if output is None:
        return
    until = time.monotonic() + TIME_LIMIT_S
    held = b""
    with selectors.DefaultSelector() as selector:
        selector.register(output, selectors.EVENT_READ)
        while True:
            if cancelled():
                raise MeasurementCancelled
            if time.monotonic() > until:
                raise MeasureFailed(f"sextant-measure did not end within {TIME_LIMIT_S:.0f} s and was killed")
            if not selector.select(WAIT_STEP_S):
                continue
            got = os.read(output.fileno(), 1 << 16)
            if not got:
                return
            *whole, held = (held + got).split(b"\n")
            if len(held) > LONGEST_LINE:
                raise MeasureFailed("sextant-measure prints a line without end")
            yield from map(_parse, whole)


def _parse(text: bytes) -> ProgramLine:
    try:
        return ProgramLine.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise MeasureFailed(
            f"sextant-measure prints what this agent does not understand ({where}: {first['msg']}): "
            "agent and data plane are of different versions"
        ) from error


def _end(process: subprocess.Popen[bytes]) -> None:
    """Its children die with it, by their own request to the kernel."""
    with suppress(ProcessLookupError):
        process.kill()
    if process.stdout is not None:
        process.stdout.close()
    process.wait()


def _last_words(said: IO[bytes]) -> str:
    said.seek(0)
    lines = said.read()[-4096:].decode(errors="replace").strip().splitlines()
    return lines[-1][:300] if lines else "it said nothing"
