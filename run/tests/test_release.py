"""One number for all of Sextant, and the step that gives it the next one."""

import json
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
from sextant_backend.health import healthz
from sextant_backend.openapi import text
from sextant_cli.main import app
from sextant_run import release
from sextant_run.errors import RunError
from typer.testing import CliRunner

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("domain", "engine", "twin", "agent", "backend", "worker", "cli", "run", "lab")


def test_every_file_carries_the_same_number() -> None:
    """Ten pyproject.toml and what is locked of nine, two Cargo workspaces, two npm packages, meson, the API."""
    assert release.differing(ROOT) == []
    assert len(list(release.places(ROOT))) >= 30


def test_command_console_api_and_packages_say_that_number() -> None:
    number = release.current(ROOT)
    assert {version(f"sextant-{package}") for package in PACKAGES} == {number}
    assert CliRunner().invoke(app, ["--version"]).output == f"sextant {number}\n"
    assert healthz().version == number
    assert json.loads(text())["info"] == {"title": "Sextant", "version": number}


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The files of this clone in a repository of their own, with one commit."""
    made = tmp_path / "clone"
    made.mkdir()
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    wanted = [path.relative_to(ROOT) for path in {place.path for place in release.places(ROOT)}]
    assert {str(path) for path in wanted} <= set(tracked.decode().split("\0"))
    for path in (*wanted, Path("CHANGELOG.md")):
        (made / path).parent.mkdir(parents=True, exist_ok=True)
        (made / path).write_bytes((ROOT / path).read_bytes())
    for words in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "--message", "All")):
        _git(made, *words)
    return made


def _git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=ada", "-c", "user.email=ada@example.org")
    done = subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture(autouse=True)
def _author(monkeypatch: pytest.MonkeyPatch) -> None:
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "ada")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "ada@example.org")


def _changelog(clone: Path, change: Callable[[str], str]) -> None:
    file = clone / "CHANGELOG.md"
    file.write_text(change(file.read_text()))
    _git(clone, "commit", "--quiet", "--all", "--message", "Change log")


def test_a_release_writes_commits_and_tags(clone: Path) -> None:
    """9.8.7 is dated; what stood below Unreleased is its."""
    _changelog(clone, lambda text: text.replace("## Unreleased\n", "## Unreleased\n\n## 9.8.7 - 2026-12-01\n"))
    assert release.release(clone, "9.8.7") == "v9.8.7"
    assert {place.number for place in release.places(clone)} == {"9.8.7"}
    assert _git(clone, "status", "--porcelain") == ""
    assert _git(clone, "describe", "--exact-match") == "v9.8.7"
    with pytest.raises(RunError, match=r"a tag v9\.8\.7 already"):
        release.release(clone, "9.8.7")


def test_a_version_that_the_change_log_does_not_know_is_not_released(clone: Path) -> None:
    with pytest.raises(RunError, match="something below '## Unreleased'"):
        release.release(clone, "9.8.7")
    _changelog(clone, lambda text: text.replace("## Unreleased\n", "## Unreleased\n\n## 9.8.6 - 2026-12-01\n"))
    with pytest.raises(RunError, match=r"its newest section is '9.8.6 - 2026-12-01'"):
        release.release(clone, "9.8.7")
    assert _git(clone, "tag", "--list") == "" and release.current(clone) == release.current(ROOT)


def test_neither_a_changed_tree_nor_a_wrong_number_is_released(clone: Path) -> None:
    with pytest.raises(RunError, match="is not of the form"):
        release.release(clone, "1.0")
    (clone / "CHANGELOG.md").write_text("")
    with pytest.raises(RunError, match="not committed"):
        release.release(clone, "9.8.7")


def test_the_command_says_what_is_left_to_do() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sextant_run", "release", "--help"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and "Nothing is pushed" in done.stdout
