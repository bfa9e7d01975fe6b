"""Simulated hosts of a fleet under test: one process of the agent's serves them, on the twin."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agent_peer import patient_clients
from enrolment_world import Listener, a_token
from sextant_run.ports import LOOPBACK, any_free

from agent.tests.nursery import nursery


@contextmanager
def simulated_hosts(fleet: Listener, folder: Path, count: int = 3, **settings: str) -> Iterator[None]:
    """demo-1 and on, enrolled in one go; `folder` has their log. `settings`: further variables of their process."""
    pki = folder / "fleet" / "pki"
    listen = ("--listen", f"{LOOPBACK}:{any_free()}")
    programs = nursery("sextant_agent")
    console = ("--console", fleet.url, "--token-file", "-", "--pki-dir", str(pki))
    token = a_token("demo-*", count=count)
    enrolled = programs.run("enrol", *console, *listen, environment=os.environ, given=token)
    assert enrolled.returncode == 0, enrolled.stderr
    assert enrolled.stdout.startswith(f"{count} hosts, demo-1 to demo-{count}; certificates are good until ")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SEXTANT_")}
    environment |= {
        "SEXTANT_AGENT_PKI_DIR": str(pki),
        "SEXTANT_AGENT_STATE_DIR": str(folder / "fleet" / "state"),
        **settings,
    }
    process = programs.fork("twin", environment=environment, output=folder / "twin.log")
    try:
        with patient_clients():
            yield
    finally:
        process.terminate()
        process.wait(timeout=60)
