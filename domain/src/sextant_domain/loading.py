"""Imports of a process without what none of ours uses."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_FOR_TERMINALS = "rich"
"""structlog, HTTPX and Typer import it wherever it is installed; nobody watches a process' terminal."""


@contextmanager
def loading() -> Iterator[None]:
    """For imports and the making of an application. No search for cycles among what they make, then or later, since
    modules, routes and tables stay; no Rich; and of others' models, FastAPI's of the OpenAPI document above all, no
    validators before the first use, as `Frozen` has it for ours."""
    gc.disable()
    from pydantic import BaseModel  # here: a hundred modules of its own

    barred = _FOR_TERMINALS not in sys.modules
    if barred:
        sys.modules[_FOR_TERMINALS] = None  # type: ignore[assignment] # the import system's word for what is not to be had
    before = BaseModel.model_config.copy()
    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        gc.enable()
        gc.freeze()
        BaseModel.model_config = before
        if barred:
            with suppress(KeyError):
                del sys.modules[_FOR_TERMINALS]
