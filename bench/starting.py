"""How long it takes from nothing, and from a set-up clone, to a running installation."""

import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from figures import Figure
from installation import ROOT, Installation, temporary

CHAIN = "examples/chains/edge.yaml"


def cold() -> Figure:
    """A clone of the committed tree, `make up`, and the first chain with packets, with nothing built before.

    Caches of the package managers are used as they are, so a first download comes on top.
    """
    folder = Path(tempfile.mkdtemp(prefix="sextant-cold-"))
    try:
        began = time.monotonic()
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(folder / "clone")], check=True)
        with temporary(folder / "clone") as installation:
            installation.make("up", "DETACH=1")
            installation.sextant("chains", "submit", str(folder / "clone" / CHAIN), "--apply", "--wait")
            seconds = time.monotonic() - began
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Figure(
        "cold clone to first placed chain", seconds / 60, 5, "min", "git clone, make up, submit --apply --wait"
    )


def warm(installation: Installation) -> Figure:
    """`make up` where all is set up and the data folder is known."""
    installation.make("down")
    seconds = installation.make("up", "DETACH=1")
    return Figure("warm make up", seconds, 20, "s", "second make up DETACH=1 of one data folder")
