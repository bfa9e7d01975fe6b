"""Make a backup while everything runs: one snapshot of the database, in which its tables are counted and dumped."""

import re
import secrets
import subprocess
import time
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import psycopg
from psycopg import sql
from psycopg.abc import Query
from psycopg.rows import scalar_row

from sextant_backend.backup import archive, tools
from sextant_backend.backup.archive import AUTHORITY, BLOCK, DATABASE, MANIFEST, Counted, Keys, Manifest, Member
from sextant_backend.backup.errors import BackupError
from sextant_backend.grants import RAW
from sextant_backend.kit.version import VERSION
from sextant_backend.settings import Settings

Report = Callable[[str], None]
REPORT_EVERY_S = 2.0
COUNTED = """
SELECT c.relname FROM pg_class c
 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
   AND NOT (c.relname = ANY(%s)) ORDER BY c.relname
"""


@dataclass(frozen=True)
class Asked:
    """What kind of backup."""

    without_samples: bool = False
    """Leave raw samples out."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Noted in the manifest, for whoever restores it."""


def make(
    settings: Settings, path: Path, keys_path: Path | None, report: Report, asked: Asked | None = None
) -> Manifest:
    """The backup in `path`, and keys in `keys_path` (None: no keys). Raises BackupError, and then neither is there."""
    backup_id = secrets.token_hex(8)
    keys = None if keys_path is None else keys_of(settings, backup_id)
    if keys_path is not None and keys_path.exists():
        raise BackupError(f"{keys_path} is there already, and is not written over.", "choose another name")
    written = False
    try:
        with archive.new_file(path) as stream:
            manifest = _Dumping(settings, report, asked or Asked()).write(stream, backup_id)
            stream.flush()
            report("reading it back")
            _read_back(path, Path(f"/proc/self/fd/{stream.fileno()}"), manifest)
            if keys is not None and keys_path is not None:
                archive.write_keys(keys_path, keys)
                written = True
    except (BackupError, psycopg.Error, OSError) as error:
        if written and keys_path is not None:
            keys_path.unlink(missing_ok=True)
        raise error if isinstance(error, BackupError) else BackupError(f"{str(error).strip()}.") from None
    return manifest


def keys_of(settings: Settings, backup_id: str) -> Keys:
    """As this process may read them; raises BackupError where it has none."""
    authority = settings.ca_key_file
    keys = Keys(
        backup=backup_id,
        ca_key=_text(authority),
        ca_crt=_text(None if authority is None else authority.with_suffix(".crt")),
        secrets_key=_text(settings.secrets_key_file),
        audit_key=_text(settings.audit_key_file),
    )
    if not any((keys.ca_key, keys.secrets_key, keys.audit_key)):
        raise BackupError(
            "This process has no key to keep.",
            "set SEXTANT_CA_KEY_FILE, SEXTANT_SECRETS_KEY_FILE, SEXTANT_AUDIT_KEY_FILE, or leave --keys out",
        )
    return keys


def _text(path: Path | None) -> str | None:
    try:
        return None if path is None else path.read_text()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BackupError(
            f"{path} cannot be read: {error.strerror}.", "run this as the user that it belongs to"
        ) from None


@dataclass(frozen=True)
class _Dumping:
    """One backup under way."""

    settings: Settings
    report: Report
    asked: Asked

    def write(self, stream: IO[bytes], backup_id: str) -> Manifest:
        """The archive, with its manifest last."""
        with (
            psycopg.connect(tools.conninfo(self.settings.database_url), row_factory=scalar_row) as connection,
            zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as file,
        ):
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.execute("SET idle_in_transaction_session_timeout = 0")  # pg_dump is waited for
            connection.execute("SET statement_timeout = 0")
            made_at, snapshot = (
                _one(connection, "SELECT clock_timestamp()"),
                _one(connection, "SELECT pg_export_snapshot()"),
            )
            major = _one(connection, "SELECT current_setting('server_version_num')::int / 10000")
            rows = self._count(connection)
            members = {DATABASE: self._dump(file, ["--snapshot", snapshot], tools.program("pg_dump", major))}
            folder = self.settings.pki_dir
            authority = None if folder is None else _text(folder / AUTHORITY)
            if authority is not None:
                file.writestr(AUTHORITY, authority)
                members[AUTHORITY] = Counted.of(authority.encode())
            manifest = Manifest(
                id=backup_id,
                made_at=made_at,
                sextant=VERSION,
                revision=_one(connection, "SELECT version_num FROM alembic_version"),
                postgresql=major,
                members=members,
                rows=rows,
                without_samples=self.asked.without_samples,
                settings=dict(self.asked.settings),
            )
            file.writestr(MANIFEST, manifest.model_dump_json(indent=2))
        return manifest

    def _count(self, connection: psycopg.Connection[Any]) -> dict[str, int]:
        """Rows of every table but raw samples, of which there may be thousands of millions."""
        self.report("counting rows")
        names = connection.execute(COUNTED, [list(RAW)]).fetchall()
        count = sql.SQL("SELECT count(*) FROM {}")
        return {name: _one(connection, count.format(sql.Identifier(name))) for name in names}

    def _dump(self, file: zipfile.ZipFile, options: list[str], program: str) -> Member:
        self.report("dumping the database")
        left_out = RAW if self.asked.without_samples else ()
        command = [program, "--format=custom", "--no-owner", "--no-privileges", *options]
        command += [f"--exclude-table-data-and-children={table}" for table in left_out]
        counted, reported = Counted(), time.monotonic()
        with subprocess.Popen(  # noqa: S603 - PostgreSQL's own
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=tools.environment(self.settings.database_url),
        ) as child:
            if child.stdout is None or child.stderr is None:  # pragma: no cover - both were asked for
                raise BackupError("pg_dump has no output.")
            try:
                with file.open(DATABASE, "w", force_zip64=True) as member:
                    while block := child.stdout.read(BLOCK):
                        member.write(block)
                        counted.add(block)
                        if time.monotonic() - reported > REPORT_EVERY_S:
                            self.report(f"dumping the database: {counted.bytes / 2**20:.0f} MiB")
                            reported = time.monotonic()
            except BaseException:
                child.kill()
                raise
            said = child.stderr.read().decode(errors="replace").strip()
        if child.returncode != 0:
            raise BackupError(f"pg_dump failed: {said[-500:] or f'status {child.returncode}'}.")
        return counted.member()


def _one(connection: psycopg.Connection[Any], query: Query) -> Any:
    """The one value that it is asked for."""
    found = connection.execute(query).fetchone()
    if found is None:
        raise BackupError(f"PostgreSQL has no answer to {query!r}.", "migrate the database first")
    return found


def _read_back(path: Path, written: Path, manifest: Manifest) -> None:
    """Sums are right, and pg_restore reads the dump to its end and finds each table in it."""
    archive.check(written)
    restore = tools.program("pg_restore", manifest.postgresql)
    listed = _fed([restore, "--list"], written, manifest).decode()
    missing = [name for name in manifest.rows if not re.search(rf" TABLE (DATA )?public {re.escape(name)} ", listed)]
    if missing:
        raise BackupError(f"{path} would lack the tables {', '.join(missing)}.")
    _fed([restore, "--file=-"], written, manifest, keep=False)


def _fed(command: list[str], path: Path, manifest: Manifest, *, keep: bool = True) -> bytes:
    """A program's output that is given the dump."""
    with subprocess.Popen(  # noqa: S603 - PostgreSQL's own
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE if keep else subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as child:
        try:
            if child.stdin is None:  # pragma: no cover - it was asked for
                raise BackupError("pg_restore takes no input.")
            try:
                for block in archive.blocks(path, manifest, DATABASE):
                    child.stdin.write(block)
            except BrokenPipeError:  # --list has read enough
                pass
            out, said = child.communicate()
        except BaseException:
            child.kill()
            raise
    if child.returncode != 0:
        raise BackupError(f"The dump cannot be read back: {said.decode(errors='replace').strip()[-500:]}.")
    return out or b""
