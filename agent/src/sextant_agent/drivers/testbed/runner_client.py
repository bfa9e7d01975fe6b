"""The runner's control socket: one JSON object a line, bounded in time and size (docs/contracts/runner.md)."""

import json
import socket
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from sextant_agent.drivers.testbed.runner_messages import Hello

MAX_LINE_BYTES = 1024 * 1024
CONNECT_TIMEOUT_S = 2.0
ANSWER_TIMEOUT_S = 5.0

Answer = TypeVar("Answer", bound=BaseModel)


class RunnerError(Exception):
    """Something went wrong between agent and runner."""


class RunnerGone(RunnerError):
    """Nobody answers at the socket."""


class RunnerSilent(RunnerError):
    """The runner is there but did not answer in time."""


class RunnerGarbled(RunnerError):
    """The answer is not what the contract says."""


class RunnerRefused(RunnerError):
    """The runner said no."""

    def __init__(self, code: str, field: str | None, message: str) -> None:
        super().__init__(f"{message} ({code}{f', {field}' if field else ''})")
        self.code = code


class RunnerClient:
    """One connection, opened when first needed and again after a failure. Safe to use from several threads.

    `verify` is called with the answer to `hello` and the peer's pid on each new connection, before anything else
    is asked; it raises where the peer is not the runner that is meant.
    """

    def __init__(self, path: Path, verify: Callable[[Hello, int], None]) -> None:
        self._path = path
        self._verify = verify
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._buffer = b""
        self._next_id = 1
        self.hello: Hello | None = None
        """What the runner said when the connection was opened."""

    def connect(self) -> Hello:
        """Open the connection if it is not open. Raises RunnerError, and whatever `verify` raises."""
        with self._lock:
            return self._connected()

    def request(self, answer: type[Answer], op: str, timeout_s: float | None = None, **fields: object) -> Answer:
        """Ask and wait. Raises RunnerRefused with the runner's reason, or another RunnerError."""
        with self._lock:
            self._connected()
            return self._exchange(answer, op, timeout_s or ANSWER_TIMEOUT_S, fields)

    def close(self) -> None:
        """Close the connection; the next request opens it again."""
        with self._lock:
            self._drop()

    def _connected(self) -> Hello:
        if self._socket is not None and self.hello is not None:
            return self.hello
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(CONNECT_TIMEOUT_S)
            connection.connect(str(self._path))
            peer_pid = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
        except OSError as error:
            connection.close()
            raise RunnerGone(f"nobody answers at {self._path}: {error.strerror or error}") from error
        self._socket, self._buffer = connection, b""
        try:
            hello = self._exchange(Hello, "hello", ANSWER_TIMEOUT_S, {})
            self._verify(hello, peer_pid)
        except BaseException:
            self._drop()
            raise
        self.hello = hello
        return hello

    def _exchange(self, answer: type[Answer], op: str, timeout_s: float, fields: dict[str, Any]) -> Answer:
        number, self._next_id = self._next_id, self._next_id + 1
        line = _line({"id": number, "op": op, **fields})
        try:
            found = json.loads(self._roundtrip(line, timeout_s))
            if not isinstance(found, dict) or found.get("id") != number:
                raise RunnerGarbled(f"the runner's answer to {op} does not belong to it")
            if found.get("ok") is not True:
                raise _refusal(found.get("error"))
            return answer.model_validate(found)
        except RunnerRefused:
            raise
        except TimeoutError as error:
            self._drop()  # a late answer would be taken for the next one's
            raise RunnerSilent(f"the runner did not answer {op} within {timeout_s:.0f} s") from error
        except OSError as error:
            self._drop()
            raise RunnerGone(f"the runner closed the connection during {op}") from error
        except (ValueError, RecursionError, RunnerGarbled) as error:
            self._drop()
            raise RunnerGarbled(f"the runner's answer to {op} is not as agreed: {_short(error)}") from error

    def _roundtrip(self, line: bytes, timeout_s: float) -> bytes:
        connection = self._socket
        if connection is None:
            raise ConnectionResetError
        deadline = time.monotonic() + timeout_s
        connection.settimeout(timeout_s)
        connection.sendall(line)
        while b"\n" not in self._buffer:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                raise TimeoutError
            connection.settimeout(remaining)
            piece = connection.recv(65536)
            if not piece:
                raise ConnectionResetError
            self._buffer += piece
            if len(self._buffer) > MAX_LINE_BYTES:
                raise RunnerGarbled(f"a line of more than {MAX_LINE_BYTES} bytes")
        found, _, self._buffer = self._buffer.partition(b"\n")
        return found

    def _drop(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket, self.hello, self._buffer = None, None, b""


def _line(request: dict[str, Any]) -> bytes:
    try:
        line = json.dumps(request, separators=(",", ":"), allow_nan=False).encode() + b"\n"
    except ValueError as error:
        raise RunnerRefused("bad-request", None, f"{request['op']} cannot be written as JSON: {error}") from error
    if len(line) > MAX_LINE_BYTES:
        raise RunnerRefused("bad-request", None, f"{request['op']} takes {len(line)} bytes of {MAX_LINE_BYTES}")
    return line


def _refusal(error: object) -> RunnerRefused:
    fields = error if isinstance(error, dict) else {}
    field = fields.get("field")
    return RunnerRefused(
        str(fields.get("code", "internal"))[:40],
        str(field)[:200] if field else None,
        str(fields.get("message", "the runner gave no reason"))[:500],
    )


def _short(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(error)[:200]
