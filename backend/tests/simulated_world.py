"""Simulated hosts of a fleet under test: one process of the agent's serves them, on the twin."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agent_peer import patient_clients
from enrolment_world import Listener, a_token
from sextant_run.ports import LOOPBACK, any_free


@contextmanager
def simulated_hosts(fleet: Listener, folder: Path, count: int = 3, **settings: str) -> Iterator[None]:
    """demo-1 and on, enrolled in one go; `folder` has their log. `settings`: further variables of their process."""
    pki = folder / "fleet" / "pki"
    listen = ("--listen", f"{LOOPBACK}:{any_free()}")
    enrolled = subprocess.run(
        [*_agent("enrol"), "--console", fleet.url, "--token-file", "-", "--pki-dir", str(pki), *listen],
        input=a_token("demo-*", count=count),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert enrolled.returncode == 0, enrolled.stderr
    assert enrolled.stdout.startswith(f"{count} hosts, demo-1 to demo-{count}; certificates are good until ")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SEXTANT_")}
    environment |= {
        "SEXTANT_AGENT_PKI_DIR": str(pki),
        "SEXTANT_AGENT_STATE_DIR": str(folder / "fleet" / "state"),
        **settings,
    }
    with (folder / "twin.log").open("wb") as log:
        process = subprocess.Popen(_agent("twin"), env=environment, stdin=subprocess.DEVNULL, stderr=log)
    try:
        with patient_clients():
            yield
    finally:
        process.terminate()
        process.wait(timeout=60)


def _agent(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "sextant_agent", *arguments]
