"""The runner's process: started as a session of its own, adopted by a successor, started again when it died.

Ours is only the process whose pid, start time and nonce all match what was written down; no other is touched.
"""

import secrets
import subprocess
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import structlog
from sextant_domain.naming import few

from sextant_agent.contract.errors import DataPlaneDown
from sextant_agent.drivers.testbed.runner_client import RunnerClient, RunnerError, RunnerGone, RunnerSilent
from sextant_agent.drivers.testbed.runner_identity import RunnerIdentity, load_identity, save_identity
from sextant_agent.drivers.testbed.runner_messages import Hello, QueryAnswer
from sextant_agent.drivers.testbed.runner_stop import stop_recorded_runner
from sextant_agent.kit import metrics
from sextant_agent.machine.cpulist import format_cpulist
from sextant_agent.machine.proc import ending, is_alive, read_stat, wait_until
from sextant_agent.orders.artefacts import FOLDER

START_TIMEOUT_S = 15.0
"""EAL takes 1.2 s with hugepages and 1.8 s without on an idle machine."""
EXIT_STATUS_WAIT_S = 1.0
"""A dead process is seen in /proc a moment before its exit status can be had."""
MOST_NAMED = 3
"""Chains in the text of a refusal."""
MAX_LOG_BYTES = 4 * 1024 * 1024

log = structlog.get_logger()


class RunnerProcess:
    """Finds, starts and identifies the runner of one state folder. Not safe for several threads."""

    def __init__(
        self, binary: Path, state_dir: Path, socket_dir: Path, cores: Sequence[int], traffic_core: int
    ) -> None:
        self._binary = binary
        self._state_dir = state_dir
        self._socket = socket_dir / "runner.sock"
        self._cores = tuple(cores)
        self._traffic_core = traffic_core
        self._identity: RunnerIdentity | None = None
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def note(self) -> str | None:
        """What happened to the runner before this one."""
        return self._identity.note if self._identity else None

    @property
    def pid(self) -> int | None:
        """Of its control process, which leads the session of all of its processes."""
        return self._identity.pid if self._identity else None

    @property
    def epoch(self) -> str:
        """Changes with every runner."""
        return self._identity.nonce[:12] if self._identity else ""

    def new_client(self) -> RunnerClient:
        """A connection to the runner that `ensure` found."""
        if self._identity is None:
            raise DataPlaneDown("the runner has not been started yet")
        return RunnerClient(self._identity.socket, self.verify)

    def is_alive(self) -> bool:
        """True while the identified process lives. Reaps it if it was our child and has ended; waits for one that is
        dying, whose cores and files the next one wants."""
        identity = self._identity
        if identity is None or identity.pid is None or identity.start_time is None:
            return False
        if self._child is not None and self._child.poll() is not None:
            return False
        pid, start_time = identity.pid, identity.start_time
        stat = read_stat(pid)
        if stat is not None and stat.dying:
            wait_until(lambda: not is_alive(pid, start_time), EXIT_STATUS_WAIT_S)
        return is_alive(pid, start_time)

    def verify(self, hello: Hello, peer_pid: int) -> None:
        """Refuse to talk to a process that is not ours. Raises DataPlaneDown."""
        ours = self._identity
        if ours is None or (hello.pid, hello.start_time, hello.nonce) != (ours.pid, ours.start_time, ours.nonce):
            raise _foreign(self._socket if ours is None else ours.socket, peer_pid)
        if peer_pid != hello.pid:
            raise _foreign(ours.socket, peer_pid)

    def ensure(self) -> None:
        """Make sure that our runner runs and answers: keep, adopt or start it. Raises DataPlaneDown."""
        if self.is_alive():
            return
        known = self._identity or load_identity(self._state_dir)
        found = known.find() if known and not self._has_ended(known) else None
        if found is not None:
            self._identity = found
            self._await_hello("adopted")
            if self._stands_elsewhere():
                self._replace()
                return
            save_identity(self._state_dir, found)
            log.info("runner adopted", pid=found.pid)
            return
        self._refuse_stranger()
        self._start(self._exit_reason(known) if known else None)

    def _stands_elsewhere(self) -> bool:
        """Its source and sink are on another core than this agent's settings give them; it cannot move them."""
        with closing(self.new_client()) as client:
            return client.connect().traffic_core != self._traffic_core

    def _replace(self) -> None:
        """A new runner, where the old one carries no chain; one that does is left as it is. Raises DataPlaneDown."""
        with closing(self.new_client()) as client:
            core = client.connect().traffic_core
            chains = sorted(chain.chain for chain in client.request(QueryAnswer, "query", keep_peaks=True).chains)
        self._identity = None
        if chains:
            raise DataPlaneDown(
                "SEXTANT_AGENT_SHARED_CORES or SEXTANT_AGENT_CORES was changed: source and sink of chains belong on "
                f"core {self._traffic_core}, and the runner that carries {few(chains, MOST_NAMED)} has them on "
                f"core {core}. Its packets go on. Set the former value and restart the agent, drain the host or delete "
                "its chains, then change the setting again",
                permanent=True,
            )
        stop_recorded_runner(self._state_dir)
        moved = f"source and sink of chains moved from core {core} to {self._traffic_core}"
        self._start(f"the runner was replaced: {moved}")

    def _has_ended(self, known: RunnerIdentity) -> bool:
        return self._child is not None and self._child.pid == known.pid and self._child.poll() is not None

    def _exit_reason(self, known: RunnerIdentity) -> str:
        how = self._child_ended() if self._child is not None and self._child.pid == known.pid else ending(None)
        return f"the runner was started again at {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC: {how}"

    def _child_ended(self) -> str:
        """How our child ended. Its first thread may be gone a moment before the last one lets it be reaped."""
        if self._child is None:
            return ending(None)
        with suppress(subprocess.TimeoutExpired):
            self._child.wait(EXIT_STATUS_WAIT_S)
        return ending(self._child.returncode)

    def _refuse_stranger(self) -> None:
        """Our runner is dead, so whoever answers at its socket is not ours."""

        def stranger(_: Hello, peer_pid: int) -> None:
            raise _foreign(self._socket, peer_pid)

        try:
            RunnerClient(self._socket, stranger).connect()
        except RunnerGone:
            self._socket.unlink(missing_ok=True)
        except RunnerError as error:
            raise _foreign(self._socket, None) from error

    def _start(self, note: str | None) -> None:
        identity = RunnerIdentity(nonce=secrets.token_hex(16), socket=self._socket, note=note)
        save_identity(self._state_dir, identity)
        log_path = self._state_dir / "runner.log"
        with suppress(OSError):
            if log_path.stat().st_size > MAX_LOG_BYTES:
                log_path.replace(log_path.with_suffix(".log.1"))
        try:
            with log_path.open("ab") as output:
                self._child = subprocess.Popen(  # noqa: S603 - a path from the settings, arguments of our own making
                    self._arguments(identity.nonce),
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    cwd=self._state_dir,
                    start_new_session=True,
                )
        except OSError as error:
            raise DataPlaneDown(
                f"{self._binary} cannot be started: {error.strerror or error}; build the data plane, or set "
                "SEXTANT_AGENT_RUNNER"
            ) from error
        stat = read_stat(self._child.pid)
        start_time = stat.start_time if stat else 0
        self._identity = identity.model_copy(update={"pid": self._child.pid, "start_time": start_time})
        save_identity(self._state_dir, self._identity)
        try:
            self._await_hello("started")
        except BaseException:
            self._give_up()
            raise
        metrics.DATA_PLANE_STARTS.inc()
        log.info("runner started", pid=self._child.pid, note=note)

    def _arguments(self, nonce: str) -> list[str]:
        return [
            str(self._binary),
            "--socket", str(self._socket),
            "--nonce", nonce,
            "--traffic-core", str(self._traffic_core),
            "--cores", format_cpulist(self._cores),
            "--artefacts", str(self._state_dir / FOLDER),
        ]  # fmt: skip

    def _await_hello(self, verb: str) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        client = self.new_client()
        try:
            while True:
                try:
                    client.connect()
                    return
                except RunnerGone as error:
                    cause = str(error)
                except RunnerSilent as error:
                    raise DataPlaneDown(f"the {verb} runner hangs: {error}; end it with `stop-runner`") from error
                except RunnerError as error:
                    raise DataPlaneDown(
                        f"the {verb} runner speaks another protocol: {error}", permanent=True
                    ) from error
                if not self.is_alive():
                    raise DataPlaneDown(f"the {verb} runner ended before it answered: {self._last_words()}")
                if time.monotonic() > deadline:
                    raise DataPlaneDown(f"the {verb} runner does not answer after {START_TIMEOUT_S:.0f} s: {cause}")
                time.sleep(0.02)
        finally:
            client.close()

    def _give_up(self) -> None:
        """End a runner that did not come up: it is our own child, so its pid cannot be another's."""
        if self._child is not None and self._child.poll() is None:
            self._child.kill()
            self._child.wait()

    def _last_words(self) -> str:
        how = self._child_ended()
        with suppress(OSError):
            lines = (self._state_dir / "runner.log").read_bytes()[-4096:].decode(errors="replace").split("\n")
            said = [line for line in lines if line.strip()][-1:]
            return f"{how}; its last log line: {said[0][:300]}" if said else how
        return how


def _foreign(path: Path, pid: int | None) -> DataPlaneDown:
    who = f"process {pid}" if pid else "a process"
    return DataPlaneDown(
        f"{who} answers at {path} but is not this agent's runner; it is left alone. "
        "End it, or give this agent another SEXTANT_AGENT_SOCKET_DIR",
        permanent=True,
    )
