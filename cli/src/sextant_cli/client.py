"""HTTP to the console: what the client's transport raises, as problems and exit statuses of the command."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import httpx
from pydantic import ValidationError
from sextant_client import transport
from sextant_client.errors import ApiError, BadAddress, BadBody, UnexpectedAnswer, Unreachable
from sextant_client.transport import PATIENCE_S, Params, Transport, path_of
from sextant_domain.problem import NextAction, Problem, problem_type

from sextant_cli.errors import CliError, Exit, error, refused
from sextant_cli.settings import Target

Answer: TypeAlias = transport.Answer[Any]
"""A good answer: the JSON body (None for 204) and the ETag for a later If-Match."""

__all__ = ["PATIENCE_S", "Answer", "Api", "Params", "path_of"]


class Api:
    """One console. Raises CliError for every answer that is not 2xx and for every failure to get one."""

    def __init__(self, target: Target) -> None:
        self.target = target
        with self._problems():
            self._transport = Transport(target.url, target.token, agent="sextant-cli")

    def get(self, path: str, params: Params | None = None, *, patience_s: float = PATIENCE_S) -> Answer:
        """One resource; `patience_s` is how long the console may take."""
        return self._send("GET", path, params=params, patience_s=patience_s)

    def text(self, path: str, params: Params) -> str:
        """What is no JSON: a table as CSV."""
        with self._problems():
            return self._transport.text(path, params)

    def pages(self, path: str, params: Params | None = None, most: int | None = None) -> dict[str, Any]:
        """A list as one page: all its items, or the first `most`."""
        with self._problems():
            return self._transport.pages(path, params, most)

    def post(
        self, path: str, body: Any = None, *, if_match: str | None = None, patience_s: float = PATIENCE_S
    ) -> Answer:
        """A write; a repeat after a lost answer has one effect."""
        return self._send("POST", path, body=body, if_match=if_match, patience_s=patience_s)

    def patch(self, path: str, body: Any, *, if_match: str | None) -> Answer:
        """A change of one resource as it was read."""
        return self._send("PATCH", path, body=body, if_match=if_match)

    def put(self, path: str, body: Any, *, if_match: str | None = None) -> Answer:
        """Say how a resource is to be; a repeat changes nothing."""
        return self._send("PUT", path, body=body, if_match=if_match)

    def delete(self, path: str, params: Params | None = None, *, if_match: str | None) -> Answer:
        """Removal of one resource as it was read."""
        return self._send("DELETE", path, params=params, if_match=if_match)

    def upload(self, path: str, params: Params, file: Path, size_bytes: int) -> Answer:
        """A file as the body of a POST."""
        with self._problems():
            return self._transport.upload(path, params, file, size_bytes)

    def download(self, path: str, digest: str, target: BinaryIO) -> None:
        """The bytes at `path` into `target`; raises CliError unless they have that digest."""
        with self._problems():
            found = self._transport.download(path, target)
        if digest != found:
            detail = f"{path} came as {found}; try again"
            raise error("wrong-digest", "The file was changed in transit", detail, Exit.FAILED)

    def probe(self, path: str) -> httpx.Response:
        """A GET whose status is the answer: health and readiness, without the API's prefix."""
        with self._problems():
            return self._transport.exchange("GET", path)

    def _send(self, method: str, path: str, **request: Any) -> Answer:
        with self._problems():
            return self._transport.send(method, path, **request)

    @contextmanager
    def _problems(self) -> Iterator[None]:
        try:
            yield
        except ApiError as cause:
            raise refused(_problem_of(cause)) from cause
        except Unreachable as cause:
            raise self._unreachable(str(cause)) from cause
        except BadAddress as cause:
            raise self._bad_address(str(cause)) from cause
        except BadBody as cause:
            detail = "JSON has no such number, so nothing was sent. Name a finite one."
            raise error("bad-number", "A number is infinite, or none", detail, Exit.BAD_INPUT) from cause
        except UnexpectedAnswer as cause:
            raise error("unexpected-answer", "The answer is not JSON", str(cause), Exit.UNREACHABLE) from cause

    def _unreachable(self, cause: str) -> CliError:
        return error(
            "console-unreachable",
            "The console does not answer",
            f"{self.target.url} (from {self.target.found_in}): {cause}",
            Exit.UNREACHABLE,
            next_actions=(
                NextAction(label="See what runs", command="make status"),
                NextAction(label="Start it", command="make up"),
            ),
        )

    def _bad_address(self, cause: str) -> CliError:
        return error(
            "bad-address",
            "The console's address is not a URL",
            f"'{self.target.url}' (from {self.target.found_in}): {cause}. Write it as http://127.0.0.1:8080",
            Exit.BAD_INPUT,
        )


def _problem_of(cause: ApiError) -> Problem:
    try:
        return Problem.model_validate(cause.problem)
    except ValidationError:
        return Problem(
            type=problem_type("unexpected-answer"),
            title=f"The console answered {cause.status} {cause.reason}",
            status=cause.status,
            detail=f"{cause.request} was not answered with problem+json; "
            "another program may be listening at this address",
        )
