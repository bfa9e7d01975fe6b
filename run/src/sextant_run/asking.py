"""Asking a process of this machine by HTTP. Imports little: the keeper lives on it."""

import http.client
import json
from typing import Any

from sextant_run.ports import LOOPBACK

LIMIT_S = 3.0
SLOW_S = 10.0
"""Of an answer that may wait for a server that does not answer."""
NO_ANSWER = (OSError, ValueError, http.client.HTTPException)


def get(
    connection: http.client.HTTPConnection, path: str, headers: dict[str, str] | None = None
) -> tuple[int, dict[str, Any]]:
    """Status and JSON body; raises one of `NO_ANSWER`."""
    try:
        connection.request("GET", path, headers=headers or {})
        response = connection.getresponse()
        body = json.loads(response.read(1 << 20))
        return response.status, body if isinstance(body, dict) else {}
    finally:
        connection.close()


def answers(console_port: int) -> bool:
    """Whether the console says anything at all, whatever it lacks."""
    try:
        get(http.client.HTTPConnection(LOOPBACK, console_port, timeout=LIMIT_S), "/healthz")
    except NO_ANSWER:
        return False
    return True


def silent_queues(console_port: int) -> frozenset[str]:
    """Whose workers the console has not heard of; empty where it cannot know, as while it waits for a server itself."""
    try:
        _, body = get(http.client.HTTPConnection(LOOPBACK, console_port, timeout=SLOW_S), "/readyz")
        return frozenset(body.get("checks", {}).get("workers", {}).get("silent", ()))
    except (*NO_ANSWER, AttributeError, TypeError):
        return frozenset()
