"""A crowd of clients that send a byte now and then, at one port."""

import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

HOLD = {
    "header": b"GET /x HTTP/1.1\r\nHost: a\r\nX-Slow: ",
    "handshake": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # a ClientHello of 512 bytes, up to its random number
    "silent": b"",
    "body": b"POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n{",
}
EVERY_S = 1.0


@dataclass
class Slow:
    """One of them. `kind` says where it hangs; a silent one never says a byte, so that no handshake begins."""

    kind: str
    socket: socket.socket
    answer: bytes = b""
    closed: bool = False

    def say(self, what: bytes) -> None:
        """Send, and see whether we are still heard."""
        try:
            self.socket.sendall(what if self.kind != "silent" else b"")
            while got := self.socket.recv(4096):
                self.answer += got
            self.closed = True
        except (ssl.SSLWantReadError, BlockingIOError):
            pass
        except OSError:  # an ssl.SSLError is one
            self.closed = True


def crowd(port: int, kinds: dict[str, int], tls: ssl.SSLContext | None, name: str, path: str) -> list[Slow]:
    """So many of each kind, each of whom has begun."""
    made = []
    for kind, count in kinds.items():
        for _ in range(count):
            with suppress(OSError):  # refused at the door: not there
                made.append(_slow(kind, port, tls, name, path))
    return made


def _slow(kind: str, port: int, tls: ssl.SSLContext | None, name: str, path: str) -> Slow:
    plain = socket.create_connection(("127.0.0.1", port), timeout=60)
    speaks = plain if tls is None or kind in ("handshake", "silent") else tls.wrap_socket(plain, server_hostname=name)
    speaks.setblocking(False)
    slow = Slow(kind, speaks)
    slow.say(HOLD[kind].replace(b"%s", path.encode()))
    return slow


def all_are_closed(clients: list[Slow], meanwhile: Callable[[], None], limit_s: float = 100.0) -> float:
    """A byte a second of each until all are closed; others are answered all the while. Returns the seconds it took;
    fails with what is left after `limit_s`."""
    began = time.monotonic()
    while left := [slow for slow in clients if not slow.closed]:
        assert time.monotonic() - began < limit_s, f"{len(left)} of {len(clients)} are still there: {left[0]}"
        meanwhile()
        for slow in left:
            slow.say(b"a")
        time.sleep(EVERY_S)  # what a slow client is
    for slow in clients:
        slow.socket.close()
    return time.monotonic() - began
