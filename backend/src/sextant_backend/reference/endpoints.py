"""GET /openapi.json and /docs: the contract of this very console, for tools and for people. No sign-in: it has no
secrets, and a program reads it before it has a token."""

import hashlib
import json
import threading
from functools import lru_cache
from importlib.resources import files

from fastapi import APIRouter, Response

from sextant_backend.kit.etag import set_etag
from sextant_backend.reference.page import page

router = APIRouter(include_in_schema=False)


@router.get("/openapi.json")
def contract() -> Response:
    """OpenAPI 3.1, byte for byte docs/openapi.json."""
    return _answer(_contract(), "application/json")


@router.get("/docs")
def reference() -> Response:
    """The same as a page."""
    return _answer(_page(), "text/html")


@router.get("/docs/reference.css")
def style() -> Response:
    """How the page looks."""
    return _answer(files(__package__).joinpath("reference.css").read_text(), "text/css")


def _answer(text: str, media_type: str) -> Response:
    response = Response(text, media_type=media_type, headers={"Cache-Control": "no-cache"})
    set_etag(response, hashlib.sha256(text.encode()).hexdigest()[:32])
    return response


_one_at_a_time = threading.RLock()
"""It is made when it is first asked for, which takes seconds: who asks meanwhile waits, and does not make it, too."""


def _contract() -> str:
    with _one_at_a_time:
        return _made_contract()


def _page() -> str:
    with _one_at_a_time:
        return _made_page()


@lru_cache(maxsize=1)
def _made_contract() -> str:
    from sextant_backend import openapi  # it imports the application, which imports this

    return openapi.text()


@lru_cache(maxsize=1)
def _made_page() -> str:
    return page(json.loads(_made_contract()))
