"""Put a backup back: all of it in one transaction, or nothing.

What hosts were ordered after the backup this database does not know. So orders that it gives from now on carry fences
above any that an agent can have seen, and a host that runs a newer order than the database knows shows that it is ahead
(docs/decisions/0083); an older one is not sent to it.
"""

import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
from alembic.config import Config
from alembic.script import ScriptDirectory

from sextant_backend.backup import archive, tools
from sextant_backend.backup.archive import DATABASE, Manifest
from sextant_backend.backup.dumping import COUNTED, Report
from sextant_backend.backup.errors import BackupError
from sextant_backend.settings import Settings

FENCES_AHEAD = 1_000_000
"""More claims than are made between a backup and its restoring: at ten a second, a day of them and more."""
ENDING_S = 3.0
"""PostgreSQL takes a moment to end a connection that was closed."""
_BEFORE = """
SET client_min_messages = warning;
SET statement_timeout = 0;
SET lock_timeout = '10s';
SET idle_in_transaction_session_timeout = 0;
DROP SCHEMA public CASCADE;
CREATE SCHEMA public AUTHORIZATION pg_database_owner;
GRANT USAGE ON SCHEMA public TO PUBLIC;
"""
_EMPTIED = ("sessions", "enrolments")
"""Who was signed in signs in anew; a token to enrol that was used meanwhile does not become new."""
_AFTER = f"""
SELECT pg_catalog.setval('public.operation_fences', last_value + {FENCES_AHEAD}) FROM public.operation_fences;
DELETE FROM public.sessions;
DELETE FROM public.enrolments;
"""  # noqa: S608 - a number of ours
_OTHERS = """
SELECT count(*) FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


def restore(
    settings: Settings, path: Path, revisions: Path | None, report: Report, *, replace: bool = False
) -> Manifest:
    """The database as the backup has it, by its own schema: whoever calls migrates it afterwards, by the migrations in
    `revisions`, which must know it (None: it stays). Raises BackupError, and then nothing was changed."""
    report("checking the backup")
    manifest = archive.check(path)
    if revisions is not None:
        _check_revision(manifest, revisions)
    try:
        with psycopg.connect(tools.conninfo(settings.database_url), autocommit=True) as connection:
            _check_database(connection, manifest, replace)
    except psycopg.Error as error:
        raise BackupError(f"PostgreSQL: {str(error).strip()}.") from None
    report("restoring the database")
    _pour(settings, path, manifest)
    return manifest


def _check_revision(manifest: Manifest, folder: Path) -> None:
    config = Config()
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if manifest.revision not in known:
        raise BackupError(
            f"The backup was made by Sextant {manifest.sextant}, whose schema {manifest.revision} this version does "
            "not know. Nothing was changed.",
            f"restore it with Sextant {manifest.sextant} or newer",
        )


def _check_database(connection: psycopg.Connection[tuple[object, ...]], manifest: Manifest, replace: bool) -> None:
    found = connection.execute("SELECT current_setting('server_version_num')::int / 10000").fetchone()
    if found is not None and int(str(found[0])) < manifest.postgresql:
        raise BackupError(f"The server is PostgreSQL {found[0]}, the backup is of {manifest.postgresql}.")
    deadline = time.monotonic() + ENDING_S
    while (others := _others(connection)) and time.monotonic() < deadline:
        time.sleep(0.1)
    if others:
        raise BackupError(
            f"{others} connections to this database are open: something runs. Nothing was changed.",
            "end console, fleet listener, workers and watch, then restore",
        )
    full = connection.execute(COUNTED, [["alembic_version"]]).fetchall()
    if full and not replace:
        raise BackupError(
            f"This database holds {len(full)} tables of Sextant. Nothing was changed.",
            "restore into an empty database, or add --replace to throw away what is in this one",
        )


def _others(connection: psycopg.Connection[tuple[object, ...]]) -> int:
    """Connections of others. In autocommit: within a transaction the view of them stays as it was."""
    found = connection.execute(_OTHERS).fetchone()
    return int(str(found[0])) if found else 0


def _pour(settings: Settings, path: Path, manifest: Manifest) -> None:
    """pg_restore writes SQL, psql runs it between ours, in a transaction."""
    reading = [tools.program("pg_restore", manifest.postgresql), "--file=-", "--no-owner", "--no-privileges"]
    writing = [tools.program("psql", manifest.postgresql), "--no-psqlrc", "--quiet", "--single-transaction"]
    writing += ["--set=ON_ERROR_STOP=1", "--output=/dev/null"]
    environment = tools.environment(settings.database_url)
    with subprocess.Popen(  # noqa: S603 - PostgreSQL's own
        writing, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as psql:
        if psql.stdin is None:  # pragma: no cover - it was asked for
            raise BackupError("psql takes no input.")
        try:
            with suppress(BrokenPipeError):  # psql says why
                psql.stdin.write(_BEFORE.encode())
                psql.stdin.flush()
                _through([*reading, "--schema=public"], path, manifest, psql)
                psql.stdin.write((_AFTER + "".join(_counts(manifest))).encode())
            _, said = psql.communicate()
        except BaseException:
            psql.kill()  # its transaction is rolled back
            raise
    if psql.returncode != 0:
        cause = said.decode(errors="replace").strip().removeprefix("psql:<stdin>:")[-500:]
        raise BackupError(f"The database could not be restored, and is as it was: {cause}.")


def _through(command: list[str], path: Path, manifest: Manifest, psql: subprocess.Popen[bytes]) -> None:
    with subprocess.Popen(  # noqa: S603 - PostgreSQL's own
        command, stdin=subprocess.PIPE, stdout=psql.stdin, stderr=subprocess.PIPE
    ) as reader:
        if reader.stdin is None:  # pragma: no cover - it was asked for
            raise BackupError("pg_restore takes no input.")
        try:
            with suppress(BrokenPipeError):
                for block in archive.blocks(path, manifest, DATABASE):
                    reader.stdin.write(block)
            _, said = reader.communicate()
        except BaseException:
            reader.kill()
            raise
    if reader.returncode == 0:
        return
    try:
        psql.wait(timeout=ENDING_S)  # it failed first, and says why
    except subprocess.TimeoutExpired:
        psql.kill()
        raise BackupError(f"The dump cannot be read: {said.decode(errors='replace').strip()[-500:]}.") from None


def _counts(manifest: Manifest) -> Iterator[str]:
    """Statements that end the transaction where a table has another number of rows than when it was dumped."""
    for name, rows in manifest.rows.items():
        if name not in _EMPTIED:
            yield (  # names are those of a checked manifest
                f"DO $$ BEGIN IF (SELECT count(*) FROM public.{name}) <> {rows} THEN"  # noqa: S608
                f" RAISE EXCEPTION 'table {name} has not the {rows} rows that were dumped'; END IF; END $$;\n"
            )
