"""`make upgrade FROM=CLONE`: an installation that another clone's version runs is run by this one's from now on.

The other clone stays as it is, so the way back is to start it again. What runs on hosts is not touched: agents of other
machines go on, and of this machine the runner and its NFs.
"""

import os
import subprocess
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psycopg
from sextant_backend.backup import archive
from sextant_backend.backup.errors import BackupError
from sextant_backend.backup.tools import conninfo
from sextant_backend.kit.files import write_private

from sextant_run import backups, health, installation, lab_hosts, up
from sextant_run.down import stop_but_packets
from sextant_run.errors import RunError
from sextant_run.folders import private_folder
from sextant_run.installation import Installation, exclusive
from sextant_run.layout import DataLayout
from sextant_run.progress import StartProgress
from sextant_run.settings import RunSettings

MOVING_LIMIT_S = 60.0
"""Agents come back to a listener that was away within seconds."""
SET_UP_STEPS = 3
STEPS = up.STEPS - up.STEPS_OF_BOOTSTRAP - SET_UP_STEPS + 3


@dataclass(frozen=True)
class Moment:
    """What moves in an installation, by its database's clock."""

    at: datetime
    heard: dict[str, datetime]
    """When each host that is up was heard."""


def upgrade(layout: DataLayout, former: Path, settings: RunSettings, *, built: bool = False) -> Path:
    """Returns the backup that was made before. Raises RunError, and then the former version runs again.

    `built`: this clone's console and data plane are built already."""
    python = former / ".venv" / "bin" / "python"
    if former.resolve() == layout.root or not python.exists():
        raise RunError(
            f"FROM={former} is not another clone with a set-up version of Sextant",
            "clone this version beside the one that runs, and name that one: make upgrade FROM=../sextant",
        )
    present = installation.load(layout)
    if present is None or not present.up:
        raise RunError(f"No installation runs in {layout.data}", "start it with its own version: make up DETACH=1")
    progress = StartProgress(total=STEPS if built else STEPS + SET_UP_STEPS)
    settings = lab_hosts.settled(settings) if built else up.set_up(layout, progress, settings)
    file = private_folder(layout.data / "backups") / f"before-upgrade-{datetime.now(UTC):%Y%m%d-%H%M%S}.backup"
    failure: BaseException | None = None
    written = layout.run_file.read_text()
    with exclusive(layout):
        with progress.step("Backup") as step:
            backups.make(layout, file)
            step.result = str(file)
        before = moment(present)
        with progress.step("Stop the version before"):
            stop_but_packets(layout, present)
        try:
            present, _ = up.start(layout, settings, progress, detach=True)
            with progress.step("Data moves") as step:
                step.result = wait_until_it_moves(present, before)
        except (Exception, KeyboardInterrupt) as error:  # whatever it is, nothing may stay half upgraded
            failure = error
            with progress.step("Back to the data of before"):
                _put_back(layout, file)
                write_private(layout.run_file, written)  # it may refuse fields that this version writes
    if failure is not None:
        start_former(layout, python)
        raise RunError(
            f"The upgrade failed, and the version before runs again, with the data of before: "
            f"{str(failure) or 'it was interrupted'}",
            "fix the cause, then upgrade again",
            failure.log if isinstance(failure, RunError) else None,
        )
    return file


def moment(present: Installation) -> Moment:
    """Now."""
    with psycopg.connect(conninfo(present.database_url)) as connection:
        found = connection.execute("SELECT clock_timestamp()").fetchone()
        rows = connection.execute(
            "SELECT host_id, heard_at FROM latest_hosts JOIN hosts USING (host_id)"
            " WHERE hosts.status = 'up' AND heard_at IS NOT NULL"
        ).fetchall()
    return Moment(found[0] if found else datetime.now(UTC), dict(rows))


def wait_until_it_moves(present: Installation, before: Moment) -> str:
    """Until the console is ready and every host that was up has been heard since; raises RunError with those that were
    not. That a process says 'ok' says nothing of the way that data takes."""
    deadline = time.monotonic() + MOVING_LIMIT_S
    answer, since, silent = health.console(present), moment(present).at, sorted(before.heard)
    while time.monotonic() < deadline:
        answer, now = health.console(present), moment(present)
        silent = sorted(name for name in before.heard if now.heard.get(name, before.at) <= since)
        if answer.ok and not silent:
            return f"{len(before.heard)} hosts report" if before.heard else "no host was up before"
        time.sleep(0.2)
    what = f"nothing was heard of {', '.join(silent[:5])}" if silent else f"console is not ready: {answer.detail}"
    raise RunError(f"{what} within {MOVING_LIMIT_S:.0f} s")


def _put_back(layout: DataLayout, file: Path) -> None:
    """What the version that failed has done to the database is undone."""
    present = installation.load(layout)
    if present is None:
        raise RunError(f"{layout.data} holds no installation any more", f"make restore FILE={file}")
    stop_but_packets(layout, present)
    stopped = present.model_copy(update={"supervisor": None})
    try:
        keys = archive.read_keys(file.with_suffix(".keys"), archive.read_manifest(file))
        backups.put_back(layout, stopped, file, keys, replace=True, as_it_was=True)
    except (RunError, BackupError) as error:
        raise RunError(
            f"The upgrade failed, and the data of before could not be put back: {error}",
            f"in the clone of the version before: SEXTANT_DATA_DIR={layout.data} make restore FILE={file} REPLACE=1",
        ) from None


def start_former(layout: DataLayout, python: Path) -> None:
    """By its own command; raises RunError where that fails, too."""
    done = subprocess.run(  # noqa: S603 - the clone that the operator named
        [str(python), "-m", "sextant_run", "up", "--detach"],
        env={**os.environ, "SEXTANT_DATA_DIR": str(layout.data)},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode != 0:
        raise RunError(
            f"The version before did not start ({python})", f"in its clone: SEXTANT_DATA_DIR={layout.data} make up"
        )
