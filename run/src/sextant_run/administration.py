"""The backend's administration commands, run as processes of their own (docs/contracts/processes.md)."""

import json
import os
import subprocess
import sys
import time

from sextant_backend.kit.files import write_private

from sextant_run.errors import RunError
from sextant_run.installation import Installation
from sextant_run.layout import DataLayout
from sextant_run.programs import environment

ADMIN = "admin"
_LIMIT_S = 120.0
_TOKEN_DAYS = 365
_RENEWED_AFTER_S = 270 * 86400.0
"""At the first start after that, well before the token expires."""


def backend(layout: DataLayout, installation: Installation, *arguments: str) -> str:
    """Run `python -m sextant_backend ...`; returns what it printed. Raises RunError with its last words."""
    log = layout.log / "administration.log"
    with log.open("ab") as stream:
        try:
            done = subprocess.run(  # noqa: S603 - our own program
                [sys.executable, "-m", "sextant_backend", *arguments],
                env={**os.environ, **environment(layout, installation)},
                cwd=layout.root,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,  # may hold a secret: not into the log
                stderr=stream,
                timeout=_LIMIT_S,
                check=False,
                text=True,
            )
        except subprocess.TimeoutExpired:
            raise RunError(f"`{arguments[0]}` did not end within {_LIMIT_S:.0f} s", "make up", log) from None
    if done.returncode != 0:
        raise RunError(f"`sextant_backend {arguments[0]}` failed with {done.returncode}", "", log)
    return done.stdout.strip()


def create_admin(layout: DataLayout, installation: Installation) -> str | None:
    """The first administrator's generated password; None if there was one already."""
    password = _secret(backend(layout, installation, "create-admin"))
    if password is not None:
        write_private(layout.password_file, f"{password}\n")
    return password


def reset_password(layout: DataLayout, installation: Installation, username: str) -> str:
    """A new generated password for a user; the administrator's is kept in the data folder as well."""
    password = _secret(backend(layout, installation, "reset-password", username))
    if password is None:
        raise RunError(f"no password was returned for '{username}'", "make status", layout.log / "administration.log")
    if username == ADMIN:
        write_private(layout.password_file, f"{password}\n")
    return password


def write_cli_file(layout: DataLayout, installation: Installation, *, fresh_token: bool) -> None:
    """`cli.json`: the address, an administrator's token that is renewed in time, and why this machine is no host."""
    token, renew_at = (None, 0.0) if fresh_token else _known_token(layout)
    if token is None:
        arguments = ("create-token", ADMIN, "--role", ADMIN, "--days", str(_TOKEN_DAYS))
        token, renew_at = _secret(backend(layout, installation, *arguments)), time.time() + _RENEWED_AFTER_S
    content = {"url": installation.url, "token": token, "renew_at": renew_at}
    if installation.no_dataplane is not None:
        content["this_machine"] = f"{installation.host_id} is not in the fleet: {installation.no_dataplane}"
    write_private(layout.cli_file, json.dumps(content) + "\n")


def _known_token(layout: DataLayout) -> tuple[str | None, float]:
    """The token and when a start replaces it; None where there is none, or it is due."""
    try:
        content = json.loads(layout.cli_file.read_text())
        token, renew_at = content["token"], float(content["renew_at"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None, 0.0
    return (token, renew_at) if isinstance(token, str) and time.time() < renew_at else (None, 0.0)


def _secret(printed: str) -> str | None:
    """A secret stands alone on the last line: it holds no space."""
    last = printed.splitlines()[-1].strip() if printed else ""
    return last if last and " " not in last else None
