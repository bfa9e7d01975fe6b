"""Programs that supervisord forks do what `python -m` does: settings, signals, exit status, end with whoever forked."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sextant_run import supervision, supervisor_client
from sextant_run.belongings import MARK, belonging_to
from sextant_run.identity import ProcessIdentity, end
from sextant_run.installation import Installation
from sextant_run.layout import DataLayout
from sextant_run.programs import SupervisedProgram
from sextant_run.servers.base import DIE_WITH_PARENT
from sextant_run.supervisor_client import ProcessInfo

REPORT = """
import atexit, json, os, pathlib, signal, sys, threading, time
pathlib.Path(sys.argv[1]).write_text(json.dumps({
    "arguments": sys.argv[1:],
    "name": __name__,
    "settings": dict(os.environ),
    "forked": "sextant_run.supervision" not in sys.modules and "supervisor.process" in sys.modules,
    "handlers": [number for number in signal.valid_signals() if callable(signal.getsignal(number))],
}))
time.sleep(600)
"""
LATE = """
import atexit, sys, threading, time
atexit.register(print, "at the end", flush=True)
threading.Thread(target=lambda: (time.sleep(0.2), print("from a thread", flush=True))).start()
sys.exit({code!r})
"""


@pytest.fixture
def own(tmp_path: Path) -> DataLayout:
    """A folder of its own as the clone: supervisord is started there, so that its modules are found."""
    made = DataLayout(root=tmp_path, data=tmp_path / "d")
    made.make_folders()
    return made


Run = Callable[..., ProcessIdentity]


@pytest.fixture
def run(own: DataLayout, installation: Installation) -> Iterator[Run]:
    """`run("code of a module", *arguments)`: a program of this module under supervisord, started once."""

    def begin(code: str, *arguments: str, once: bool = False, **settings: str) -> ProcessIdentity:
        (own.root / "program.py").write_text(code)
        program = SupervisedProgram(
            name="program",
            group="sextant",
            command=(*DIE_WITH_PARENT, sys.executable, "-m", "program", *arguments),
            address="",
            environment={MARK: installation.id, **settings},
            once=once,
        )
        supervision.write_configuration(own, (program,))
        supervisor = supervision.start(own, installation.id, die_with_parent=False)
        supervision.start_group(own, "sextant")
        return supervisor

    yield begin
    end(belonging_to(installation.id, own.data), grace_s=2)
    with pytest.raises(ChildProcessError):  # supervisord is this process's child: no zombie stays
        while True:
            os.waitpid(-1, 0)


def _program(layout: DataLayout) -> ProcessInfo:
    (found,) = supervision.processes(layout)
    return found


def test_it_has_its_arguments_settings_and_signals(
    own: DataLayout, run: Run, installation: Installation, wait_for: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OF_THE_SHELL", "inherited")
    report = own.data / "report"
    run(REPORT, str(report), "--port", "8080", OWN="a 'value'; with %")
    told = json.loads(wait_for(lambda: report.exists() and report.read_text()))
    assert told["arguments"] == [str(report), "--port", "8080"]
    assert (told["name"], told["forked"]) == ("__main__", True)
    assert told["settings"]["OWN"] == "a 'value'; with %"
    assert told["settings"]["OF_THE_SHELL"] == "inherited"
    assert told["handlers"] == [signal.SIGINT]  # none of supervisord's: SIGTERM ends it
    pid = _program(own).pid
    title = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode()
    assert title == f"python -m program {report} --port 8080"[: len(title)]  # no longer than supervisord's own
    assert len(title) > len("python -m program /")
    assert [identity.pid for identity in belonging_to(installation.id, own.data)].count(pid) == 1  # it can be found
    os.kill(pid, signal.SIGTERM)
    wait_for(lambda: _program(own).pid not in (0, pid))


@pytest.mark.parametrize(
    ("code", "state", "status"), [(0, "EXITED", 0), (7, "EXITED", 7), ("no certificate", "EXITED", 1)]
)
def test_it_ends_as_an_interpreter_does(
    own: DataLayout, run: Run, wait_for: Callable[..., Any], code: int | str, state: str, status: int
) -> None:
    run(LATE.format(code=code), once=True)
    wait_for(lambda: _program(own).state == state)
    with supervisor_client.client(own.supervisor_socket) as supervisor:
        assert supervisor.getProcessInfo("sextant:program")["exitstatus"] == status
    lines = (own.log / "program.log").read_text().splitlines()
    assert lines == [*(["no certificate"] if code == "no certificate" else []), "from a thread", "at the end"]


def test_what_it_raises_is_in_its_log(own: DataLayout, run: Run, wait_for: Callable[..., Any]) -> None:
    run("raise ValueError('a cause')", once=True)
    wait_for(lambda: _program(own).state == "EXITED")
    assert (own.log / "program.log").read_text().splitlines()[-1] == "ValueError: a cause"


def test_it_dies_with_a_killed_supervisord(
    own: DataLayout, run: Run, installation: Installation, wait_for: Callable[..., Any]
) -> None:
    supervisor = run("import time; time.sleep(600)")
    wait_for(lambda: _program(own).pid)
    supervisor.signal(signal.SIGKILL)
    wait_for(lambda: belonging_to(installation.id, own.data) == [])


def _python(code: str, **settings: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **settings})


LEFT = """
import sys
from sextant_run import supervisord
supervisord._load((*supervisord._PREFIX, name) for name in supervisord.IMPORTS)
assert "numpy" not in sys.modules, "fits load it, in the process that makes them"
from sextant_backend.kit.db import Base
assert all(mapper.configured for mapper in Base.registry.mappers), "each child would do it again"
before = set(sys.modules)
import sextant_worker.tasks, sextant_worker.watch, sextant_agent.main, sextant_agent.agent, sextant_backend.app
import sextant_backend.fleet.app, sextant_agent.commands.simulated
import sextant_run.keeper, sextant_run.simulated.__main__, sextant_run.first_profiles.__main__
print(*sorted(set(sys.modules) - before))
"""


def test_little_is_left_to_import_in_a_child(own: DataLayout) -> None:
    done = _python(LEFT, DATABASE_URL="postgresql+psycopg://x@/x", REDIS_URL="redis://127.0.0.1:1/0")
    assert done.returncode == 0, done.stderr
    left = [name for name in done.stdout.split() if not name.startswith(("sextant_worker", "sextant_run"))]
    assert len(left) <= 10, left


def test_an_import_that_starts_a_thread_is_refused() -> None:
    """A child would find a lock of that thread's taken, and nobody would ever let it go."""
    threading = "import threading, time; threading.Thread(target=time.sleep, args=(60,), daemon=True).start()"
    done = _python(f"from sextant_run import supervisord\n{threading}\nsupervisord._load([])")
    assert "RuntimeError: 1 threads were started by imports" in done.stderr
