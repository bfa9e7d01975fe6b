"""The API's contract as it is committed in docs/openapi.json: of a console whose settings are the defaults."""

from typing import Any

from fastapi import FastAPI

from sextant_backend.app import console_app
from sextant_backend.reference import contract
from sextant_backend.settings import Settings


def document() -> dict[str, Any]:
    """OpenAPI 3.1 of the console."""
    return contract.document(_console())


def text() -> str:
    """The same as text, byte for byte as it is committed."""
    return contract.text(_console())


def _console() -> FastAPI:
    return console_app(Settings(database_url="postgresql+psycopg://", redis_url="redis://"))
