"""The root helper as a process of its own. Only root can start it."""

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from sextant_agent.helper.__main__ import subtree_name
from sextant_agent.helper.hierarchy import Hierarchy, find_hierarchy
from sextant_agent.helper.refusal import Unusable

from .orders import HOST
from .waiting import wait_for


def why_no_groups() -> str | None:
    """Why CPU groups cannot be made here; None where they can: root, and a controller that takes them."""
    if os.geteuid() != 0:
        return "not root"
    try:
        found = hierarchy()
        probe = found.cpu / f"sextant-probe-{os.getpid()}"
        probe.mkdir()
        usable = (probe / ("cpu.shares" if found.version == 1 else "cpu.weight")).exists()
        probe.rmdir()
    except (Unusable, OSError) as error:
        return str(error)
    return None if usable else "new groups get no cpu controller here"


def hierarchy() -> Hierarchy:
    return find_hierarchy(Path("/proc/self/mountinfo").read_text())


class HelperProcess:
    """One helper on one socket; may be started again and again."""

    def __init__(self, folder: Path, runner: Path, uid: int = 0, budget_percent: float | None = None) -> None:
        self.socket = folder / "helper.sock"
        self.log = folder / "helper.log"
        self.runner = runner
        self.uid = uid
        self.budget = [] if budget_percent is None else ["--cpu-percent", str(budget_percent)]
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def subtree(self) -> str:
        return f"sextant/{subtree_name(HOST, self.socket.parent.resolve() / self.socket.name)}"

    def group(self, nf_id: str) -> Path:
        return hierarchy().cpu / self.subtree / f"nf-{nf_id}"

    def command(self, *more: str) -> list[str]:
        start = [sys.executable, "-I", "-m", "sextant_agent.helper", "--socket", str(self.socket), "--host-id", HOST]
        return [*start, "--program", str(self.runner), "--agent-uid", str(self.uid), *self.budget, *more]

    def start(self) -> "HelperProcess":
        self.socket.unlink(missing_ok=True)
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        wait_for("the helper answers", self._answers)
        return self

    def _answers(self) -> bool:
        """It listens before it has given up its rights, and reads or refuses only afterwards."""
        if self.process is None or self.process.poll() is not None:
            raise AssertionError(f"the helper ended:\n{self.log.read_text()[-3000:]}")
        with suppress(OSError), closing(Asking(self.socket)) as asking:
            asking.connection.shutdown(socket.SHUT_WR)
            asking.lines.read()
            return True
        return False

    def clean(self) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(self.command("--clean"), capture_output=True, text=True, timeout=30, check=False)

    def kill(self, number: int = signal.SIGKILL) -> None:
        assert self.process is not None
        self.process.send_signal(number)
        self.process.wait(timeout=60)

    def end_all(self) -> None:
        """As `make down` does; what runs in the groups must have ended."""
        if self.process is not None and self.process.poll() is None:
            self.kill(signal.SIGTERM)
        done = self.clean()
        assert done.returncode == 0, done.stderr


class Asking:
    """Somebody who speaks to the helper's socket line by line, well or badly."""

    def __init__(self, path: Path) -> None:
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.settimeout(20)
        self.connection.connect(str(path))
        self.lines = self.connection.makefile("rb")

    def send(self, line: bytes) -> dict[str, Any] | None:
        """The answer to a raw line; None where the connection was closed instead."""
        self.connection.sendall(line)
        found = self.lines.readline()
        return json.loads(found) if found else None

    def ask(self, op: str, **fields: object) -> dict[str, Any]:
        answer = self.send(json.dumps({"id": 7, "op": op, **fields}).encode() + b"\n")
        assert answer is not None and answer["id"] == 7
        return answer

    def refused(self, op: str, **fields: object) -> tuple[str, str | None]:
        """Code and field of a request that must be refused."""
        answer = self.ask(op, **fields)
        assert answer["ok"] is False, answer
        assert answer["error"]["message"]
        return answer["error"]["code"], answer["error"]["field"]

    def close(self) -> None:
        self.lines.close()
        self.connection.close()


def let_in(helper: HelperProcess) -> Asking:
    """Somebody who has a place: one whose connection has just ended keeps its place until the helper has read that."""

    def answered() -> Asking | None:
        asking = Asking(helper.socket)
        with suppress(OSError):  # refused, and closed before it asked
            if asking.ask("hello")["ok"]:
                return asking
        asking.close()
        return None

    found = wait_for("a place is free", answered)
    assert found is not None
    return found
