"""Settings of the bench, and the flow sets of the paper's placement study, drawn."""

import random
import tomllib
from pathlib import Path
from typing import Any

PATH = Path(__file__).parent / "settings.toml"
SETTINGS: dict[str, Any] = tomllib.loads(PATH.read_text())


def flow_set(topology: str, number: int, scale: float) -> dict[str, Any]:
    """A question of `place`: log-normal rates of the topology's chains, times a scale."""
    given, flows = SETTINGS["topology"][topology], SETTINGS["flows"]
    dice = random.Random(f"{SETTINGS['seed']} {topology} {number}")
    rates = [dice.lognormvariate(0.0, flows["sigma"]) for _ in given["chains"]]
    return {
        "chains": [
            {"elements": elements, "rate": scale * rate} for elements, rate in zip(given["chains"], rates, strict=True)
        ],
        "cpu": {"slope": 1.0, "intercept": flows["intercept"]},
        "cores": given["cores"],
        "t_d": SETTINGS["t_d_ms"],
    }
