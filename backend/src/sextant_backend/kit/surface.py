"""Which paths there are, by which methods, and what each may be asked: read off the routes, in one place."""

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from fastapi import HTTPException, Request
from fastapi.dependencies.models import Dependant
from fastapi.responses import Response
from fastapi.routing import APIRoute, iter_route_contexts
from sextant_domain.problem import FieldError, NextAction
from sse_starlette import EventSourceResponse
from starlette.routing import BaseRoute

from sextant_backend.kit.errors import MethodNotAllowed, NotFound, ValidationFailed, answer

ANY_PAGE = "/{path:path}"
"""The route that answers what no other does."""
_SHOWN = 80


@dataclass(frozen=True)
class Surface:
    """Paths as patterns, each with its methods. GET stands for HEAD, too, but of a stream, which has no end."""

    doors: tuple[tuple[re.Pattern[str], frozenset[str]], ...]
    operations: frozenset[tuple[str, str]] = frozenset()
    """Methods and paths, with the names of their parameters: `("GET", "/api/v1/hosts/{host_id}")`."""

    @classmethod
    def of(cls, routes: Iterable[BaseRoute]) -> "Surface":
        """Of an application's routes, included ones among them; `ANY_PAGE` is none."""
        found = [one for one in iter_route_contexts(list(routes)) if one.methods and one.path != ANY_PAGE]
        operations = frozenset((method, str(one.path)) for one in found for method in one.methods or ())
        return cls(tuple((one.path_regex, _methods(one)) for one in found), operations)

    def methods(self, path: str) -> list[str]:
        """What a path takes, in order; empty where there is no such path."""
        return sorted({name for pattern, names in self.doors if pattern.match(path) for name in names})


def _methods(route: Any) -> frozenset[str]:
    kind = getattr(route, "response_class", None)
    endless = isinstance(kind, type) and issubclass(kind, EventSourceResponse)
    return frozenset(route.methods) | ({"HEAD"} if "GET" in route.methods and not endless else set())


def surface(request: Request) -> Surface:
    """The application's, read once."""
    state = request.app.state
    if not hasattr(state, "surface"):
        state.surface = Surface.of(request.app.routes)
    found: Surface = state.surface
    return found


def is_api(path: str) -> bool:
    """Whether it is the API's, and so never one of the browser's pages."""
    return path.strip("/").split("/", 1)[0] == "api"


def unknown_path(request: Request) -> HTTPException:
    """What becomes of a path of the API that nothing answers by this method."""
    return HTTPException(405 if surface(request).methods(request.url.path) else 404)


def wrong_method(request: Request, _error: Exception) -> Response:
    """405 with all methods that the path takes, whichever routes are behind it; 404 where the API has no such path."""
    path = request.url.path
    allowed = surface(request).methods(path)
    if not allowed and is_api(path):
        return answer(NotFound(f"There is no {path}."), request)
    names = ", ".join(allowed or ("GET", "HEAD"))
    return answer(
        MethodNotAllowed(f"{path} does not take {request.method}; it takes {names}.", headers={"Allow": names}), request
    )


async def known_query(request: Request) -> None:
    """Dependency of every router: a query parameter that the route does not know is refused, never ignored, since
    `?status=failed` would be answered with everything. It waits for nothing, so it needs no thread of the pool."""
    route = request.scope.get("route")
    if not request.query_params or not isinstance(route, APIRoute):
        return
    known = sorted(set(_query(route.dependant)))
    unknown = [name for name in dict.fromkeys(request.query_params.keys()) if name not in known]
    if not unknown:
        return
    takes = f"it takes {', '.join(known)}" if known else "it takes no parameters"
    names = ", ".join(name[:_SHOWN] for name in unknown[:3])
    raise ValidationFailed(
        f"{request.url.path} does not know {names}; {takes}. Nothing was changed.",
        errors=[FieldError(field=f"query.{name[:_SHOWN]}", message=f"unknown; {takes}") for name in unknown[:10]],
        next_actions=[
            NextAction(label=f"Write {near[0]} in the place of {name[:_SHOWN]}")
            for name in unknown[:3]
            if (near := difflib.get_close_matches(name[:_SHOWN], known, n=1))
        ],
    )


def _query(dependant: Dependant) -> Iterator[str]:
    """Of an endpoint and of everything it depends on."""
    yield from (field.alias for field in dependant.query_params)
    for inner in dependant.dependencies:
        yield from _query(inner)
