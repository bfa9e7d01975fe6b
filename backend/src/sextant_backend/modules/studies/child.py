"""The lab as a child process: `python -m sextant_lab run`, with bounds, without secrets, ended with its worker."""

import os
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import ValidationError
from sextant_domain.studies.study import StudyProgress, StudyRefusal

from sextant_backend.modules.studies.limits import (
    CPU_S,
    GRACE_S,
    MAX_CHECKPOINT_BYTES,
    MAX_RESULT_BYTES,
    MEMORY_BYTES,
    NICENESS,
)

_KEPT = ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH", "LANG", "TZ", "SEXTANT_INSTALLATION")
"""Of the environment: neither the database nor a key is any business of a scenario's."""
SCENARIO, BEFORE, RESULT, FOUND = "scenario.toml", "before.json", "result.json", "found.json"
_LONGEST_LINE = 64 * 1024
_LONGEST_COMPLAINT = 2000


def command(*more: str, most_bytes: int = MAX_RESULT_BYTES) -> list[str]:
    """Each program becomes the next one, so that all is one process: which the kernel kills when its worker dies,
    which gets what others leave of the processor, and whose memory, seconds and files are bounded."""
    return [
        *("setpriv", "--pdeathsig", "KILL", "--"),
        *("nice", "-n", str(NICENESS)),
        *("prlimit", f"--as={MEMORY_BYTES}", f"--cpu={CPU_S}:{CPU_S + 60}", f"--fsize={most_bytes}", "--core=0"),
        *(sys.executable, "-P", "-m", "sextant_lab", "run", SCENARIO, "--out", RESULT, "--found", FOUND),
        *more,
    ]


class Child:
    """`with Child(folder, toml, before) as child:` runs a study; whatever ends the block ends the process."""

    def __init__(self, folder: Path, toml: str, before: bytes | None = None, keep: Path | None = None) -> None:
        """`before`: the result that it repeats, as JSON; `keep`: where it keeps what it can go on from. In the folder
        nothing else lies."""
        self.result, self.found, self._complaints = folder / RESULT, folder / FOUND, folder / "stderr"
        (folder / SCENARIO).write_text(toml, encoding="utf-8")
        if before is not None:
            (folder / BEFORE).write_bytes(before)
        more = [] if before is None else ["--before", BEFORE]
        most = MAX_RESULT_BYTES
        if keep is not None:
            more, most = [*more, "--keep", str(keep)], MAX_CHECKPOINT_BYTES
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        with self._complaints.open("wb") as stderr:
            self._process = subprocess.Popen(  # noqa: S603 - our own program, and a file that it reads strictly
                command(*more, most_bytes=most),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
                cwd=folder,
                env={**environment, "OPENBLAS_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"},
            )
        self.pid = self._process.pid
        self.progress: StudyProgress | None = None
        """The last that it reported."""
        self.refusal: StudyRefusal | None = None
        self._reader = threading.Thread(target=self._read, name="study", daemon=True)

    def __enter__(self) -> Self:
        self._reader.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.stop(grace_s=0)
        self._reader.join()

    def _read(self) -> None:
        if (stdout := self._process.stdout) is None:
            return
        with stdout:
            while line := stdout.readline(_LONGEST_LINE):
                self._take(line)

    def _take(self, line: bytes) -> None:
        """What is neither is no line of the lab's: a library's, maybe."""
        try:
            self.progress = StudyProgress.model_validate_json(line)
        except ValidationError:
            try:
                self.refusal = StudyRefusal.model_validate_json(line)
            except ValidationError:
                return

    def wait(self, seconds: float) -> int | None:
        """Its exit status (negative: the signal that ended it), all its lines read; None while it runs."""
        try:
            status = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        self._reader.join()
        return status

    def stop(self, grace_s: float = GRACE_S) -> None:
        """SIGTERM, on which it ends between two points; SIGKILL after the grace."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(grace_s)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def complaint(self) -> str:
        """The end of what it wrote to stderr."""
        with self._complaints.open("rb") as stderr:
            stderr.seek(max(0, self._complaints.stat().st_size - _LONGEST_COMPLAINT))
            return stderr.read().decode(errors="replace").strip()
