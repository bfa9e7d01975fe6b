"""A mounted double of resctrl, and helpers that take it for resctrl. Needs root, FUSE and libfuse."""

import os
import signal
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .helper_process import HelperProcess
from .waiting import wait_for

FUSE_MAGIC = 0x65735546
TREE = Path(__file__).parents[1]


def why_no_fuse() -> str | None:
    """Why it cannot be mounted here; None where it can."""
    if os.geteuid() != 0:
        return "not root"
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "no /dev/fuse"
    try:
        import mfusepy  # noqa: F401 - it looks for libfuse when it is imported
    except (ImportError, OSError) as error:
        return f"no FUSE library ({error}): install libfuse3-3"
    return None


def subtype(place: Path) -> str:
    """Of FUSE: each double's own, for the tests beside may have mounted theirs."""
    return f"resctrl{zlib.crc32(os.fsencode(place))}"


@contextmanager
def mounted(place: Path) -> Iterator[Path]:
    """Until the block ends; whatever holds it open by then is cut off."""
    place.mkdir()
    server = subprocess.Popen([sys.executable, "-m", "tests.resctrl_fuse", str(place), subtype(place)], cwd=TREE)
    try:
        wait_for("it is mounted", lambda: server.poll() is not None or os.path.ismount(place))
        assert server.poll() is None
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=False)
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=60)


class MountedDouble:
    """The mounted double as any other program uses it: by its files."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._refuses = place.with_name(f"{place.name}.refuses")

    def groups(self) -> list[str]:
        return sorted(entry.name for entry in self.place.iterdir() if entry.is_dir() and entry.name != "info")

    def read(self, path: str) -> str:
        return (self.place / path).read_text()

    def write(self, path: str, text: str) -> None:
        descriptor = os.open(self.place / path, os.O_WRONLY)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)

    def make(self, group: str) -> None:
        (self.place / group).mkdir()

    def remove(self, group: str) -> None:
        (self.place / group).rmdir()

    def refuse(self, number: int, after: int = 0) -> None:
        """All changes but the next `after`, until `take`."""
        prepared = self._refuses.with_suffix(".new")
        prepared.write_text(f"{number} {after}")
        prepared.replace(self._refuses)

    def take(self) -> None:
        self._refuses.unlink(missing_ok=True)


class HelperOnDouble(HelperProcess):
    """The helper itself, but for what it takes for resctrl."""

    def __init__(self, folder: Path, program: Path, place: Path, magic: int = FUSE_MAGIC) -> None:
        super().__init__(folder, program)
        self.place = place
        self.magic = magic

    def command(self, *more: str) -> list[str]:
        _, _, _, _, *arguments = super().command(*more)
        become = (
            "from pathlib import Path; from sextant_agent.helper import __main__ as helper, resctrl_files as files; "
            f"files.KIND, files.MAGIC, files.FEATURE = 'fuse.{subtype(self.place)}', {self.magic}, "
            f"Path({str(self.place)!r}); "
            "helper.main()"
        )
        return [sys.executable, "-I", "-c", become, *arguments]
