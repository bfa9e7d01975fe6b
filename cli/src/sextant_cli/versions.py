"""Changes of one resource, each bound to the version that was read."""

from collections.abc import Callable

from sextant_cli.client import Answer, Params
from sextant_cli.errors import CliError
from sextant_cli.session import Session

MAX_READS = 3


def as_it_is(session: Session, path: str, change: Callable[[Answer], Answer], query: Params | None = None) -> Answer:
    """The operator names a thing, not a version: read again where it changed between reading and changing."""
    for remaining in reversed(range(MAX_READS)):
        try:
            return change(session.api.get(path, query))
        except CliError as cause:
            if cause.kind != "precondition-failed" or remaining == 0:
                raise
    raise AssertionError("the last read either returns or raises")
