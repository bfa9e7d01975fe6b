"""An OpenNetVM installation for tests: its description as a file, and as what is read from it."""

from pathlib import Path
from typing import Any

from sextant_agent.drivers.opennetvm.installation import ManagerPlace, OpenNetVmInstallation
from sextant_domain.opennetvm.programs import STOCK_NAMES


def place(name: str = "west", **fields: Any) -> ManagerPlace:
    """A manager with its own threads on CPUs 0 to 2 and NFs on 4 to 7."""
    given: dict[str, Any] = {"cpus": [0, 1, 2], "nf_cpus": "4-7", "port": f"{name}-0", "node": 0, **fields}
    return ManagerPlace.model_validate({"name": name, **given})


def installation(folder: Path, *managers: ManagerPlace, **fields: Any) -> OpenNetVmInstallation:
    """With a file for every stock NF."""
    binaries = folder / "bin"
    binaries.mkdir(exist_ok=True)
    for name in STOCK_NAMES:
        (binaries / name).touch()
    return OpenNetVmInstallation.model_validate(
        {"home": folder, "nf_dir": binaries, "manager": managers or (place(),), **fields}, strict=False
    )
