"""From submitting a chain to its first packet out of the far end."""

import json
import socket
import subprocess
import time
from pathlib import Path
from statistics import median
from typing import Any

from figures import Figure
from installation import BenchInstallation

LOOK_S = 0.01
LIMIT_S = 60.0


def submit_to_first_packet(installation: BenchInstallation, repeats: int) -> Figure:
    """The clock starts before the `sextant` process; packets are seen at the runner's own counters."""
    seconds = []
    for number in range(repeats):
        name = f"bench-{number}"
        file = installation.data / f"{name}.yaml"
        file.write_text(
            f"apiVersion: sextant/v1\nkind: Chain\nname: {name}\nnfs: [router, firewall, basic-monitor]\n"
            "traffic: {rate_mpps: 0.1, packet_bytes: 128}\n"
        )
        seconds.append(_measure(installation, file, name))
        installation.sextant("chains", "delete", name, "--wait")
    how = f"sextant chains submit --apply, {repeats} times: median {median(seconds):.2f} s; the slowest is shown"
    return Figure("submit to first packet", max(seconds), 5, "s", how)


def _measure(installation: BenchInstallation, file: Path, name: str) -> float:
    began = time.monotonic()
    command = [str(installation.root / ".venv/bin/sextant"), "chains", "submit", str(file), "--apply", "-o", "json"]
    url = installation.read("cli.json")
    environment = {"SEXTANT_URL": url["url"], "SEXTANT_TOKEN": url["token"], "PATH": "/usr/bin:/bin"}
    submitting = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    while time.monotonic() - began < LIMIT_S:
        if _delivered(installation, name) > 0:
            seconds = time.monotonic() - began
            submitting.wait(LIMIT_S)
            return seconds
        time.sleep(LOOK_S)
    submitting.kill()
    raise RuntimeError(f"no packet of {name} within {LIMIT_S:.0f} s")


def _delivered(installation: BenchInstallation, name: str) -> int:
    """What the runner's control socket says (docs/contracts/runner.md); 0 while there is no runner."""
    host = installation.read("run.json")["host_id"]
    try:
        path = installation.read(f"agent/{host}/runner.json")["socket"]
        answer = _ask(path, {"id": 1, "op": "query"})
    except (OSError, ValueError):
        return 0
    return next((chain["delivered"] for chain in answer.get("chains", ()) if chain["chain"] == name), 0)


def _ask(path: str, request: dict[str, Any]) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(5)
        connection.connect(path)
        connection.sendall(json.dumps(request).encode() + b"\n")
        answer: dict[str, Any] = json.loads(connection.makefile("rb").readline())
        return answer
