"""How long it takes from nothing, and from a set-up clone, to a running installation."""

import resource
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from figures import Figure
from installation import ROOT, BenchInstallation, temporary

CHAIN = "examples/chains/edge.yaml"


def cold() -> Figure:
    """A clone of the committed tree, `make up`, and the first chain with packets: nothing built before, no package
    cached. What apt installs (gcc, meson, DPDK) and Rust are there already.
    """
    folder = Path(tempfile.mkdtemp(prefix="sextant-cold-"))
    caches = {name: str(folder / name) for name in ("UV_CACHE_DIR", "PIP_CACHE_DIR", "npm_config_cache", "CARGO_HOME")}
    try:
        began = time.monotonic()
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(folder / "clone")], check=True)
        with temporary(folder / "clone", caches) as installation:
            installation.make("up", "DETACH=1")
            installation.sextant("chains", "submit", str(folder / "clone" / CHAIN), "--apply", "--wait")
            seconds = time.monotonic() - began
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    how = "git clone, make up, chains submit --apply --wait; empty package caches"
    return Figure("cold clone to first placed chain", seconds / 60, 5, "min", how)


def command_cpu(*arguments: str) -> Figure:
    """CPU time of one `sextant` command that asks nobody: the least of five, since a machine can only add to it."""
    command = [str(ROOT / ".venv" / "bin" / "sextant"), *arguments]
    least = min(_cpu_seconds(command) for _ in range(5))
    return Figure(f"CPU of sextant {' '.join(arguments)}", least, 0.25, "s", "least of 5")


def _cpu_seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def warm(installation: BenchInstallation) -> Figure:
    """`make up` where all is set up and the data folder is known."""
    installation.make("down")
    seconds = installation.make("up", "DETACH=1")
    return Figure("warm make up", seconds, 5, "s", "second make up DETACH=1 of one data folder")
