"""Ending an installation, and clearing up after one whose supervisor was killed."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from sextant_run import installation, lab_hosts
from sextant_run.belongings import belonging_to, executable
from sextant_run.identity import ProcessIdentity, end, wait_until_gone
from sextant_run.installation import Installation
from sextant_run.lab_hosts import is_lab_program
from sextant_run.layout import DataLayout
from sextant_run.programs import agent_environment, helper_arguments

STOP_LIMIT_S = 30.0
"""supervisord ends its groups one after the other, each within its processes' `stop_wait_s`."""
ASK_TIMEOUT_S = 20


def stop(layout: DataLayout, present: Installation) -> list[str]:
    """End everything: supervisord with its processes, then the runner, then whatever is left.

    Returns remarks for a person, empty when all went in order.
    """
    remarks = _stop_supervisor(present)
    problem = _stop_runner(layout, present)
    if problem:
        remarks.append(problem)
    end([one for one in belonging_to(present.id, layout.data) if is_lab_program(executable(one))], grace_s=5.0)
    left = belonging_to(present.id, layout.data)
    if left:
        remarks.append(f"stopped leftover processes: {', '.join(_describe(identity) for identity in left)}")
        end(left, grace_s=3.0)
    problem = _remove_groups(layout, present)
    if problem:
        remarks.append(problem)
    remarks += lab_hosts.remove(layout, present)
    installation.save(layout, present.model_copy(update={"supervisor": None}))
    if layout.sockets.parent == Path("/tmp"):  # noqa: S108 - made by Layout.make_folders
        shutil.rmtree(layout.sockets, ignore_errors=True)
    return remarks


def stop_but_packets(layout: DataLayout, present: Installation) -> list[str]:
    """The same, but the runner and its NFs go on; the next agent adopts them. For an upgrade."""
    remarks = _stop_supervisor(present)
    clear_leftovers(layout, present)
    installation.save(layout, present.model_copy(update={"supervisor": None}))
    return remarks


def _stop_supervisor(present: Installation) -> list[str]:
    if present.supervisor is None or not present.supervisor.alive():
        return []
    present.supervisor.signal(signal.SIGTERM)
    if not wait_until_gone([present.supervisor], STOP_LIMIT_S):
        return []
    end([present.supervisor], grace_s=0)
    return [f"supervisord did not stop within {STOP_LIMIT_S:.0f} s and was killed"]


def clear_leftovers(layout: DataLayout, present: Installation) -> list[ProcessIdentity]:
    """What a killed supervisor left behind, ended by pid and start time. Its runner moves packets and stays: the new
    agent adopts it."""
    left = [identity for identity in belonging_to(present.id, layout.data) if not _moves_packets(layout, identity)]
    end(left, grace_s=5.0)
    return left


def runner_processes(layout: DataLayout, present: Installation) -> list[ProcessIdentity]:
    """The runner and its NFs."""
    return [p for p in belonging_to(present.id, layout.data) if _moves_packets(layout, p)]


def _moves_packets(layout: DataLayout, identity: ProcessIdentity) -> bool:
    return executable(identity) == layout.runner or is_lab_program(executable(identity))


def _stop_runner(layout: DataLayout, present: Installation) -> str:
    """Ask the agent's own command to end the runner; '' if all went well or there is none."""
    state = layout.agent_state(present.host_id)
    if not state.exists():
        return ""
    return _ask(
        ["-m", "sextant_agent", "stop-runner", "--state-dir", str(state)],
        {**os.environ, **agent_environment(layout, present)},
        late="the runner did not stop",
        failed="stop-runner failed",
    )


def _remove_groups(layout: DataLayout, present: Installation) -> str:
    """The NFs' CPU groups, which outlive helper and agent as NFs do; '' if none is left."""
    if os.geteuid() != 0:
        return ""
    clean = [*helper_arguments(layout, present), "--clean"]
    return _ask(clean, dict(os.environ), late="the CPU groups were not removed", failed="CPU groups are left")


def _ask(arguments: list[str], environment: dict[str, str], *, late: str, failed: str) -> str:
    """Run a Python program of ours to its end; '' if it succeeded, else what went wrong."""
    try:
        done = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=ASK_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{late} within {ASK_TIMEOUT_S} s"
    return "" if done.returncode == 0 else f"{failed}: {done.stderr.strip()[-300:]}"


def _describe(identity: ProcessIdentity) -> str:
    program = executable(identity)
    return f"{program.name if program else 'process'} (pid {identity.pid})"
