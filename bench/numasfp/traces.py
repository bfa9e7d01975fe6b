"""Seeded rates of one server's chains: an interval a row, chains by name."""

import tomllib
from pathlib import Path
from typing import Any

from sextant_lab.kinds.numasfp import courses

SETTINGS: dict[str, Any] = tomllib.loads((Path(__file__).parent / "settings.toml").read_text())
FAMILIES: tuple[str, ...] = tuple(SETTINGS["family"])


def server(family: str, number: int, seed: int) -> dict[str, Any]:
    """Table, chains, nodes and rates, as `run` reads them. Equal arguments give equal servers."""
    host = SETTINGS["host"]
    size = courses.ServerSize(host["chains"], host["length"], SETTINGS["intervals"], host["noise"])
    chains, rates = courses.server(family, SETTINGS["family"][family], size, f"{seed} {family} {number}")
    node = {key: host[key] for key in ("ways", "mb_percent", "cores")}
    return {"table": SETTINGS["table"], "chains": chains, "nodes": {"local": node, "remote": node}, "rates": rates}
