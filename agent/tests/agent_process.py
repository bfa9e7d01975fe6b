"""An agent as a process of its own, with the runner it leaves behind."""

import json
import os
import signal
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
from sextant_agent.drivers.testbed.runner_stop import stop_recorded_runner
from sextant_domain.hosts.desired import ActualState, DesiredStateOrder, Phase

from .nursery import Forked, nursery
from .orders import HOST
from .pki import Authority
from .waiting import wait_for

NAME = {"sni_hostname": f"{HOST}.host.sextant"}
"""Whom a client asks for, as an option of httpx."""


class AgentProcess:
    """`python -m sextant_agent serve` on one state folder; may be started again and again."""

    def __init__(self, state: Path, authority: Authority, runner: Path, fleet_url: str | None) -> None:
        self.state = state
        self.authority = authority
        self.runner = runner
        self.log = state.parent / "agent.log"
        self.environment = {
            **os.environ,
            "SEXTANT_AGENT_HOST_ID": HOST,
            "SEXTANT_AGENT_STATE_DIR": str(state),
            "SEXTANT_AGENT_PKI_DIR": str(authority.folder / "host"),
            "SEXTANT_AGENT_RUNNER": str(runner),
            "SEXTANT_LOG_LEVEL": "debug",
            "PYTHONFAULTHANDLER": "1",
        }
        if fleet_url:
            self.environment["SEXTANT_AGENT_FLEET_URL"] = fleet_url
        self.process: Forked | None = None
        self._kept: httpx.Client | None = None
        """A new connection costs both ends more than most of what is asked, and waited for again and again."""

    def start(self) -> "AgentProcess":
        self.launch()
        try:
            wait_for("the agent answers", self._answers)
        except AssertionError as error:
            if self.process is not None and self.process.poll() is None:
                self.kill(signal.SIGABRT)  # with PYTHONFAULTHANDLER: every thread's stack
            raise AssertionError(f"{error}; its log:\n{self.log.read_text()[-6000:]}") from error
        return self

    def launch(self) -> None:
        """Start without waiting."""
        (self.state / "agent.json").unlink(missing_ok=True)
        self._hang_up()
        self.process = nursery("sextant_agent").fork("serve", environment=self.environment, output=self.log)

    def _answers(self) -> bool:
        if self.process is None or self.process.poll() is not None:
            raise AssertionError("the agent ended")
        try:
            return self.get("/v1/health").status_code == 200
        except (httpx.HTTPError, OSError):
            return False

    @property
    def url(self) -> str:
        return str(json.loads((self.state / "agent.json").read_text())["url"])

    def client(self, shown: str | None = "backend", authority: Authority | None = None) -> httpx.Client:
        """A client of its own; `shown` names the certificate it shows, of this authority or of another."""
        url = self.url  # first: while the agent starts there is none yet, and certificates would be read for nothing
        context = self.authority.context(None if authority else shown)
        if authority and shown:
            context.load_cert_chain(*(authority.folder / shown / f"{shown}.{kind}" for kind in ("crt", "key")))
        return httpx.Client(verify=context, base_url=url, trust_env=False, timeout=60)

    def _hang_up(self) -> None:
        if self._kept is not None:
            self._kept.close()
        self._kept = None

    def request(self, method: str, path: str, *, shown: str | None = "backend", **more: Any) -> httpx.Response:
        """The backend keeps its connection, as it does in truth; whoever else asks makes a new one each time."""
        if shown != "backend":
            with self.client(shown) as client:
                return client.request(method, path, extensions=NAME, **more)
        if self._kept is None:
            self._kept = self.client()
        return self._kept.request(method, path, extensions=NAME, **more)

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.request("GET", path, **more)

    def put(self, order: DesiredStateOrder) -> httpx.Response:
        return self.request("PUT", "/v1/desired", content=order.model_dump_json())

    def actual(self) -> ActualState:
        return ActualState.model_validate(self.get("/v1/actual").raise_for_status().json())

    def converge(self, order: DesiredStateOrder | None = None, seconds: float = 60) -> ActualState:
        """Send the order, wait until it is reached."""
        if order is not None:
            answer = self.put(order)
            assert answer.status_code == 202, answer.text
        generation = order.desired.generation if order else None

        def reached() -> ActualState | None:
            state = self.actual()
            right = generation is None or state.desired_generation == generation
            return state if state.phase is Phase.CONVERGED and right else None

        return wait_for("the host converges", reached, seconds)

    def runner_pid(self) -> int:
        return int(json.loads((self.state / "runner.json").read_text())["pid"])

    def metric(self, name: str) -> float:
        for line in self.get("/metrics").text.splitlines():
            if line.rpartition(" ")[0] == name:
                return float(line.rpartition(" ")[2])
        raise AssertionError(f"no metric {name}")

    def logged(self, text: str, since: datetime) -> datetime:
        """When the agent first noted `text` after `since`, by its own clock."""

        def first() -> datetime | None:
            lines = [json.loads(line) for line in self.log.read_text().splitlines() if text in line and line[0] == "{"]
            stamps = [datetime.fromisoformat(line["timestamp"]) for line in lines]
            return next((stamp for stamp in stamps if stamp > since), None)

        return wait_for(f"the agent notes '{text}'", first)

    def kill(self, number: int = signal.SIGKILL) -> None:
        assert self.process is not None
        self._hang_up()
        self.process.send_signal(number)
        self.process.wait(timeout=60)

    def stop_runner(self) -> subprocess.CompletedProcess[str]:
        """By the command, for tests of it."""
        return subprocess.run(
            [sys.executable, "-m", "sextant_agent", "stop-runner", "--state-dir", str(self.state)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def end_all(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.kill(signal.SIGTERM)
        self._hang_up()
        stop_recorded_runner(self.state)
