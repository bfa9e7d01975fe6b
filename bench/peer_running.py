"""Peers of the engine's searches: a Python of their own, and a process for each problem."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PEERS = ROOT / ".data" / "bench-peers"
REQUIREMENTS = ROOT / "bench" / "engine" / "peers" / "requirements.txt"


def python_of_peers() -> Path:
    """Made where there is none: nothing of the peers comes near Sextant's environment."""
    python = PEERS / "bin" / "python"
    if not python.exists():
        PEERS.parent.mkdir(exist_ok=True)
        subprocess.run([sys.executable, "-m", "venv", str(PEERS)], check=True)
    quiet = ["-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([str(python), *quiet, "-r", str(REQUIREMENTS)], check=True)
    return python


def answered(command: Sequence[str], job: dict[str, Any]) -> dict[str, Any]:
    """What a program of `peer_program` says; ends the bench where it fails."""
    env = {**os.environ, "OMP_NUM_THREADS": "2", "PYTHONPATH": str(ROOT / "bench")}
    done = subprocess.run(command, input=json.dumps(job), capture_output=True, text=True, check=False, env=env)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found
