"""The first stage needs sh and coreutils only, and names what is missing with the command that installs it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COREUTILS = (
    "sh",
    "dirname",
    "sed",
    "id",
    "date",
    "tail",
    "mkdir",
    "chmod",
    "cat",
    "cut",
    "sha256sum",
    "env",
    "rm",
    "grep",
)
TOOLS = ("gcc", "meson", "ninja", "pkg-config", "setpriv", "unshare", "flock")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Enough of a clone for the first stage."""
    (tmp_path / "run").mkdir()
    for name in ("run/bootstrap.sh", "run/pyproject.toml", "pyproject.toml", "uv.lock"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def _bootstrap(clone: Path, *tools: str, **files: str) -> subprocess.CompletedProcess[str]:
    """Run it with nothing but `tools` on PATH; `files` are stand-ins for programs."""
    path = clone / "bin"
    path.mkdir()
    for name, text in files.items():
        stand_in = path / name.replace("_", "-")
        stand_in.write_text(text)
        stand_in.chmod(0o755)
    for tool in (*COREUTILS, *tools):
        found = shutil.which(tool)
        if found and not (path / tool).exists():  # never write through one of these links: they lead to /usr/bin
            (path / tool).symlink_to(found)
    return subprocess.run(
        ["/bin/sh", str(clone / "run" / "bootstrap.sh"), "up"],
        env={"PATH": str(path), "HOME": os.environ.get("HOME", "/")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


PYTHON = f'#!/bin/sh\nexec {sys._base_executable} "$@"\n'  # type: ignore[attr-defined]


def test_what_is_missing_is_named_with_the_command(clone: Path) -> None:
    done = _bootstrap(clone)  # no apt-get on PATH: nothing may be installed
    packages = "python3 python3-venv gcc libc6-dev meson ninja-build pkg-config libdpdk-dev libjansson-dev util-linux"
    assert done.returncode == 1
    assert packages in done.stderr
    assert "Next: sudo sh -c 'apt-get update && apt-get install -y" in done.stderr
    assert not (clone / ".venv").exists()


def test_only_what_is_missing_is_named(clone: Path) -> None:
    done = _bootstrap(clone, *TOOLS, python3=PYTHON, pkg_config='#!/bin/sh\n[ "$2" != libdpdk ]\n')
    assert done.returncode == 1
    assert "(by Debian's names): libdpdk-dev \n" in done.stderr


def test_a_python_that_is_too_old_does_not_count(clone: Path) -> None:
    done = _bootstrap(clone, *TOOLS, python3="#!/bin/sh\nexit 1\n")
    assert done.returncode == 1
    assert "(by Debian's names): python3 python3-venv" in done.stderr


def test_a_failed_step_shows_the_end_of_its_log_and_stops(clone: Path) -> None:
    full_disk = "#!/bin/sh\n[ $1 = -c ] && exit 0\necho no room on the disk\nexit 1\n"
    done = _bootstrap(clone, *TOOLS, python3=full_disk, pkg_config="#!/bin/sh\nexit 0\n")
    assert done.returncode == 1
    assert "no room on the disk" in done.stderr
    assert "python -m venv failed. The whole output: .data/log/bootstrap.log" in done.stderr
    assert not (clone / ".venv" / ".sextant-stamp").exists()
