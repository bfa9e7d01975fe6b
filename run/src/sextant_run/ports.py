"""TCP ports on loopback: which is free, and who holds one that is not."""

import socket

import psutil

from sextant_run.errors import RunError

LOOPBACK = "127.0.0.1"
DEFAULT_CONSOLE_PORT = 8080
_HIGHEST_TRIED = 100


def is_own(address: str) -> bool:
    """Whether this machine has that IPv4 address."""
    with socket.socket() as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
        return True


def is_free(port: int, address: str = LOOPBACK) -> bool:
    """Whether a server could listen on it now; connections that linger in TIME_WAIT do not count."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
            probe.listen(1)
        except OSError:
            return False
        return True


def any_free(taken: frozenset[int] = frozenset(), address: str = LOOPBACK) -> int:
    """A port that the kernel picks, none of `taken`, and gives to nobody by itself for a minute.

    A connection to itself, closed by the accepting side, leaves the port in TIME_WAIT: then only who asks for its
    number with SO_REUSEADDR has it, as servers do. Else any connection that begins before the server listens could
    take it.
    """
    while True:
        with socket.create_server((address, 0)) as listener, socket.create_connection(listener.getsockname()):
            listener.accept()[0].close()
            port: int = listener.getsockname()[1]
        if port not in taken:
            return port


def console_port(wanted: int | None, previous: int | None = None) -> tuple[int, str]:
    """The console's port and a remark for a person ('' if there is nothing to remark).

    `wanted` is SEXTANT_PORT: None = 8080 or the next free one, 0 = any free one (the last time's if it is free, so that
    an open page finds its console again). Raises RunError naming the holder
    where a port that was asked for is taken.
    """
    if wanted == 0:
        return keep_or_choose(previous, frozenset()), ""
    if wanted is not None:
        if not is_free(wanted):
            raise RunError(
                f"SEXTANT_PORT: port {wanted} is in use by {holder(wanted)}",
                "stop that process, or choose another port: make up SEXTANT_PORT=8090 (0: any free one)",
            )
        return wanted, ""
    for port in range(DEFAULT_CONSOLE_PORT, DEFAULT_CONSOLE_PORT + _HIGHEST_TRIED):
        if is_free(port):
            skipped = port != DEFAULT_CONSOLE_PORT
            return port, f"port {DEFAULT_CONSOLE_PORT} is in use by {holder(DEFAULT_CONSOLE_PORT)}" if skipped else ""
    return any_free(), f"ports {DEFAULT_CONSOLE_PORT} to {port} are taken"


def keep_or_choose(previous: int | None, taken: frozenset[int], address: str = LOOPBACK) -> int:
    """The port of the last time where it is free, else any free one."""
    if previous is not None and previous not in taken and is_free(previous, address):
        return previous
    return any_free(taken, address)


def holder(port: int) -> str:
    """Who listens on a port: 'nginx (pid 812)'."""
    try:
        connections = psutil.net_connections("tcp")
    except psutil.Error:
        connections = []
    for connection in connections:
        if connection.status == psutil.CONN_LISTEN and connection.laddr and connection.laddr.port == port:
            if connection.pid is None:
                break
            try:
                return f"{psutil.Process(connection.pid).name()} (pid {connection.pid})"
            except psutil.Error:
                return f"pid {connection.pid}"
    return "a process of another user or container"
