"""GET /openapi.json and /docs: the contract of this very console, for tools and for people. No sign-in: it has no
secrets, and a program reads it before it has a token."""

import hashlib
import json
import threading
from functools import lru_cache
from importlib.resources import files

from fastapi import APIRouter, FastAPI, Request, Response

from sextant_backend.kit.etag import set_etag
from sextant_backend.kit.routes import LateRoute
from sextant_backend.reference import contract
from sextant_backend.reference.page import page

router = APIRouter(include_in_schema=False, route_class=LateRoute)


@router.get("/openapi.json")
def openapi(request: Request) -> Response:
    """OpenAPI 3.1, byte for byte docs/openapi.json."""
    return _answer(_contract(request.app), "application/json")


@router.get("/docs")
def reference(request: Request) -> Response:
    """The same as a page."""
    return _answer(_page(request.app), "text/html")


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


def _contract(app: FastAPI) -> str:
    with _one_at_a_time:
        return _made_contract(app)


def _page(app: FastAPI) -> str:
    with _one_at_a_time:
        return _made_page(app)


@lru_cache(maxsize=1)
def _made_contract(app: FastAPI) -> str:
    return contract.text(app)


@lru_cache(maxsize=1)
def _made_page(app: FastAPI) -> str:
    return page(json.loads(_made_contract(app)))
