"""`make backup` and `make restore`: of an installation with its keys and what hosts know of it.

Files of hosts (ledgers, the state of this machine's agent) are no part of it: they are the hosts' own, and what they
hold is newer than any backup.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from sextant_backend.backup import archive
from sextant_backend.backup.archive import AUTHORITY, Keys, Manifest
from sextant_backend.backup.errors import BackupError
from sextant_backend.kit.files import write_private

from sextant_run import installation, up
from sextant_run.errors import RunError
from sextant_run.folders import private_folder
from sextant_run.installation import Installation, exclusive
from sextant_run.layout import DataLayout
from sextant_run.ports import is_free
from sextant_run.programs import environment, servers
from sextant_run.servers import running
from sextant_run.settings import RunSettings

NO_KEYS = "none"
_LIMIT_S = 6 * 3600.0


def make(layout: DataLayout, file: Path | None) -> tuple[Path, Path]:
    """A backup of an installation that is up, or down; returns it and its keys."""
    present = _present(layout)
    path = file or private_folder(layout.data / "backups") / f"sextant-{datetime.now(UTC):%Y%m%d-%H%M%S}.backup"
    keys = path.with_suffix(".keys")
    known = {"fleet_port": present.fleet_port, "fleet_address": present.fleet_address, "host_id": present.host_id}
    words = [word for name, value in known.items() for word in ("--setting", f"{name}={value}")]
    with ExitStack() as stack:
        if not present.up:
            stack.enter_context(exclusive(layout))  # nobody starts it meanwhile
        stack.enter_context(_database(layout, present))
        _backend(layout, present, "backup", str(path.absolute()), "--keys", str(keys.absolute()), *words)
    return path, keys


def restore(layout: DataLayout, file: Path, keys: str | None, *, replace: bool) -> None:
    """Put a backup back into an installation that is down, or into an empty data folder."""
    try:
        manifest = archive.check(file)
        held = None if keys in {None, NO_KEYS} else archive.read_keys(Path(str(keys)), manifest)
        authority = b"".join(archive.blocks(file, manifest, AUTHORITY)) if AUTHORITY in manifest.members else b""
    except BackupError as error:
        raise RunError(str(error)) from None
    layout.make_folders()
    with exclusive(layout):
        present = installation.load(layout)
        if present is not None and present.up:
            raise RunError("Sextant is up; nothing was changed", "make down, then this again")
        if held is None and keys != NO_KEYS:
            _refuse_other_keys(layout, authority)
        if present is None:
            present = _as_it_was_known(layout, manifest)
        put_back(layout, present, file, held, replace=replace)


def put_back(
    layout: DataLayout, present: Installation, file: Path, keys: Keys | None, *, replace: bool, as_it_was: bool = False
) -> None:
    """The database, and after it the keys. For `restore`, and for an upgrade that has failed."""
    with tempfile.TemporaryDirectory(dir=layout.data) as folder:
        settings = {}
        if keys is not None and keys.secrets_key is not None:
            file_of_key = Path(folder) / "secrets.key"
            write_private(file_of_key, keys.secrets_key)
            settings["SEXTANT_SECRETS_KEY_FILE"] = str(file_of_key)
        options = [*(["--replace"] if replace else []), *(["--as-it-was"] if as_it_was else ["--create-roles"])]
        with _database(layout, present):
            _backend(layout, present, "restore", str(file.absolute()), *options, settings=settings)
    if keys is not None:
        _put_keys(layout, keys)
    layout.cli_file.unlink(missing_ok=True)  # its token may be one that the backup does not know
    (layout.data / "postgres" / "prepared").unlink(missing_ok=True)


def _present(layout: DataLayout) -> Installation:
    present = installation.load(layout)
    if present is None:
        raise RunError(f"{layout.data} holds no installation", "make up")
    layout.make_folders()
    return present


def _refuse_other_keys(layout: DataLayout, authority: bytes) -> None:
    """Where this installation has the authority that the backup's hosts believe, it has the other keys, too."""
    own = layout.pki / "ca.crt"
    if own.exists() and own.read_bytes() == authority and layout.secrets_key.exists():
        return
    raise RunError(
        "The keys of the backup are not here: without them every host must enrol anew, and no secret can be read",
        f"KEYS=FILE with the file of keys that was made with it; or KEYS={NO_KEYS} to go on without",
    )


def _as_it_was_known(layout: DataLayout, manifest: Manifest) -> Installation:
    """Hosts remember the address and the port of the fleet listener: they are kept where they can be."""
    known = manifest.settings
    described, _ = up.describe(layout, RunSettings.of_environment())
    port = known.get("fleet_port", "")
    changes: dict[str, object] = {}
    if port.isdecimal() and int(port) <= 65535 and is_free(int(port), described.fleet_address):
        changes["fleet_port"] = int(port)
    if "host_id" in known and "SEXTANT_HOST_ID" not in os.environ:
        changes["host_id"] = known["host_id"]
    made = Installation.model_validate(described.model_dump() | changes)
    installation.save(layout, made)
    return made


def _put_keys(layout: DataLayout, keys: Keys) -> None:
    """What certificates were signed by another authority is made anew at the next start."""
    own = layout.pki / "ca.crt"
    if keys.ca_key is not None and keys.ca_crt is not None:
        if not own.exists() or own.read_text() != keys.ca_crt:
            for name in ("backend", "hosts", "simulated", "demo"):
                shutil.rmtree(layout.pki / name, ignore_errors=True)
        write_private(layout.pki / "ca.key", keys.ca_key)
        write_private(own, keys.ca_crt, 0o644)
    for path, content in ((layout.secrets_key, keys.secrets_key), (layout.audit_key, keys.audit_key)):
        if content is not None:
            write_private(path, content)


@contextmanager
def _database(layout: DataLayout, present: Installation) -> Iterator[None]:
    """The servers of an installation that is down; those of one that is up are there."""
    with ExitStack() as stack:
        if not present.up:
            for server in servers(layout, present):
                server.prepare()
                stack.enter_context(running(server, layout.log / f"{server.name}.log"))
        yield


def _backend(layout: DataLayout, present: Installation, *words: str, settings: Mapping[str, str] | None = None) -> None:
    """A command of the backend's, whose words a person sees; raises RunError where it fails."""
    own = {"SEXTANT_CA_KEY_FILE": str(layout.pki / "ca.key"), "SEXTANT_AUDIT_KEY_FILE": str(layout.audit_key)}
    try:
        done = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-m", "sextant_backend", *words],
            env={**os.environ, **environment(layout, present), **own, **(settings or {})},
            stdin=subprocess.DEVNULL,
            timeout=_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RunError(f"`{words[0]}` did not end within {_LIMIT_S / 3600:.0f} h") from None
    if done.returncode != 0:
        raise RunError(f"`{words[0]}` failed; what it said stands above")
