"""Forks our programs from a process that has imported what they run: imports are nine tenths of their start, and the
tests start hundreds.

`python nursery.py MODULE ...` imports the modules, and forks a program for every line of its standard input. At a fork
it has one thread and no connection, and no module has read the environment: what is imported is what supervisord
imports, which forks processes of several settings, too. A child does what `python -m MODULE ARGUMENTS` does
(sextant_run.supervisord), and ends with the nursery at the latest. The end-to-end tests, and those of the commands
themselves, start the interpreter.
"""

import atexit
import faulthandler
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, NoReturn

from setproctitle import getproctitle
from sextant_run.supervisord import IMPORTS, become, load

_SIMULATED = ("sextant_agent.simulated.enrolment", "sextant_agent.simulated.server", "sextant_agent.simulated.settings")
_MODULES = {
    "sextant_worker": tuple(IMPORTS["sextant_worker"]),
    "sextant_agent": (*IMPORTS["sextant_agent"], *_SIMULATED, "sextant_twin.machines"),
}
"""What a program imports; what it has in IMPORTS is the part that takes long for a real host's agent."""


class Forked:
    """What the tests use of subprocess.Popen, for a process that is not our child."""

    def __init__(self, pid: int, parent: "Nursery") -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._parent = parent
        self._fd = os.pidfd_open(pid)  # it may have ended, but nobody has waited for it: the number is its own
        self._reaping = threading.Lock()

    def __del__(self) -> None:
        with suppress(AttributeError):
            os.close(self._fd)

    def poll(self) -> int | None:
        """None as long as it runs, then its status as subprocess gives it."""
        return self._status_within(0.0)

    def wait(self, timeout: float | None = None) -> int:
        """Raises subprocess.TimeoutExpired."""
        found = self._status_within(timeout)
        if found is None:
            raise subprocess.TimeoutExpired(f"pid {self.pid}", timeout or 0.0)
        return found

    def _status_within(self, seconds: float | None) -> int | None:
        if self.returncode is None and select.select([self._fd], [], [], seconds)[0]:
            with self._reaping:
                if self.returncode is None:
                    self.returncode = self._parent.reap(self.pid)
        return self.returncode

    def send_signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._fd, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class Nursery:
    """The process that forks one program."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__, *_MODULES[module]],
            env=_without_settings(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            text=True,
            bufsize=1,
        )
        self._one_at_a_time = threading.Lock()

    def fork(
        self,
        *arguments: str,
        environment: Mapping[str, str],
        output: Path,
        errors: Path | None = None,
        given: Path | None = None,
        session: bool = False,
    ) -> Forked:
        """The program with these arguments; it writes into `output`, and what are errors into `errors` where that is
        another file, and reads `given`. `session`: it leads one of its own."""
        files = [str(given or os.devnull), str(output), str(errors or output)]
        request = {
            "module": self._module, "arguments": arguments, "environment": {**environment}, "files": files,
            "session": session, "cwd": str(Path.cwd()),
        }  # fmt: skip
        return Forked(self._ask(request), self)

    def run(
        self, *arguments: str, environment: Mapping[str, str], given: str = "", timeout: float = 60
    ) -> subprocess.CompletedProcess[str]:
        """Until it has ended by itself; raises subprocess.TimeoutExpired."""
        with tempfile.TemporaryDirectory() as name:
            stdin, stdout, stderr = (Path(name, kind) for kind in ("given", "output", "errors"))
            stdin.write_text(given)
            process = self.fork(*arguments, environment=environment, output=stdout, errors=stderr, given=stdin)
            try:
                status = process.wait(timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
            return subprocess.CompletedProcess(arguments, status, stdout.read_text(), stderr.read_text())

    def reap(self, pid: int) -> int:
        """The status of a process that has ended."""
        return self._ask({"reap": pid})

    def _ask(self, request: dict[str, Any]) -> int:
        asked, answers = _pipes(self._process)
        with self._one_at_a_time:
            print(json.dumps(request), file=asked, flush=True)
            return int(answers.readline())

    def close(self) -> None:
        """It ends once nothing more can be asked of it."""
        asked, answers = _pipes(self._process)
        asked.close()
        try:
            self._process.wait(timeout=60)
        finally:
            self._process.kill()
            answers.close()


@cache
def nursery(module: str) -> Nursery:
    """This process' own of a program, until it ends."""
    made = Nursery(module)
    atexit.register(made.close)
    return made


def _without_settings() -> dict[str, str]:
    """A module that reads its settings when it is imported fails at once: they would be the first test's for all."""
    return {
        name: value
        for name, value in os.environ.items()
        if name not in ("DATABASE_URL", "REDIS_URL") and not name.startswith("SEXTANT_")
    }


def _pipes(process: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    assert process.stdin is not None and process.stdout is not None
    return process.stdin, process.stdout


def _fork_programs(modules: list[str]) -> None:
    """Until the end of the input, of which a child's own standard input has read nothing ahead."""
    getproctitle()  # finds where the title is by an environment that nobody has changed yet
    load(modules)
    with os.fdopen(os.dup(0)) as requests, os.fdopen(os.dup(1), "w") as answers:
        for line in requests:
            request = json.loads(line)
            if "reap" in request:
                answer = os.waitstatus_to_exitcode(os.waitpid(request["reap"], 0)[1])
            else:
                assert threading.active_count() == 1, "a lock of another thread would never be given back in the child"
                answer = os.fork()
                if not answer:
                    _become(request, requests.fileno(), answers.fileno())
            print(answer, file=answers, flush=True)


def _become(request: dict[str, Any], *pipes: int) -> NoReturn:
    if request["session"]:
        os.setsid()
    os.chdir(request["cwd"])
    read, written, errors = request["files"]
    append = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    for number, opened in enumerate((os.open(read, os.O_RDONLY), os.open(written, append), os.open(errors, append))):
        os.dup2(opened, number)
        os.close(opened)
    for pipe in pipes:
        os.close(pipe)
    if request["environment"].get("PYTHONFAULTHANDLER"):
        faulthandler.enable()
    become(request["module"], request["arguments"], request["environment"])


if __name__ == "__main__":
    _fork_programs(sys.argv[1:])
