"""What can go wrong between a program and a console."""

from collections.abc import Mapping
from typing import Any


class ClientError(Exception):
    """Anything of the below."""


class BadAddress(ClientError):
    """The console's address is no URL."""


class BadBody(ClientError):
    """What was to be sent holds a number that JSON has not, infinite or none at all: nothing was sent."""


class Unreachable(ClientError):
    """No answer came, however often it was tried."""


class UnexpectedAnswer(ClientError):
    """A good status with a body that is not JSON: another program may be listening there."""


class ApiError(ClientError):
    """The console refused. `problem` is its problem+json (RFC 9457), or None where the body was something else."""

    def __init__(self, status: int, reason: str, problem: Mapping[str, Any] | None, request: str) -> None:
        super().__init__(problem["detail"] if problem else f"{request} was answered {status} {reason}")
        self.status = status
        self.reason = reason
        self.problem = problem
        self.request = request
        """Method and path."""

    @property
    def kind(self) -> str:
        """The last part of the problem's type: `stale-plan`; empty where there is no problem."""
        return str(self.problem["type"]).rpartition(":")[2] if self.problem else ""
