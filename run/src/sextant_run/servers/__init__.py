"""Embedded PostgreSQL and Valkey: real servers without packages, administrators or network ports.

A server says how it is prepared (`prepare`), which foreground command a supervisor runs (`command`), and where it is
reached (`url`). Test fixtures of all packages use `temporary_postgres` and `temporary_valkey`.
"""

from sextant_run.servers.postgres import PostgresServer
from sextant_run.servers.temporary import running, temporary_postgres, temporary_valkey
from sextant_run.servers.valkey import ValkeyServer

__all__ = ["PostgresServer", "ValkeyServer", "running", "temporary_postgres", "temporary_valkey"]
