"""Sextant's API for Python programs.

`Client` has a method for every operation of the API, typed by its contract; `Transport` sends requests by path. Both
raise `ApiError` for what is refused and `Unreachable` where no answer comes.
"""

from typing import TYPE_CHECKING, Any

from sextant_client.errors import ApiError, BadAddress, BadBody, ClientError, UnexpectedAnswer, Unreachable
from sextant_client.transport import Answer, Transport

if TYPE_CHECKING:
    from sextant_client.generated.operations import Client

__all__ = [
    "Answer",
    "ApiError",
    "BadAddress",
    "BadBody",
    "Client",
    "ClientError",
    "Transport",
    "UnexpectedAnswer",
    "Unreachable",
]


def __getattr__(name: str) -> Any:
    """The generated part is imported by whoever uses it: a command that starts for one request does not."""
    if name == "Client":
        from sextant_client.generated.operations import Client

        return Client
    raise AttributeError(name)
