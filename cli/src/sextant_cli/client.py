"""HTTP to the console: problems become errors, pages become lists, POSTs carry an idempotency key."""

import hashlib
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote, urlsplit

import httpx
from pydantic import ValidationError
from sextant_domain.problem import NextAction, Problem, problem_type

from sextant_cli.errors import CliError, Exit, error, refused
from sextant_cli.settings import Target

PREFIX = "/api/v1"
PAGE_LIMIT = 200
TRIES = 3
PAUSE_S = 0.3
PATIENCE_S = 20.0
FILE_PATIENCE_S = 60.0
"""Between two parts of a file, and for the answer after the last."""
PART_BYTES = 1 << 18

Params = Mapping[str, str | int | Sequence[str] | None]


@dataclass(frozen=True)
class Answer:
    """A good answer: the JSON body (None for 204) and the ETag for a later If-Match."""

    status: int
    body: Any
    etag: str | None


class _Parts:
    """A file's bytes; every iteration reads it from the start."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __iter__(self) -> Iterator[bytes]:
        with self._file.open("rb") as stream:
            while part := stream.read(PART_BYTES):
                yield part


def path_of(*parts: str | int) -> str:
    """An API path; every part is percent-encoded, so a name cannot reach another route."""
    return PREFIX + "".join(f"/{quote(str(part), safe='')}" for part in parts)


class Api:
    """One console. Raises CliError for every answer that is not 2xx and for every failure to get one."""

    def __init__(self, target: Target) -> None:
        self.target = target
        headers = {"Accept": "application/json", "User-Agent": "sextant-cli"}
        if target.token:
            headers["Authorization"] = f"Bearer {target.token}"
        try:
            self._http = httpx.Client(
                base_url=target.url, headers=headers, timeout=PATIENCE_S, trust_env=not _is_loopback(target.url)
            )
        except (httpx.InvalidURL, ValueError) as cause:
            raise self._bad_address(str(cause)) from cause

    def get(self, path: str, params: Params | None = None, *, patience_s: float = PATIENCE_S) -> Answer:
        """One resource; `patience_s` is how long the console may take."""
        return self._send("GET", path, params=params, timeout=patience_s)

    def text(self, path: str, params: Params) -> str:
        """What is no JSON: a table as CSV."""
        given = {key: value for key, value in params.items() if value is not None}
        response = self._exchange("GET", path, params=given, headers={"Accept": "*/*"})
        if not response.is_success:
            raise refused(_problem_of(response))
        return response.text

    def pages(self, path: str, params: Params | None = None, most: int | None = None) -> dict[str, Any]:
        """A list as one page: all its items, or the first `most`."""
        items: list[Any] = []
        after: str | None = None
        while True:
            wanted = PAGE_LIMIT if most is None else min(PAGE_LIMIT, most - len(items))
            page = self.get(path, {**(params or {}), "limit": wanted, "after": after}).body
            items += page["items"]
            after = page["next"]
            if after is None or (most is not None and len(items) >= most):
                return {"items": items, "next": after}

    def post(
        self, path: str, body: Any = None, *, if_match: str | None = None, patience_s: float = PATIENCE_S
    ) -> Answer:
        """A write under a fresh Idempotency-Key, so that a repeat after a lost answer has one effect."""
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        if if_match is not None:
            headers["If-Match"] = if_match
        return self._send("POST", path, json=body, headers=headers, timeout=patience_s)

    def patch(self, path: str, body: Any, *, if_match: str | None) -> Answer:
        """A change of one resource as it was read, under a fresh Idempotency-Key."""
        headers = {"Idempotency-Key": str(uuid.uuid4()), **({"If-Match": if_match} if if_match else {})}
        return self._send("PATCH", path, json=body, headers=headers)

    def put(self, path: str, body: Any, *, if_match: str | None = None) -> Answer:
        """Say how a resource is to be; a repeat changes nothing."""
        return self._send("PUT", path, json=body, headers={"If-Match": if_match} if if_match else {})

    def upload(self, path: str, params: Params, file: Path, size_bytes: int) -> Answer:
        """A file as the body of a POST, under a key as any; it is read anew for every try."""
        headers = {
            "Idempotency-Key": str(uuid.uuid4()),
            "Content-Type": "application/octet-stream",
            "Content-Length": str(size_bytes),
        }
        return self._send("POST", path, params=params, headers=headers, content=_Parts(file), timeout=FILE_PATIENCE_S)

    def download(self, path: str, digest: str, target: BinaryIO) -> None:
        """The bytes at `path` into `target`, a part at a time; raises CliError unless they have that digest."""
        found = hashlib.sha256()
        try:
            with self._http.stream("GET", path, timeout=FILE_PATIENCE_S) as response:
                if not response.is_success:
                    response.read()
                    raise refused(_problem_of(response))
                for part in response.iter_bytes():
                    found.update(part)
                    target.write(part)
        except httpx.HTTPError as cause:
            raise self._unreachable(str(cause) or type(cause).__name__) from cause
        if digest != f"sha256:{found.hexdigest()}":
            detail = f"{path} came as sha256:{found.hexdigest()}; try again"
            raise error("wrong-digest", "The file was changed in transit", detail, Exit.FAILED)

    def delete(self, path: str, *, if_match: str | None) -> Answer:
        """Removal of one resource as it was read."""
        return self._send("DELETE", path, headers={"If-Match": if_match} if if_match else {})

    def probe(self, path: str) -> httpx.Response:
        """A GET whose status is the answer: health and readiness, without the API's prefix."""
        return self._exchange("GET", path)

    def _send(self, method: str, path: str, **request: Any) -> Answer:
        if request.get("params"):
            request["params"] = {key: value for key, value in request["params"].items() if value is not None}
        response = self._exchange(method, path, **request)
        if not response.is_success:
            raise refused(_problem_of(response))
        return Answer(response.status_code, _json_of(response), response.headers.get("ETag"))

    def _exchange(self, method: str, path: str, **request: Any) -> httpx.Response:
        for attempt in range(1, TRIES + 1):
            try:
                return self._http.request(method, path, **request)
            except (httpx.InvalidURL, httpx.UnsupportedProtocol) as cause:
                raise self._bad_address(str(cause)) from cause
            except (httpx.ConnectError, httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError) as cause:
                # Safe to repeat: GET, PUT, POST and PATCH under one Idempotency-Key, and a DELETE bound to one ETag.
                if attempt == TRIES:
                    raise self._unreachable(str(cause) or type(cause).__name__) from cause
                time.sleep(PAUSE_S)
            except httpx.HTTPError as cause:
                raise self._unreachable(str(cause) or type(cause).__name__) from cause
        raise AssertionError("the last try either answers or raises")

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


def _is_loopback(url: str) -> bool:
    """Whether proxies of the environment must be left out."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _problem_of(response: httpx.Response) -> Problem:
    try:
        return Problem.model_validate_json(response.content)
    except ValidationError:
        return Problem(
            type=problem_type("unexpected-answer"),
            title=f"The console answered {response.status_code} {response.reason_phrase}",
            status=response.status_code,
            detail=f"{response.request.method} {response.request.url.path} was not answered with problem+json; "
            "another program may be listening at this address",
        )


def _json_of(response: httpx.Response) -> Any:
    if response.status_code == 204 or not response.content:
        return None
    try:
        return response.json()
    except ValueError as cause:
        raise error(
            "unexpected-answer",
            "The answer is not JSON",
            f"{response.request.url} answered {response.status_code} with something else; "
            "another program may be listening at this address",
            Exit.UNREACHABLE,
        ) from cause
