"""An OpenNetVM that was really built, in the place of the double: the double's own tests are what it is held to.

SEXTANT_ONVM_HOME names its folder, SEXTANT_ONVM_HUGE where its huge pages are mounted (default /dev/hugepages).
"""

import os
from pathlib import Path
from typing import Any

import pytest

from .home import TARGET

HOME_VARIABLE, HUGE_VARIABLE = "SEXTANT_ONVM_HOME", "SEXTANT_ONVM_HUGE"
_WRAPPER = """#!/bin/sh
export RUNTIME_DIRECTORY={runtime}
exec {binary} --no-pci --base-virtaddr=0x7f000000000 "$@"
"""


class TrueHome:
    """As `Home`, but that nothing can be set. Programs are started by a wrapper that keeps DPDK's files in the test's
    folder."""

    def __init__(self, folder: Path, built: Path) -> None:
        self.folder, self.built = folder, built
        self.huge_dir = Path(os.environ.get(HUGE_VARIABLE, "/dev/hugepages"))
        self.runtime_dir, self.web = folder / "runtime" / "dpdk", folder / "onvm_web"
        for place in (self.runtime_dir, self.web):
            place.mkdir(parents=True)
        self.manager = self._program(Path("onvm") / "onvm_mgr" / TARGET / "onvm_mgr")
        self.foreign = self.manager

    def set(self, **_: Any) -> None:
        pytest.skip("only the double can be asked for it")

    @property
    def complaints(self) -> list[str]:
        pytest.skip("only the double complains")

    def example(self, name: str) -> Path:
        return self._program(Path("examples") / name / "build" / "app" / name)

    def _program(self, path: Path) -> Path:
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(_WRAPPER.format(runtime=self.folder / "runtime", binary=self.built / path))
        place.chmod(0o755)
        return place

    def clear(self, prefix: str) -> None:
        """Huge pages stay reserved as long as their files are there."""
        for path in self.huge_dir.glob(f"{prefix}map_*"):
            path.unlink(missing_ok=True)


def true_home(folder: Path) -> TrueHome | None:
    """None where there is none."""
    built = os.environ.get(HOME_VARIABLE)
    return TrueHome(folder, Path(built)) if built else None
