"""Imports of an agent without what no agent uses: a third of the CPU of its start."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer  # noqa: F401 - before Rich is barred, which writes its pages of help
from pydantic import BaseModel

_FOR_TERMINALS = "rich"
"""structlog and HTTPX load it with their own import wherever it is installed; nobody watches an agent's terminal."""


@contextmanager
def loading() -> Iterator[None]:
    """For imports. No search for cycles among what they make, then or later, since modules and models stay; no Rich; no
    validators of others' models before the first use, as `Frozen` has it for ours: those of FastAPI's OpenAPI
    document have none."""
    barred = _FOR_TERMINALS not in sys.modules
    if barred:
        sys.modules[_FOR_TERMINALS] = None  # type: ignore[assignment] # the import system's word for what is not to be had
    before = BaseModel.model_config.copy()
    BaseModel.model_config["defer_build"] = True
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.freeze()
        BaseModel.model_config = before
        if barred:
            sys.modules.pop(_FOR_TERMINALS, None)
