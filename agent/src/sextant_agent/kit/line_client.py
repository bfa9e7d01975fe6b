"""Questions to a process of this host over a unix socket: one JSON object a line, bounded in time and size."""

import json
import os
import socket
import struct
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

MAX_LINE_BYTES = 1024 * 1024
CONNECT_TIMEOUT_S = 2.0
ANSWER_TIMEOUT_S = 5.0


class LineAnswer(BaseModel):
    """Fields that this agent does not know are passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")


Answer = TypeVar("Answer", bound=LineAnswer)


class LineError(Exception):
    """It cannot be asked: `why`, without who."""

    def __init__(self, message: str, why: str) -> None:
        super().__init__(message)
        self.why = why


class LineGone(LineError):
    """Nobody answers."""


class LineSilent(LineError):
    """Somebody is there, and does not answer in time."""


class LineGarbled(LineError):
    """The answer is not as agreed."""


class LineRefused(LineError):
    """It said no."""

    def __init__(self, code: str, field: str | None, message: str) -> None:
        super().__init__(f"{message} ({code}{f', {field}' if field else ''})", message)
        self.code = code


class LineClient:
    """One connection, opened when first needed and again after a failure. Safe for several threads."""

    def __init__(self, path: Path, name: str, uid: int | None = None) -> None:
        """`name`: who answers, for a person. `uid`: whoever else listens there is not asked anything."""
        self._path, self._name, self._uid = path, name, uid
        self._lock = threading.Lock()
        self._connection: socket.socket | None = None
        self._buffer = b""
        self._number = 0

    def ask(self, answer: type[Answer], op: str, timeout_s: float = ANSWER_TIMEOUT_S, **fields: object) -> Answer:
        """Raises LineRefused with its reason, or another LineError."""
        found, descriptors = self._exchange(answer, op, timeout_s, fields)
        for descriptor in descriptors:
            os.close(descriptor)
        return found

    def ask_for_descriptor(self, answer: type[Answer], op: str, **fields: object) -> tuple[Answer, int]:
        """The answer, and the one descriptor that is passed with it, which the caller closes. Raises LineError."""
        found, descriptors = self._exchange(answer, op, ANSWER_TIMEOUT_S, fields)
        if len(descriptors) != 1:
            for descriptor in descriptors:
                os.close(descriptor)
            why = f"{len(descriptors)} descriptors with its answer to {op}, not one"
            raise LineGarbled(f"{self._name} passed {why}", why)
        return found, descriptors[0]

    def close(self) -> None:
        """The next question opens the connection again."""
        with self._lock:
            self._drop()

    def _exchange(
        self, answer: type[Answer], op: str, timeout_s: float, fields: dict[str, Any]
    ) -> tuple[Answer, list[int]]:
        descriptors: list[int] = []
        with self._lock:
            self._number += 1
            line = json.dumps({"id": self._number, "op": op, **fields}, allow_nan=False).encode() + b"\n"
            try:
                return self._read(answer, self._roundtrip(line, timeout_s, descriptors)), descriptors
            except BaseException as error:
                for descriptor in descriptors:
                    os.close(descriptor)
                if isinstance(error, LineRefused):
                    raise
                self._drop()  # a late answer would be taken for the next one's
                if isinstance(error, OSError | ValueError | RecursionError):
                    raise self._what_is_wrong(error, op, timeout_s) from error
                raise

    def _what_is_wrong(self, error: OSError | ValueError | RecursionError, op: str, timeout_s: float) -> LineError:
        if isinstance(error, TimeoutError):
            why = f"did not answer {op} within {timeout_s:.0f} s"
            return LineSilent(f"{self._name} {why}", why)
        if isinstance(error, OSError):
            why = error.strerror or str(error)
            return LineGone(f"{self._name} does not answer at {self._path}: {why}", why)
        why = _short(error)
        return LineGarbled(f"the answer of {self._name} to {op} is not as agreed: {why}", why)

    def _read(self, answer: type[Answer], line: bytes) -> Answer:
        found = json.loads(line)
        if not isinstance(found, dict):
            raise ValueError("it is no object")
        if found.get("ok") is not True:  # of a connection that is not wanted, it has no question's number
            raise _refusal(found.get("error"))
        if found.get("id") != self._number:
            raise ValueError("it belongs to another question")
        return answer.model_validate(found)

    def _roundtrip(self, line: bytes, timeout_s: float, descriptors: list[int]) -> bytes:
        deadline = time.monotonic() + timeout_s
        connection = self._connected()
        connection.settimeout(timeout_s)
        connection.sendall(line)
        while b"\n" not in self._buffer:
            connection.settimeout(max(0.001, deadline - time.monotonic()))
            piece, passed, _, _ = socket.recv_fds(connection, 65536, 4)
            descriptors += passed
            for descriptor in passed:
                os.set_inheritable(descriptor, False)
            if not piece:
                raise ConnectionResetError(0, "it closed the connection")
            self._buffer += piece
            if len(self._buffer) > MAX_LINE_BYTES:
                raise ValueError(f"a line of more than {MAX_LINE_BYTES} bytes")
        found, _, self._buffer = self._buffer.partition(b"\n")
        return found

    def _connected(self) -> socket.socket:
        if self._connection is not None:
            return self._connection
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(CONNECT_TIMEOUT_S)
            connection.connect(os.fsencode(self._path))
            uid = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]
            if self._uid is not None and uid != self._uid:
                raise PermissionError(0, f"whoever listens there runs as user {uid}, not as {self._uid}")
        except BaseException:
            connection.close()
            raise
        self._connection, self._buffer = connection, b""
        return connection

    def _drop(self) -> None:
        if self._connection is not None:
            with suppress(OSError):
                self._connection.close()
        self._connection, self._buffer = None, b""


def _refusal(error: object) -> LineRefused:
    said = error if isinstance(error, dict) else {}
    field = said.get("field")
    message = str(said.get("message", "no reason was given"))[:500]
    return LineRefused(str(said.get("code", "internal"))[:40], str(field)[:200] if field else None, message)


def _short(error: BaseException) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return str(error)[:200]
