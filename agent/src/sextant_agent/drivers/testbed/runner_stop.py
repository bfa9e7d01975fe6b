"""Ending the recorded runner and everything under it, after checking that it is the one meant."""

import os
import signal
from contextlib import suppress
from pathlib import Path

from sextant_agent.contract.errors import DataPlaneDown
from sextant_agent.drivers.testbed.runner_client import RunnerClient, RunnerError
from sextant_agent.drivers.testbed.runner_identity import FILE_NAME, RunnerIdentity, load_identity
from sextant_agent.drivers.testbed.runner_messages import Hello, RunnerAnswer
from sextant_agent.machine.proc import ProcessStat, command_line, is_alive, session_members, wait_until

PATIENCE_S = 5.0


def stop_recorded_runner(state_dir: Path) -> str:
    """What was done, for a person. Raises DataPlaneDown where the process is not the recorded one or stays."""
    recorded = load_identity(state_dir)
    if recorded is None:
        return f"no runner is recorded in {state_dir}"
    ours = recorded.find()
    if ours is None or ours.pid is None or ours.start_time is None:
        _refuse_to_leave(_alive_after_patience(_dying(recorded)))
        _tidy(state_dir, recorded)
        return "the recorded runner has already ended"
    if ours.nonce not in command_line(ours.pid):
        raise DataPlaneDown(
            f"process {ours.pid} was not started with the recorded nonce; it is left alone", permanent=True
        )
    members = session_members(ours.pid)
    _end(ours, ours.pid, ours.start_time)
    left = _alive_after_patience(members)
    _kill(left)
    _refuse_to_leave(_alive_after_patience(left))
    _tidy(state_dir, recorded)
    return f"ended runner {ours.pid} and {len(members) - 1} processes under it"


def _end(ours: RunnerIdentity, pid: int, start_time: int) -> None:
    """Ask over the socket, then SIGTERM, then SIGKILL: each only to that very process."""

    def verify(hello: Hello, _: int) -> None:
        if (hello.pid, hello.start_time, hello.nonce) != (pid, start_time, ours.nonce):
            raise DataPlaneDown("another process answers at the runner's socket", permanent=True)

    client = RunnerClient(ours.socket, verify)
    with suppress(RunnerError, DataPlaneDown):
        client.request(RunnerAnswer, "shutdown")
    client.close()
    for number in (None, signal.SIGTERM, signal.SIGKILL):
        if number is not None and is_alive(pid, start_time):
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        if wait_until(lambda: not is_alive(pid, start_time), PATIENCE_S):
            return


def _dying(recorded: RunnerIdentity) -> list[ProcessStat]:
    """What the kernel ends with a runner that was killed (PR_SET_PDEATHSIG): it holds cores and files until it has
    ended. One that has given back its memory already shows no command line."""
    if recorded.pid is None:
        return []
    lines = ((member, command_line(member.pid)) for member in session_members(recorded.pid))
    return [member for member, line in lines if not line or recorded.nonce in line]


def _refuse_to_leave(members: list[ProcessStat]) -> None:
    if members:
        pids = [member.pid for member in members]
        raise DataPlaneDown(f"processes {pids} do not end; end them by hand", permanent=True)


def _alive_after_patience(members: list[ProcessStat]) -> list[ProcessStat]:
    def alive() -> list[ProcessStat]:
        return [member for member in members if is_alive(member.pid, member.start_time)]

    wait_until(lambda: not alive(), PATIENCE_S)
    return alive()


def _kill(members: list[ProcessStat]) -> None:
    for member in members:
        if is_alive(member.pid, member.start_time):
            with suppress(ProcessLookupError):
                os.kill(member.pid, signal.SIGKILL)


def _tidy(state_dir: Path, recorded: RunnerIdentity) -> None:
    recorded.socket.unlink(missing_ok=True)
    (state_dir / FILE_NAME).unlink(missing_ok=True)
