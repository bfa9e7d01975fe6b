"""Where the console is, and the token to speak to it with."""

import json
import os
import stat
from dataclasses import dataclass, field, replace
from pathlib import Path

from sextant_domain.problem import NextAction

from sextant_cli.errors import CliError, Exit, error

DATA_DIR = "SEXTANT_DATA_DIR"
FILE = "cli.json"
MAX_FILE_BYTES = 65536


@dataclass(frozen=True)
class Target:
    """A console and who we are to it."""

    url: str
    token: str | None = field(repr=False)
    found_in: str
    """For `sextant doctor`: 'command line', or the path of the file."""
    this_machine: str | None = None
    """Why the machine of `make up` is no host of its fleet; None where it is one."""


def data_dir() -> Path | None:
    """SEXTANT_DATA_DIR, else the nearest `.data` of this folder or one above that holds a `cli.json`."""
    named = os.environ.get(DATA_DIR)
    if named:
        return Path(named)
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / ".data" / FILE).is_file():
            return folder / ".data"
    return None


def find_target(url: str | None, token: str | None) -> Target:
    """The given address and token, completed from the data folder's `cli.json`.

    The file's token goes to the file's address only, never to another one named on the command line.
    """
    if url and token:
        return Target(url=url.rstrip("/"), token=token, found_in="command line or environment")
    folder = data_dir()
    if folder is None:
        if url:
            return Target(url=url.rstrip("/"), token=None, found_in="command line or environment")
        raise _nothing_found("no --url, no SEXTANT_URL, no SEXTANT_DATA_DIR, and no .data folder here or above")
    stored = _read(folder / FILE)
    if url and url.rstrip("/") != stored.url:
        return Target(url=url.rstrip("/"), token=token, found_in="command line or environment")
    return replace(stored, token=token or stored.token)


def permission_fault(path: Path) -> str | None:
    """What is wrong with the mode of a file that holds a secret; None where nothing is."""
    mode = stat.S_IMODE(path.stat().st_mode)
    return f"{path} may be read by others (mode {mode:04o})" if mode & 0o077 else None


def _read(path: Path) -> Target:
    try:
        with path.open("rb") as file:
            content = json.loads(file.read(MAX_FILE_BYTES + 1))
        url, token, this_machine = content["url"], content.get("token"), content.get("this_machine")
    except OSError as cause:
        raise _nothing_found(f"{path} cannot be read: {cause.strerror}") from cause
    except (ValueError, KeyError, TypeError, AttributeError) as cause:
        raise _nothing_found(f'{path} is not {{"url": ..., "token": ...}}') from cause
    if not isinstance(url, str) or not isinstance(token, str | None):
        raise _nothing_found(f"{path}: url and token must be strings")
    remark = this_machine if isinstance(this_machine, str) else None
    return Target(url=url.rstrip("/"), token=token, found_in=str(path), this_machine=remark)


def _nothing_found(detail: str) -> CliError:
    return error(
        "no-console",
        "No console found",
        detail,
        Exit.UNREACHABLE,
        next_actions=(
            NextAction(label="Start one in the clone", command="make up"),
            NextAction(
                label="Or give the address of a running one",
                command="sextant --url http://HOST:PORT --token sxt_... hosts",
            ),
        ),
    )
