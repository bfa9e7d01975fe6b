"""The console of an installation, asked as programs ask it."""

import json
import time
import urllib.request
import uuid
from collections.abc import Callable
from typing import Any

from installation import BenchInstallation

LOOK_S = 0.05
LIMIT_S = 120.0


class Console:
    """The API of an installation."""

    def __init__(self, installation: BenchInstallation) -> None:
        known = installation.read("cli.json")
        self._url, self._token = known["url"], known["token"]

    def call(self, method: str, path: str, body: object = None, if_match: int | None = None) -> Any:
        """The answer's JSON. Raises urllib.error.HTTPError. `if_match`: the version that is changed."""
        headers = {"authorization": f"Bearer {self._token}", "content-type": "application/json"}
        if method == "POST":
            headers["idempotency-key"] = str(uuid.uuid4())
        if if_match is not None:
            headers["if-match"] = f'"{if_match}"'
        data = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(f"{self._url}/api/v1{path}", data, headers, method=method)
        with urllib.request.urlopen(asked, timeout=30) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def operations(self) -> list[Any]:
        """The newest twenty."""
        items: list[Any] = self.call("GET", "/operations?limit=20")["items"]
        return items


def until(found: Callable[[], Any], what: str, limit_s: float = LIMIT_S) -> Any:
    """The first answer that is something. Raises RuntimeError where none comes in time."""
    ends = time.monotonic() + limit_s
    while time.monotonic() < ends:
        answer = found()
        if answer:
            return answer
        time.sleep(LOOK_S)
    raise RuntimeError(f"waited {limit_s:.0f} s in vain for {what}")
