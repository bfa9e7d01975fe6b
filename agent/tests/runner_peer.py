"""Somebody at the runner's socket who answers as a test wants."""

import json
import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

HELLO = {
    "pid": os.getpid(),
    "start_time": 1,
    "nonce": "ab",
    "version": "1",
    "hugepages": False,
    "cores": [0, 1],
    "traffic_core": 1,
    "nf_types": ["router"],
    "latency_bounds_ns": [1, 2],
}
Reply = Callable[[dict[str, Any]], bytes]


class Peer:
    """Greets properly, then answers with whatever `reply` makes of a request."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.reply: Reply = lambda request: good(request, core=1)
        self.connections = 0
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError), connection, connection.makefile("rb") as lines:
            for line in lines:
                request = json.loads(line)
                answer = good(request, **HELLO) if request["op"] == "hello" else self.reply(request)
                if not answer:
                    return
                connection.sendall(answer)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


def good(request: dict[str, Any], **fields: object) -> bytes:
    return json.dumps({"id": request["id"], "ok": True, **fields}).encode() + b"\n"
