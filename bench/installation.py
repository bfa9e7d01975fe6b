"""An installation in a temporary data folder, started and ended as an operator does it."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parents[1]
MARK = "SEXTANT_INSTALLATION"


@dataclass(frozen=True)
class BenchInstallation:
    """A clone and a data folder."""

    root: Path
    data: Path
    extra: Mapping[str, str] = field(default_factory=dict)
    """Environment variables of its own."""

    def make(self, *targets: str) -> float:
        """Runs `make`; the seconds it took. Raises with its output where it failed."""
        environment = {key: value for key, value in os.environ.items() if key not in {MARK, "MAKEFLAGS", "MAKELEVEL"}}
        environment |= {
            "SEXTANT_DATA_DIR": str(self.data),
            "SEXTANT_PORT": "0",
            "SEXTANT_HOST_ID": "edge-1",
            "SEXTANT_DEMO_HOSTS": "0",  # this machine alone: they would share its cores
            "SEXTANT_LAB_HOSTS": "0",  # and so would these
            "SEXTANT_FIRST_PROFILES": "0",  # so would measurements
            **self.extra,
        }
        began = time.monotonic()
        done = subprocess.run(
            ["make", "--no-print-directory", *targets],
            cwd=self.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"make {' '.join(targets)} failed:\n{done.stdout}{done.stderr}")
        return time.monotonic() - began

    def sextant(self, *arguments: str) -> Any:
        """The command line against this installation; its JSON."""
        environment = {**os.environ, "SEXTANT_DATA_DIR": str(self.data)}
        for name in ("SEXTANT_URL", "SEXTANT_TOKEN"):
            environment.pop(name, None)
        command = [str(self.root / ".venv/bin/sextant"), *arguments, "-o", "json"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"sextant {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
        return json.loads(done.stdout) if done.stdout.strip() else None

    def read(self, name: str) -> Any:
        """A JSON file of the data folder."""
        return json.loads((self.data / name).read_text())

    def processes(self) -> list[psutil.Process]:
        """All of them: by the installation's mark, and the servers by the folder they work in."""
        mark = self.read("run.json")["id"]
        return [process for process in psutil.process_iter() if self._owns(process, mark)]

    def _owns(self, process: psutil.Process, mark: str) -> bool:
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                return False
            return process.environ().get(MARK) == mark or Path(process.cwd()).is_relative_to(self.data)
        except psutil.Error:
            return False


@contextmanager
def temporary(root: Path = ROOT, extra: Mapping[str, str] | None = None) -> Iterator[BenchInstallation]:
    """Ended and removed afterwards, whatever happens."""
    data = Path(tempfile.mkdtemp(prefix="sextant-bench-"))
    installation = BenchInstallation(root, data, extra or {})
    try:
        yield installation
    finally:
        installation.make("down")
        shutil.rmtree(data, ignore_errors=True)
