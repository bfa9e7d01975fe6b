"""A home of OpenNetVM as its makefiles leave it, with these programs in it, and starting them as a test needs it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .programs import PROGRAMS
from .settings import FILE

TARGET = "x86_64-native-linuxapp-gcc"
_PACKAGE = Path(__file__).parent
_PROGRAM = """#!{python} -IS
import sys
sys.path.insert(0, {folder!r})
from {package}.{module} import run
run({home!r})
"""


class Home:
    """Folders as OpenNetVM's, under one of the test's: `onvm`, `onvm_web`, `examples`, `huge`, `runtime`."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder
        self.huge_dir, self.runtime_dir, self.web = folder / "huge", folder / "runtime", folder / "onvm_web"
        for place in (self.huge_dir, self.runtime_dir, self.web):
            place.mkdir(parents=True)
        self.settings: dict[str, Any] = {"time": 0.05, "runtime_dir": str(self.runtime_dir)}
        self.set(**settings)
        self.manager = self._program(folder / "onvm" / "onvm_mgr" / TARGET / "onvm_mgr", "manager")
        self.foreign = self._program(folder / "testpmd", "foreign")
        for name in PROGRAMS:
            self._program(self.example(name), "nf")

    def set(self, **settings: Any) -> None:
        """Change what is in `double.json`, all at once."""
        self.settings |= settings
        written = self.folder / f"{FILE}.new"
        written.write_text(json.dumps(self.settings))
        written.rename(self.folder / FILE)

    def example(self, name: str) -> Path:
        return self.folder / "examples" / name / "build" / "app" / name

    @property
    def complaints(self) -> list[str]:
        """What OpenNetVM would have punished without a word: lcore ids or folders that two processes shared."""
        path = self.folder / "complaints"
        return path.read_text().splitlines() if path.exists() else []

    def _program(self, path: Path, module: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            _PROGRAM.format(
                python=os.path.realpath(sys.executable),
                folder=str(_PACKAGE.parent),
                package=_PACKAGE.name,
                module=module,
                home=str(self.folder),
            )
        )
        path.chmod(0o755)
        return path


class Running:
    """One process of a home with what it said."""

    def __init__(self, binary: Path, folder: Path, *words: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.log = folder / f"{binary.name}.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [str(binary), *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        self.pid = self.process.pid

    @property
    def said(self) -> str:
        return self.log.read_text()

    @property
    def ended(self) -> bool:
        return self.process.poll() is not None

    def threads(self) -> Iterator[tuple[int, str, set[int]]]:
        """Id, name and CPUs, oldest first."""
        for thread in sorted(int(entry.name) for entry in Path(f"/proc/{self.pid}/task").iterdir()):
            name = Path(f"/proc/{self.pid}/task/{thread}/comm").read_text().strip()
            yield thread, name, os.sched_getaffinity(thread)

    def end(self) -> None:
        if not self.ended:
            self.process.kill()
        self.process.wait(60)
