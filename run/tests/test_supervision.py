"""Real supervisord over small programs: what dies runs again, and nothing survives that should not."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sextant_run import down, supervision
from sextant_run.belongings import MARK, belonging_to
from sextant_run.identity import ProcessIdentity, end
from sextant_run.installation import Installation, load, save
from sextant_run.keeper import try_again
from sextant_run.layout import DataLayout
from sextant_run.programs import SupervisedProgram
from sextant_run.servers.base import DIE_WITH_PARENT

SLEEP = "import time; time.sleep(600)"
AGENT = (
    "import subprocess,sys,time;"
    "subprocess.Popen(sys.argv[1:], start_new_session=True) if sys.argv[1:] else None;"
    "time.sleep(600)"
)
"""Starts a runner as the agent does (a session of its own), then serves."""


def _program(installation: Installation, name: str, *command: str, **options: Any) -> SupervisedProgram:
    group = options.pop("group", "sextant")
    prefixed = (*DIE_WITH_PARENT, *command)
    return SupervisedProgram(
        name=name, group=group, command=prefixed, address="", environment={MARK: installation.id}, **options
    )


@pytest.fixture
def start(layout: DataLayout, installation: Installation) -> Iterator[Callable[..., ProcessIdentity]]:
    """Start supervisord over programs; everything of the installation is ended afterwards."""

    def begin(*programs: SupervisedProgram, die_with_parent: bool = False) -> ProcessIdentity:
        supervision.write_configuration(layout, programs)
        identity = supervision.start(layout, installation.id, die_with_parent=die_with_parent)
        save(layout, installation.model_copy(update={"supervisor": identity}))
        supervision.start_group(layout, "sextant")
        return identity

    yield begin
    end(belonging_to(installation.id, layout.data), grace_s=2)
    try:  # supervisord is this process's child: no zombie stays
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _pid(layout: DataLayout, name: str) -> int:
    return next((p.pid for p in supervision.processes(layout) if p.name == name), 0)


def test_what_is_killed_runs_again(
    layout: DataLayout, installation: Installation, start: Callable[..., ProcessIdentity], wait_for: Callable[..., Any]
) -> None:
    start(_program(installation, "console", sys.executable, "-c", SLEEP))
    first = wait_for(lambda: _pid(layout, "console"))
    os.kill(first, signal.SIGKILL)
    assert wait_for(lambda: (now := _pid(layout, "console")) not in (0, first) and now)


def test_what_is_to_run_once_is_not_started_again(
    layout: DataLayout, installation: Installation, start: Callable[..., ProcessIdentity], wait_for: Callable[..., Any]
) -> None:
    count = layout.data / "count"
    code = f"open({str(count)!r}, 'a').write('x')"
    start(
        _program(installation, "first", sys.executable, "-c", code, once=True),
        _program(installation, "console", sys.executable, "-c", SLEEP),
    )
    wait_for(lambda: [p.state for p in supervision.processes(layout) if p.name == "first"] == ["EXITED"])
    wait_for(lambda: [p.state for p in supervision.processes(layout) if p.name == "console"] == ["RUNNING"])
    assert count.read_text() == "x"


def test_settings_reach_the_program_whatever_they_hold(
    layout: DataLayout, installation: Installation, start: Callable[..., ProcessIdentity], wait_for: Callable[..., Any]
) -> None:
    reported = layout.data / "reported"
    value = "postgresql://u:p%40ss,word'@h/d?options=-c a=b;"
    code = f"import os,pathlib,time; pathlib.Path({str(reported)!r}).write_text(os.environ['X']); time.sleep(600)"
    program = SupervisedProgram("p", "sextant", (sys.executable, "-c", code), "", {"X": value, MARK: installation.id})
    start(program)
    assert wait_for(lambda: reported.exists() and reported.read_text()) == value


def test_servers_start_at_once_and_the_rest_when_told(
    layout: DataLayout, installation: Installation, wait_for: Callable[..., Any], start: Callable[..., ProcessIdentity]
) -> None:
    server = _program(installation, "postgres", sys.executable, "-c", SLEEP, group="servers")
    console = _program(installation, "console", sys.executable, "-c", SLEEP)
    supervision.write_configuration(layout, (server, console))
    supervision.start(layout, installation.id, die_with_parent=False)
    wait_for(lambda: _pid(layout, "postgres"))
    assert _pid(layout, "console") == 0
    supervision.start_group(layout, "sextant")
    wait_for(lambda: _pid(layout, "console"))


def test_a_runner_outlives_its_agent_and_a_killed_supervisor_but_nothing_else_does(
    layout: DataLayout,
    installation: Installation,
    start: Callable[..., ProcessIdentity],
    wait_for: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runner = tmp_path / "sextant-runner"
    runner.write_bytes(Path("/bin/sleep").read_bytes())
    runner.chmod(0o755)
    monkeypatch.setattr(DataLayout, "runner", property(lambda _: runner))
    supervisor = start(
        _program(installation, "agent", sys.executable, "-c", AGENT, str(runner), "600"),
        _program(installation, "worker", sys.executable, "-c", AGENT, sys.executable, "-c", SLEEP),
    )
    wait_for(lambda: len(belonging_to(installation.id, layout.data)) == 5)  # supervisord, two programs, their children
    wait_for(lambda: down.runner_processes(layout, installation))  # a child is counted before it runs its program
    (runs,) = down.runner_processes(layout, installation)
    agent = _pid(layout, "agent")
    os.kill(agent, signal.SIGKILL)
    wait_for(lambda: _pid(layout, "agent") not in (0, agent))
    wait_for(lambda: len(down.runner_processes(layout, installation)) == 2)  # the new one has started a second runner
    assert runs.alive()

    supervisor.signal(signal.SIGKILL)
    # Both programs die with it. What they had put into sessions of their own does not: two runners and an orphan.
    wait_for(lambda: len(belonging_to(installation.id, layout.data)) == 3)
    runners = down.runner_processes(layout, installation)
    assert len(runners) == 2
    assert runs in runners
    assert len(down.clear_leftovers(layout, installation)) == 1
    assert belonging_to(installation.id, layout.data) == runners


def test_stopping_leaves_no_process_and_clears_run_json(
    layout: DataLayout, installation: Installation, start: Callable[..., ProcessIdentity], wait_for: Callable[..., Any]
) -> None:
    stubborn = "import signal,time; signal.signal(15, signal.SIG_IGN); time.sleep(600)"
    start(
        _program(installation, "console", sys.executable, "-c", SLEEP),
        _program(installation, "fleet", sys.executable, "-c", stubborn, stop_wait_s=1),
    )
    wait_for(lambda: _pid(layout, "console") and _pid(layout, "fleet"))
    present = load(layout)
    assert present is not None
    assert present.up
    assert down.stop(layout, present) == []
    assert belonging_to(installation.id, layout.data) == []
    after = load(layout)
    assert after is not None
    assert not after.up


def test_in_the_foreground_supervisord_ends_with_whoever_started_it(
    layout: DataLayout, installation: Installation, spawn: Callable[..., Any], wait_for: Callable[..., Any]
) -> None:
    supervision.write_configuration(layout, (_program(installation, "console", sys.executable, "-c", SLEEP),))
    code = (
        "import pathlib,time; from sextant_run import supervision; from sextant_run.layout import DataLayout;"
        f"layout = DataLayout(root=pathlib.Path({str(layout.root)!r}), data=pathlib.Path({str(layout.data)!r}));"
        f"supervision.start(layout, {installation.id!r}, die_with_parent=True);"
        "supervision.start_group(layout, 'sextant'); time.sleep(600)"
    )
    starter = spawn(code)
    wait_for(lambda: len(belonging_to(installation.id, layout.data)) == 2)
    starter.kill()
    wait_for(lambda: belonging_to(installation.id, layout.data) == [])


def test_the_keeper_starts_again_what_supervisord_gave_up_on(
    layout: DataLayout, installation: Installation, start: Callable[..., ProcessIdentity], wait_for: Callable[..., Any]
) -> None:
    repaired = layout.data / "repaired"
    code = f"import pathlib,sys,time; pathlib.Path({str(repaired)!r}).exists() or sys.exit(3); time.sleep(600)"
    supervision.write_configuration(layout, (_program(installation, "worker", sys.executable, "-c", code),))
    patient = layout.supervisor_conf.read_text()
    layout.supervisor_conf.write_text(patient.replace("startretries=8", "startretries=0"))  # 8 tries take 36 s
    supervision.start(layout, installation.id, die_with_parent=False)
    supervision.start_group(layout, "sextant")
    wait_for(lambda: {p.state for p in supervision.processes(layout)} == {"FATAL"})
    repaired.touch()
    try_again(layout)
    assert wait_for(lambda: _pid(layout, "worker"))
