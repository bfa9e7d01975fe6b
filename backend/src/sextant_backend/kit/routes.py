"""Routes of our listeners, which read the signatures of their endpoints once one of them is asked for.

FastAPI makes what a route needs (of every parameter, body and answer a model with its validators) when the route is
declared, and again, of an included router, at the first request. Of all that the console has, the first was a fifth of
the CPU of its start, and the second held that request up as long. Most processes are asked for few.
"""

import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Self

from fastapi import APIRouter, Depends
from fastapi.routing import APIRoute
from pydantic.warnings import UnsupportedFieldAttributeWarning
from starlette.routing import compile_path, get_name

# FastAPI ignores it as well, while it declares a parameter; validators of our models are built after that.
warnings.filterwarnings("ignore", message="The 'alias' attribute", category=UnsupportedFieldAttributeWarning)

_ONE_AT_A_TIME = threading.RLock()
"""The document of all routes is made by a thread, while requests go on."""


class LateRoute(APIRoute):
    """In `route_class=LateRoute` of every router. Path and methods, by which requests find it, are there at once."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        """`options`: as FastAPI's routers give them to their routes."""
        self.path, self.endpoint, self._options = path, endpoint, options
        self.name = options["name"] or get_name(endpoint)
        self.methods = {method.upper() for method in options["methods"]}
        self.include_in_schema = options["include_in_schema"]
        self.response_class = options["response_class"]

    def __getattr__(self, name: str) -> Any:
        """What is not there yet, with all that FastAPI makes at the same time."""
        with _ONE_AT_A_TIME:
            if name in ("path_regex", "path_format", "param_convertors") and name not in vars(self):
                self.path_regex, self.path_format, self.param_convertors = compile_path(self.path)
            elif (options := vars(self).pop("_options", None)) is not None:
                super().__init__(self.path, self.endpoint, **options)
        return object.__getattribute__(self, name)

    def under(self, prefix: str, *dependencies: Callable[..., Any]) -> Self:
        """The same route at a longer path, with dependencies before its own."""
        options = {**self._options}
        options["dependencies"] = [*map(Depends, dependencies), *options["dependencies"]]
        return type(self)(prefix + self.path, self.endpoint, **options)


def routes_of(router: APIRouter, prefix: str = "", *dependencies: Callable[..., Any]) -> Iterator[LateRoute]:
    """Those of a router, under a prefix and behind dependencies; TypeError where one is no LateRoute."""
    for route in router.routes:
        if not isinstance(route, LateRoute):
            raise TypeError(f"{route} is made at once: its router needs route_class=LateRoute")
        yield route.under(prefix, *dependencies)
