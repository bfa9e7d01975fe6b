"""A real agent, as a process of its own, over the OpenNetVM double: enrolled, registered, reporting once a second."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from enrolment_world import Listener
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts

from agent.tests.nursery import Forked, nursery
from agent.tests.opennetvm_host import FIRST, SECOND, DoubleHost, double_host, kill, manager
from agent.tests.orders import HOST

__all__ = ["HOST", "OnvmAgent", "an_onvm_agent"]


class OnvmAgent:
    """`sextant-agent serve` with the driver `opennetvm`; its host has one port and two CPUs for NFs that poll."""

    def __init__(self, folder: Path, double: DoubleHost, listener: Listener) -> None:
        self.double, self.log = double, folder / "agent.log"
        description = folder / "opennetvm.toml"
        description.write_text(_toml(double))
        self.environment = {
            **os.environ,
            "SEXTANT_AGENT_HOST_ID": HOST,
            "SEXTANT_AGENT_DRIVER": "opennetvm",
            "SEXTANT_AGENT_OPENNETVM": str(description),
            "SEXTANT_AGENT_STATE_DIR": str(double.state),
            "SEXTANT_AGENT_PKI_DIR": str(listener.store.host(HOST).folder),
            "SEXTANT_AGENT_FLEET_URL": listener.url,
        }

    def start(self) -> Forked:
        return nursery("sextant_agent").fork("serve", environment=self.environment, output=self.log)

    def wedge(self, nf_id: str, first: str) -> None:
        """The NF is killed in the middle of giving a packet buffer back. `first` to spin: see the double's settings."""
        self.double.home.set(wedge=first)
        kill(self.double.nf(nf_id).running)

    def mend(self) -> None:
        """Who is killed from now on is killed at a better moment."""
        self.double.home.set(wedge="")


@contextmanager
def an_onvm_agent(folder: Path, listener: Listener) -> Iterator[OnvmAgent]:
    """Until the end of the block; then nothing of it runs."""
    listener.store.renew((HOST,))
    with session_scope() as session:
        hosts.enrol(session, HOST, {"zone": "lab"})
    with double_host(folder, manager("west", [FIRST, SECOND])) as double:
        agent = OnvmAgent(folder, double, listener)
        process = agent.start()
        try:
            yield agent
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)


def _toml(double: DoubleHost) -> str:
    """What `OnvmHost.installation` reads from objects. Strings, numbers and lists are written in TOML as in JSON."""

    def table(head: str, fields: dict[str, Any]) -> list[str]:
        return [head, *(f"{name} = {json.dumps(value, default=str)}" for name, value in fields.items())]

    lines = table("", {
        "home": double.home.folder, "huge_dir": double.huge_dir, "runtime_dir": double.runtime_dir / "dpdk",
    })  # fmt: skip
    for entry in double.entries.values():
        lines += table("[[manager]]", entry)
    for name, program in double.programs().items():
        lines += table(f"[program.{name}]", program)
    return "\n".join(lines)
