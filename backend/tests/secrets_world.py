"""Where a secret could turn up: every answer, every table, every key of Valkey. All of it as text, to be searched."""

import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from fastapi.testclient import TestClient
from sextant_backend import openapi
from sextant_backend.kit import queue
from sextant_backend.kit.db import session_scope
from sqlalchemy import text

NAMES = {"{nf_id}": "tunnel.vpn", "{host_id}": "edge-1", "{digest}": f"sha256:{'0' * 64}"}


def chain_with_key(name: str, key: object, **config: object) -> dict[str, Any]:
    """A chain as a client sends it."""
    nf = {"type": "vpn", "name": "vpn", "config": {"mode": "encrypt", "key": key, **config}}
    return {"name": name, "nfs": ["router", nf], "traffic": {"rate_mpps": 0.1, "packet_bytes": 256}}


def every_answer(client: TestClient, chain: str) -> Iterator[tuple[str, int, str]]:
    """(path, status, text) of every GET there is but the stream, of things that are there where they can be named."""
    for path, methods in openapi.document()["paths"].items():
        if "get" not in methods or path.endswith("/events"):
            continue
        filled = path.replace("{name}", chain)
        for name, value in NAMES.items():
            filled = filled.replace(name, value)
        filled = re.sub(r"\{[a-z]+_id\}", "1", filled)
        answer = client.get(filled)
        yield filled, answer.status_code, f"{answer.headers}{answer.text}"


def every_row() -> Iterator[tuple[str, str]]:
    """(table, text) of every row; what is packed is unpacked."""
    tables = (
        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'"
    )
    with session_scope() as session:
        for table in session.scalars(text(tables)).all():
            for row in session.execute(text(f"SELECT * FROM {table}")):
                yield table, "\n".join(_readable(value) for value in row)


def _readable(value: object) -> str:
    if not isinstance(value, bytes | memoryview):
        return repr(value)
    content = bytes(value)
    with suppress(zlib.error):
        content = zlib.decompress(content)
    return content.decode(errors="replace")


def every_entry() -> Iterator[tuple[str, str]]:
    """(key, text) of everything in Valkey: the stream of events, and the queues."""
    client = queue.client()
    for key in client.scan_iter("*"):
        kind = client.type(key)
        kind = kind.decode() if isinstance(kind, bytes) else str(kind)
        readers = {
            "stream": lambda key=key: client.xrange(key),
            "list": lambda key=key: client.lrange(key, 0, -1),
            "hash": lambda key=key: client.hgetall(key),
            "set": lambda key=key: client.smembers(key),
            "zset": lambda key=key: client.zrange(key, 0, -1),
            "string": lambda key=key: client.get(key),
        }
        yield str(key), repr(readers[kind]())
