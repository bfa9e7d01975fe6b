"""Simulated hosts served by a process of their own."""

import json
import os
import signal
import socket
import ssl
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
from sextant_agent.identity.identity import new_key
from sextant_agent.simulated.identity import FleetIdentity
from sextant_domain.hosts.desired import ActualState, DesiredStateOrder, Phase

from .nursery import Forked, nursery
from .pki import Authority
from .waiting import wait_for

LIFE = timedelta(hours=1)


class TwinProcess:
    """`python -m sextant_agent twin` on one state folder; may be started again and again."""

    def __init__(self, folder: Path, authority: Authority, host_ids: tuple[str, ...], fleet_url: str | None) -> None:
        self.state, self.log = folder / "state", folder / "twin.log"
        self.authority = authority
        self.host_ids = host_ids
        self.identity = FleetIdentity(folder / "fleet-pki")
        self.key = new_key()
        issued = authority.certify_fleet(self.key.public_key(), host_ids, fleet_url or "https://192.0.2.1", LIFE)
        self.identity.write(self.key, issued, "127.0.0.1:0", "")
        self.environment = {
            **os.environ,
            "SEXTANT_AGENT_STATE_DIR": str(self.state),
            "SEXTANT_AGENT_PKI_DIR": str(self.identity.folder),
            "SEXTANT_AGENT_FLEET_URL": fleet_url or "",
            "SEXTANT_LOG_LEVEL": "debug",
        }
        self.process: Forked | None = None
        self._kept: dict[str, httpx.Client] = {}

    def start(self, *arguments: str) -> "TwinProcess":
        self._hang_up()
        (self.state / "agent.json").unlink(missing_ok=True)
        self.process = nursery("sextant_agent").fork("twin", *arguments, environment=self.environment, output=self.log)
        wait_for("the process answers", self._answers)
        return self

    def _answers(self) -> bool:
        if self.process is None or self.process.poll() is not None:
            raise AssertionError(f"the process ended; its log:\n{self.log.read_text()[-3000:]}")
        try:
            return self.request(self.host_ids[0], "GET", "/v1/health").status_code == 200
        except (httpx.HTTPError, OSError):
            return False

    @property
    def url(self) -> str:
        return str(json.loads((self.state / "agent.json").read_text())["url"])

    def client(self) -> httpx.Client:
        """One connection at a time; a host keeps the connection it was opened for."""
        url = self.url  # first: while the process starts there is none yet, and certificates would be read for nothing
        return httpx.Client(verify=self.authority.context("backend"), base_url=url, trust_env=False, timeout=60)

    def request(self, host_id: str, method: str, path: str, **more: Any) -> httpx.Response:
        """By a connection that is kept for the host, as the backend does: a new one costs both ends more than most of
        what is asked."""
        if host_id not in self._kept:
            self._kept[host_id] = self.client()
        named = {"sni_hostname": f"{host_id}.host.sextant"}
        return self._kept[host_id].request(method, path, extensions=named, **more)

    def _hang_up(self) -> None:
        while self._kept:
            self._kept.popitem()[1].close()

    def shown(self, host_id: str) -> str:
        """The certificate that a new connection to a host is answered with, in PEM."""
        port = int(self.url.rpartition(":")[2])
        context, name = self.authority.context("backend"), f"{host_id}.host.sextant"
        with (
            socket.create_connection(("127.0.0.1", port)) as plain,
            context.wrap_socket(plain, server_hostname=name) as tls,
        ):
            return ssl.DER_cert_to_PEM_cert(tls.getpeercert(binary_form=True) or b"")

    def converge(self, host_id: str, order: DesiredStateOrder) -> ActualState:
        answer = self.request(host_id, "PUT", "/v1/desired", content=order.model_dump_json())
        assert answer.status_code == 202, answer.text
        return self.converged(host_id, order.desired.generation)

    def converged(self, host_id: str, generation: int) -> ActualState:
        def reached() -> ActualState | None:
            answer = self.request(host_id, "GET", "/v1/actual").raise_for_status()
            state = ActualState.model_validate(answer.json())
            return state if state.phase is Phase.CONVERGED and state.applied_generation == generation else None

        return wait_for(f"{host_id} converges", reached)

    def metric(self, name: str) -> float:
        for line in self.request(self.host_ids[0], "GET", "/metrics").text.splitlines():
            if line.rpartition(" ")[0] == name:
                return float(line.rpartition(" ")[2])
        raise AssertionError(f"no metric {name}")

    def fault(self, host_id: str, **fault: Any) -> httpx.Response:
        return self.request(host_id, "POST", "/v1/faults", json={"fault": fault})

    def end(self, number: int = signal.SIGTERM) -> None:
        self._hang_up()
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(timeout=60)
