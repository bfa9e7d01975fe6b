"""The root helper under `make up`: there for root, found by the agent, and nothing of it left after `make down`."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sextant_agent.control.helper_client import HelperClient, HelperError
from sextant_run import down, programs, supervision
from sextant_run.identity import ProcessIdentity, wait_until_gone
from sextant_run.installation import Installation, save
from sextant_run.layout import DataLayout

CPU = next(
    (path for path in (Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup")) if (path / "cgroup.procs").exists()), None
)


def _helper(layout: DataLayout, installation: Installation) -> list[programs.SupervisedProgram]:
    return [program for program in programs.programs(layout, installation) if program.name == "helper"]


def test_only_root_starts_it(layout: DataLayout, installation: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert _helper(layout, installation) == []
    assert programs.agent_environment(layout, installation)["SEXTANT_AGENT_HELPER_SOCKET"] == str(layout.helper_socket)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    (program,) = _helper(layout, installation)
    at = program.command.index("--socket")
    assert program.command[at + 1] == str(layout.helper_socket)
    named = [word for before, word in zip(program.command, program.command[1:], strict=False) if before == "--program"]
    assert named == [str(layout.runner), str(layout.runner.with_name("sextant-measure"))]


@pytest.mark.fault
@pytest.mark.skipif(os.geteuid() != 0 or CPU is None, reason="only root makes CPU groups")
def test_down_leaves_no_group_even_of_a_killed_supervisor(
    layout: DataLayout, installation: Installation, wait_for: Callable[..., Any]
) -> None:
    assert CPU is not None
    supervision.write_configuration(layout, _helper(layout, installation))
    supervisor = supervision.start(layout, installation.id, die_with_parent=False)
    present = installation.model_copy(update={"supervisor": supervisor})
    save(layout, present)
    supervision.start_group(layout, "sextant")
    client = HelperClient(layout.helper_socket)

    def usable() -> str | None:
        try:
            return client.hello().subtree
        except HelperError:
            return None

    subtree = CPU / wait_for(usable)
    client.set_cpu("web.router", 200, None)
    assert (subtree / "nf-web.router").is_dir()
    os.kill(supervisor.pid, signal.SIGKILL)
    os.waitpid(supervisor.pid, 0)
    assert wait_until_gone([ProcessIdentity(pid=supervisor.pid, start_time=supervisor.start_time)], 10) == []
    client.close()
    down.stop(layout, present)
    assert not subtree.exists()
    assert down.stop(layout, present) == [], "a second time there is nothing to do, and nothing to say"
