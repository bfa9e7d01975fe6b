"""PostgreSQL and Valkey for the run, reached over TCP with passwords as containers reach theirs."""

import secrets
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from sextant_run.ports import any_free
from sextant_run.servers import PostgresServer, running, temporary_valkey


@dataclass(frozen=True)
class OnAPort(PostgresServer):
    """The embedded PostgreSQL, which also listens on a loopback port, where it asks for a password."""

    port: int = 5432

    def command(self) -> list[str]:
        return [*super().command(), "-c", "listen_addresses=127.0.0.1", "-c", f"port={self.port}"]

    @property
    def conninfo(self) -> str:
        return f"{super().conninfo}&port={self.port}"


@contextmanager
def servers() -> Iterator[dict[str, str]]:
    """The secrets of docker-compose.yml: those that hold their addresses, with passwords, and a key."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sextant-", dir="/tmp")))
        server = OnAPort(data=folder / "data", sockets=folder / "s", durable=False, port=any_free())
        server.prepare()
        (server.data / "pg_hba.conf").write_text("local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n")
        stack.enter_context(running(server, folder / "log"))
        password = secrets.token_hex(24)
        with psycopg.connect(server.conninfo, autocommit=True) as connection:
            connection.execute(f"ALTER ROLE sextant PASSWORD '{password}'")
        yield {
            "database-url": f"postgresql+psycopg://sextant:{password}@127.0.0.1:{server.port}/sextant\n",
            "secrets-key": secrets.token_hex(32),
            "audit-key": secrets.token_hex(32),
            "redis-url": f"{stack.enter_context(temporary_valkey())}\n",
        }
