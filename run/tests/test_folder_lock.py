"""Two builds in one folder take turns."""

import subprocess
import sys
from pathlib import Path

BUILD = """
import pathlib, sys, time
from sextant_run.setup.folder_lock import lock_folder
folder, own, others = pathlib.Path(sys.argv[1]), *sys.argv[2:]
(folder / own).touch()
while not (folder / others).exists():
    pass
for _ in range(100):
    with lock_folder(folder):
        (folder / "building").touch(exist_ok=False)
        time.sleep(0.001)
        (folder / "building").unlink()
"""


def test_no_two_build_in_a_folder_at_once(tmp_path: Path) -> None:
    """Either would find what the other has begun: `touch` fails then. Both build while the other does."""
    pairs = (("a", "b"), ("b", "a"))
    both = [subprocess.Popen([sys.executable, "-c", BUILD, str(tmp_path), *pair]) for pair in pairs]
    assert [build.wait(60) for build in both] == [0, 0]
