"""docker-compose.yml, deploy/Dockerfile and the units of deploy/systemd, read as data."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
DOCKERFILE = DEPLOY / "Dockerfile"
UNITS = DEPLOY / "systemd"
ADDRESS = {"SEXTANT_FLEET_ADDRESS": "192.0.2.1"}
"""The one variable that docker-compose.yml has no default for."""
_VARIABLE = re.compile(r"\$\$|\$\{(?P<name>\w+)(?::(?P<kind>[-?])(?P<rest>[^}]*))?\}")


def interpolated(text: str, environment: Mapping[str, str]) -> str:
    """As compose does: ${NAME}, ${NAME:-default}, ${NAME:?message}; $$ is a dollar."""

    def value(match: re.Match[str]) -> str:
        if match["name"] is None:
            return "$"
        if found := environment.get(match["name"]):
            return found
        if match["kind"] == "-":
            return match["rest"]
        raise KeyError(f"{match['name']}: {match['rest'] or 'not set'}")

    return _VARIABLE.sub(value, text)


@cache
def compose_text() -> str:
    return (ROOT / "docker-compose.yml").read_text()


@cache
def compose() -> dict[str, Any]:
    """The file with defaults filled in and anchors merged; for reading alone."""
    found: dict[str, Any] = yaml.safe_load(interpolated(compose_text(), ADDRESS))
    return found


def services() -> dict[str, dict[str, Any]]:
    """Those that start without a profile, by name."""
    return {name: service for name, service in all_services().items() if "profiles" not in service}


def all_services() -> dict[str, dict[str, Any]]:
    """Those of profiles as well."""
    found: dict[str, dict[str, Any]] = compose()["services"]
    return found


def own_services() -> dict[str, dict[str, Any]]:
    """Those that run Sextant's image."""
    return {name: service for name, service in services().items() if service["image"] == "sextant:local"}


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions with their arguments, continuations joined, in order."""
    lines = [line for line in DOCKERFILE.read_text().splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in joined.splitlines()]


def stages() -> dict[str, list[tuple[str, str]]]:
    """The instructions of each stage, FROM first."""
    found: dict[str, list[tuple[str, str]]] = {}
    current: list[tuple[str, str]] = []
    for keyword, argument in instructions():
        if keyword == "FROM":
            current = found.setdefault(argument.split(" AS ")[1], [])
        current.append((keyword, argument))
    return found


def image_environment() -> dict[str, str]:
    """ENV of the final stage."""
    return {
        name: value
        for keyword, argument in stages()["sextant"]
        if keyword == "ENV"
        for name, value in (word.split("=", 1) for word in shlex.split(argument))
    }


@dataclass(frozen=True)
class Unit:
    """A unit with its drop-ins: the values of each key in their order, as systemd merges them."""

    name: str
    values: Mapping[str, tuple[str, ...]]

    @property
    def command(self) -> list[str]:
        return shlex.split(self.values["ExecStart"][0])

    @property
    def environment(self) -> dict[str, str]:
        words = [word for line in self.values.get("Environment", ()) for word in shlex.split(line)]
        return dict(word.split("=", 1) for word in words)


def units() -> list[Unit]:
    """Those that run Sextant's processes on a machine of servers."""
    return [_unit(path) for path in sorted(UNITS.glob("sextant-server-*.service"))]


def _unit(path: Path) -> Unit:
    """The file, and after it the drop-ins of its own name and of every prefix that ends in a hyphen, by their own
    names (systemd.unit(5)). An empty assignment forgets what stood before it."""
    stem = path.stem
    prefixes = [stem[: at + 1] for at, character in enumerate(stem) if character == "-"]
    drop_ins = [file for name in (stem, *prefixes) for file in (UNITS / f"{name}.service.d").glob("*.conf")]
    found: dict[str, tuple[str, ...]] = {}
    for file in (path, *sorted(drop_ins, key=lambda file: file.name)):
        for line in file.read_text().splitlines():
            if "=" in line and not line.startswith(("#", "[")):
                key, value = line.split("=", 1)
                found[key] = (*found.get(key, ()), value) if value else ()
    return Unit(path.name, found)
