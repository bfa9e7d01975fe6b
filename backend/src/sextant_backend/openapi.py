"""The API's contract as it is committed in docs/openapi.json: of a console whose settings are the defaults."""

import json
from functools import cache
from typing import Any

from sextant_backend.app import console_app
from sextant_backend.reference import contract
from sextant_backend.settings import Settings


def document() -> dict[str, Any]:
    """OpenAPI 3.1 of the console."""
    made: dict[str, Any] = json.loads(text())
    return made


@cache
def text() -> str:
    """The same as text, byte for byte as it is committed. Made once a process: it takes a second of CPU time."""
    return contract.text(console_app(Settings(database_url="postgresql+psycopg://", redis_url="redis://")))
