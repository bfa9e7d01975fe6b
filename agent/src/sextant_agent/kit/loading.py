"""Imports without searches for cycles, and none among what they leave."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """For imports, of whose CPU a tenth would go into searches for cycles. Modules and models stay: no later search
    goes through them."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.freeze()
