"""Every name that settings take has its driver, and the driver its folder and its contract."""

import tomllib
from pathlib import Path
from typing import get_args

from sextant_agent import drivers
from sextant_agent.contract.names import DriverName
from sextant_agent.drivers.registry import DRIVERS

ROOT = Path(__file__).parents[2]


def test_every_name_of_the_settings_is_registered() -> None:
    assert set(DRIVERS) == set(get_args(DriverName))


def test_every_drivers_folder_is_in_the_contract_that_keeps_drivers_apart() -> None:
    """A folder that it does not name could import the others."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (apart,) = (contract for contract in contracts if contract["name"] == "Drivers never import each other")
    folders = {path.parent.name for path in Path(drivers.__path__[0]).glob("*/__init__.py")}
    assert {module.rsplit(".", 1)[-1] for module in apart["modules"]} == folders >= set(DRIVERS)
