"""From an agent's sample to the pixel, in a real browser."""

import json
import math
import subprocess
from pathlib import Path
from statistics import median

from figures import Figure, percentile
from installation import BenchInstallation
from sextant_run.setup import node

SCRIPT = Path(__file__).with_name("pixel.mjs")


def sample_to_pixel(installation: BenchInstallation, seconds: float) -> Figure:
    """With one chain running; see pixel.mjs for how a batch is followed to the screen."""
    url = installation.read("cli.json")["url"]
    password = (installation.data / "admin-password").read_text().strip()
    done = subprocess.run(
        [node.node(), str(SCRIPT), url, password, str(seconds)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"the browser failed:\n{done.stderr}")
    seen = json.loads(done.stdout)
    delays = [math.inf if delay is None else delay / 1000 for delay in seen["delays"]]
    if not delays:
        raise RuntimeError("no batch came to the screen")
    how = (
        f"{len(delays)} batches in chromium: median {median(delays):.3f} s, slowest {max(delays):.3f} s; "
        f"{seen['unchanged']} more changed no cell"
    )
    return Figure("agent sample to pixel, p95", percentile(delays, 0.95), 1, "s", how)
