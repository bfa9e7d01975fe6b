"""The socket: who may speak, and how much."""

import os
import socket
import stat
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from sextant_agent.helper.refusal import HelperRefusal, Unusable
from sextant_agent.helper.verbs import refused

MAX_LINE_BYTES = 4096
"""The longest request has an NF id of 127 characters and three numbers."""
MAX_CONNECTIONS = 8
SEND_TIMEOUT_S = 5.0
_PEER = struct.Struct("3i")


def listen(path: Path, uid: int, gid: int) -> socket.socket:
    """The listening socket: mode 0660, the owner this process, the group the agent's. Raises Unusable, OSError.

    The folder may belong to the agent, who could swap what lies in it for a link at any moment. So it is opened once
    and everything is done relative to it, and group and mode are right from the moment the name exists.
    """
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.fstat(folder)
        if found.st_uid not in {os.geteuid(), uid} or stat.S_IMODE(found.st_mode) & 0o022:
            raise Unusable(f"{path.parent}: must belong to root or to user {uid}, and be writable by nobody else")
        with suppress(FileNotFoundError):
            if not stat.S_ISSOCK(os.stat(path.name, dir_fd=folder, follow_symlinks=False).st_mode):
                raise Unusable(f"{path}: is there and is no socket; remove it, or choose another --socket")
            os.unlink(path.name, dir_fd=folder)
        return _bind(f"/proc/self/fd/{folder}/{path.name}", gid)
    finally:
        os.close(folder)


def _bind(name: str, gid: int) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    own, mask = os.getegid(), os.umask(0o117)
    try:
        os.setegid(gid)
        listener.bind(name)
    except BaseException:
        listener.close()
        raise
    finally:
        os.setegid(own)
        os.umask(mask)
    listener.listen(MAX_CONNECTIONS)
    return listener


class HelperServer:
    """Serves each connection in a thread of its own; `answer` turns a line into a line."""

    def __init__(
        self, listener: socket.socket, uid: int, answer: Callable[[bytes], bytes], log: Callable[[str], None]
    ) -> None:
        self._listener = listener
        self._uid = uid
        self._answer = answer
        self._log = log
        self._free = threading.BoundedSemaphore(MAX_CONNECTIONS)

    def serve(self) -> None:
        """Until the listener is shut down."""
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            refusal = self._refusal(connection)
            if refusal is not None:
                _send_last(connection, refused(refusal))
            else:
                threading.Thread(target=self._converse, args=(connection,), daemon=True).start()

    def _refusal(self, connection: socket.socket) -> HelperRefusal | None:
        """Why this peer is not listened to; None takes one of the free places."""
        pid, uid, _ = _PEER.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
        if uid != self._uid:
            self._log(f"refused process {pid} of user {uid}: only user {self._uid} may ask")
            return HelperRefusal("not-allowed", None, f"user {uid} may not ask; only user {self._uid} may")
        if not self._free.acquire(blocking=False):
            return HelperRefusal("no-room", None, f"{MAX_CONNECTIONS} connections are open already: close one")
        return None

    def _converse(self, connection: socket.socket) -> None:
        try:
            with connection, suppress(OSError):  # the peer has gone, or does not read
                _answer_lines(connection, self._answer)
        finally:
            self._free.release()


def _answer_lines(connection: socket.socket, answer: Callable[[bytes], bytes]) -> None:
    buffer = b""
    while True:
        connection.settimeout(None)
        piece = connection.recv(MAX_LINE_BYTES)
        if not piece:
            return
        buffer += piece
        connection.settimeout(SEND_TIMEOUT_S)
        *lines, buffer = buffer.split(b"\n")
        for line in (*lines, buffer):
            if len(line) > MAX_LINE_BYTES:
                why = f"a line of more than {MAX_LINE_BYTES} bytes"
                _send_last(connection, refused(HelperRefusal("bad-request", None, why)))
                return
        for line in lines:
            connection.sendall(answer(line))


def _send_last(connection: socket.socket, line: bytes) -> None:
    with connection:
        connection.settimeout(SEND_TIMEOUT_S)
        with suppress(OSError):
            connection.sendall(line)
