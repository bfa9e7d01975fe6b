"""`make release VERSION=X.Y.Z`: one number in every file that carries it, a commit and a tag. Nothing is pushed.

The number of the repository's own pyproject.toml is the one that counts; a test holds the others equal to it.
"""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sextant_run.errors import RunError

NUMBER = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
_OWN = r'(?m)^version = "(?P<number>[^"]+)"$'
_LOCKED = r'name = "sextant-[a-z-]+"\nversion = "(?P<number>[^"]+)"'
_NPM = r'^\s+"version": "(?P<number>[^"]+)"'
_PLACES: tuple[tuple[str, str], ...] = (
    ("pyproject.toml", _OWN),
    ("*/pyproject.toml", _OWN),
    ("uv.lock", _LOCKED),
    ("engine/Cargo.toml", _OWN),
    ("twin/Cargo.toml", _OWN),
    ("engine/Cargo.lock", _LOCKED),
    ("twin/Cargo.lock", _LOCKED),
    ("frontend/package.json", f"(?m){_NPM}"),
    ("e2e/package.json", f"(?m){_NPM}"),
    ("frontend/package-lock.json", rf'\A\{{\n  "name": "[^"]+",\n{_NPM.removeprefix("^")}'),
    ("e2e/package-lock.json", rf'\A\{{\n  "name": "[^"]+",\n{_NPM.removeprefix("^")}'),
    ("frontend/package-lock.json", rf'"": \{{\n\s+"name": "[^"]+",\n{_NPM.removeprefix("^")}'),
    ("e2e/package-lock.json", rf'"": \{{\n\s+"name": "[^"]+",\n{_NPM.removeprefix("^")}'),
    ("dataplane/meson.build", r"(?m)^  version: '(?P<number>[^']+)',$"),
    ("dataplane/srv6/meson.build", r"(?m)^  version: '(?P<number>[^']+)',$"),
    ("docs/openapi.json", r'"info": \{\n\s+"title": "Sextant",\n\s+"version": "(?P<number>[^"]+)"'),
)
"""Files, and in them what the number stands in."""


@dataclass(frozen=True)
class Place:
    """Where the number stands once."""

    path: Path
    start: int
    end: int
    number: str


def places(root: Path) -> Iterator[Place]:
    """All of them; raises RunError where a file has none."""
    for pattern, expression in _PLACES:
        files = sorted(root.glob(pattern))
        for path in files:
            found = list(re.finditer(expression, path.read_text()))
            if not found:
                raise RunError(f"{path.relative_to(root)}: no version number stands where one is looked for")
            yield from (Place(path, *match.span("number"), match["number"]) for match in found)
        if not files:
            raise RunError(f"{pattern}: there is no such file in {root}")


def current(root: Path) -> str:
    """The number that counts."""
    return next(places(root)).number


def differing(root: Path) -> list[Place]:
    """Where another number stands."""
    wanted = current(root)
    return [place for place in places(root) if place.number != wanted]


def release(root: Path, number: str) -> str:
    """The tag. Raises RunError, and then nothing was changed."""
    if NUMBER.fullmatch(number) is None:
        raise RunError(f"VERSION: '{number}' is not of the form MAJOR.MINOR.PATCH", "make release VERSION=0.2.0")
    tag = f"v{number}"
    if _git(root, "status", "--porcelain"):
        raise RunError("The working tree has changes that are not committed", "commit or stash them: git status")
    if _git(root, "tag", "--list", tag):
        raise RunError(f"There is a tag {tag} already", "choose the next number")
    _check_changelog((root / "CHANGELOG.md").read_text(), number)
    _write(root, number)
    _git(root, "commit", "--quiet", "--all", "--allow-empty", "--message", f"Release {number}")
    _git(root, "tag", "--annotate", tag, "--message", f"Sextant {number}")
    return tag


def _check_changelog(text: str, number: str) -> None:
    """Its newest section is of this number, with a date and something to say, and nothing stands before it."""
    sections = re.split(r"(?m)^## ", text)[1:]
    unreleased = next((body for body in sections if body.startswith("Unreleased\n")), "")
    if unreleased.removeprefix("Unreleased\n").strip():
        raise RunError(
            "CHANGELOG.md: there is something below '## Unreleased'",
            f"put '## {number} - YYYY-MM-DD' between that heading and what this version brings",
        )
    newest = next((body for body in sections if not body.startswith("Unreleased\n")), "")
    heading, _, body = newest.partition("\n")
    if re.fullmatch(rf"{re.escape(number)} - \d{{4}}-\d\d-\d\d", heading) is None or not body.strip():
        raise RunError(
            f"CHANGELOG.md: its newest section is '{heading}'", f"write what changed below '## {number} - YYYY-MM-DD'"
        )


def _write(root: Path, number: str) -> None:
    by_file: dict[Path, list[Place]] = {}
    for place in places(root):
        by_file.setdefault(place.path, []).append(place)
    for path, found in by_file.items():
        text = path.read_text()
        for place in sorted(found, key=lambda one: one.start, reverse=True):
            text = text[: place.start] + number + text[place.end :]
        path.write_text(text)


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)  # noqa: S603, S607
    if done.returncode != 0:
        raise RunError(f"git {words[0]}: {done.stderr.strip()}")
    return done.stdout.strip()
