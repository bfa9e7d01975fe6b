"""Settings of the bench, and instances as the paper draws them (Sec. III-C, Table I)."""

import tomllib
from pathlib import Path
from typing import Any

from sextant_lab.school.instances import Drawing

PATH = Path(__file__).parent / "settings.toml"
SETTINGS: dict[str, Any] = tomllib.loads(PATH.read_text())


def instance(cores: int, number: int, system_pps: float | None = None) -> dict[str, Any]:
    """A question of `solve`. `system_pps`: in the place of the settings'."""
    return drawing(system_pps).numbered(SETTINGS["seed"], cores, number)


def drawing(system_pps: float | None = None) -> Drawing:
    """As the settings have it."""
    given = {**SETTINGS["instances"], **({} if system_pps is None else {"system_pps": system_pps})}
    return Drawing(
        **{name: given[name] for name in ("system_pps", "chains", "vnfs_a_chain", "alpha", "loops", "cycles")},
        cycles_a_loop=given["cycles_a_loop"],
        vnfs=tuple(given["vnfs"]),
        clock_hz=SETTINGS["clock_hz"],
        gamma=SETTINGS["gamma"],
    )
