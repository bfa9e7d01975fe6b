"""The console as one of its clients: with the address and the token that the `sextant` command uses."""

import http.client
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from sextant_run.layout import DataLayout

_LIMIT_S = 20.0


class ConsoleError(Exception):
    """It did not answer, or refused; the message says which and why."""


@dataclass(frozen=True)
class ConsoleAnswer:
    """Status and JSON body."""

    status: int
    body: dict[str, Any]


def call(
    layout: DataLayout, method: str, path: str, body: object = None, *, version: int | None = None
) -> ConsoleAnswer:
    """One request below `/api/v1`, a change of something for that `version` of it; whatever the status. Raises
    ConsoleError where nobody answers."""
    try:
        known = json.loads(layout.cli_file.read_text())
        place = urlsplit(known["url"])
        headers = {"Authorization": f"Bearer {known['token']}", "Content-Type": "application/json"}
        if version is not None:
            headers["If-Match"] = f'"{version}"'
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=_LIMIT_S)
        try:
            sent = None if body is None else json.dumps(body)
            connection.request(method, f"/api/v1{path}", sent, headers)
            response = connection.getresponse()
            content = response.read(1 << 22)
            found = json.loads(content) if content else {}
        finally:
            connection.close()
    except (OSError, ValueError, KeyError, http.client.HTTPException) as error:
        raise ConsoleError(f"the console does not answer: {error or type(error).__name__}") from error
    return ConsoleAnswer(response.status, found if isinstance(found, dict) else {})


def good(answer: ConsoleAnswer) -> dict[str, Any]:
    """The body; raises ConsoleError with the cause where it was refused."""
    if answer.status >= 300:
        raise ConsoleError(f"the console refused ({answer.status}): {answer.body.get('detail', '')}")
    return answer.body
