"""Running the tools of others with their output in a log."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from sextant_run.errors import RunError


def run_logged(
    what: str, command: list[str], *, log: Path, cwd: Path, environment: Mapping[str, str] | None = None
) -> None:
    """Run a command; raises RunError with the end of its log where it fails."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as stream:
        stream.write(f"$ {' '.join(command)}\n".encode())
        stream.flush()
        try:
            done = subprocess.run(  # noqa: S603 - our own tools and paths
                command,
                cwd=cwd,
                env={**os.environ, **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                check=False,
            )
        except FileNotFoundError:
            raise RunError(f"{what}: {command[0]} was not found", "run `make setup` again") from None
    if done.returncode != 0:
        raise RunError(f"{what} failed with exit status {done.returncode}", "fix the cause, then run it again", log)
