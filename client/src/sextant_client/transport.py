"""HTTP to a console: token, keys of idempotency, ETags, tries, pages and errors, for calls by path."""

import hashlib
import json
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Generic, Self, TypeVar
from urllib.parse import quote, urlsplit

import httpx

from sextant_client.errors import ApiError, BadAddress, BadBody, UnexpectedAnswer, Unreachable

PREFIX = "/api/v1"
PAGE_LIMIT = 200
TRIES = 3
PAUSE_S = 0.3
PATIENCE_S = 20.0
FILE_PATIENCE_S = 60.0
"""Between two parts of a file, and for the answer after the last."""
PART_BYTES = 1 << 18
MAX_PROBLEM_BYTES = 1 << 20

Params = Mapping[str, str | int | float | bool | Sequence[str] | None]
T = TypeVar("T")


@dataclass(frozen=True)
class Answer(Generic[T]):
    """A good answer: the body (None for 204) and the ETag for a later If-Match."""

    status: int
    body: T
    etag: str | None
    location: str | None = None


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


def filled(path: str, **fields: str | int) -> str:
    """A path of the contract with its fields filled in: `filled("/api/v1/chains/{name}", name="web")`."""
    return path.format(**{name: quote(str(value), safe="") for name, value in fields.items()})


class Transport:
    """One console. Raises a ClientError for every answer that is not 2xx and for every failure to get one."""

    def __init__(self, url: str, token: str | None = None, *, agent: str = "sextant-client") -> None:
        headers = {"Accept": "application/json", "User-Agent": agent}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        try:
            self._http = httpx.Client(
                base_url=url, headers=headers, timeout=PATIENCE_S, trust_env=not _is_loopback(url)
            )
        except (httpx.InvalidURL, ValueError) as cause:
            raise BadAddress(str(cause)) from cause

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End its connections."""
        self._http.close()

    def send(
        self,
        method: str,
        path: str,
        *,
        params: Params | None = None,
        body: Any = None,
        if_match: str | None = None,
        patience_s: float = PATIENCE_S,
    ) -> Answer[Any]:
        """A request with a JSON body, if any. A POST or PATCH goes under a fresh Idempotency-Key, so that a repeat
        after a lost answer has one effect."""
        headers = {"If-Match": if_match} if if_match else {}
        if method in ("POST", "PATCH"):
            headers["Idempotency-Key"] = str(uuid.uuid4())
        request: dict[str, Any] = {"headers": headers, "timeout": patience_s, "params": _given(params)}
        if body is not None:
            request["json"] = body
        return _answer(self.exchange(method, path, **request))

    def text(self, path: str, params: Params) -> str:
        """What is no JSON: a table as CSV."""
        response = self.exchange("GET", path, params=_given(params), headers={"Accept": "*/*"})
        if not response.is_success:
            raise _error_of(response)
        return response.text

    def pages(self, path: str, params: Params | None = None, most: int | None = None) -> dict[str, Any]:
        """A list as one page: all its items, or the first `most`."""
        items: list[Any] = []
        after: str | None = None
        while True:
            wanted = PAGE_LIMIT if most is None else min(PAGE_LIMIT, most - len(items))
            page = self.send("GET", path, params={**(params or {}), "limit": wanted, "after": after}).body
            items += page["items"]
            after = page["next"]
            if after is None or (most is not None and len(items) >= most):
                return {"items": items, "next": after}

    def upload(self, path: str, params: Params, file: Path, size_bytes: int) -> Answer[Any]:
        """A file as the body of a POST, under a key as any; it is read anew for every try."""
        headers = {
            "Idempotency-Key": str(uuid.uuid4()),
            "Content-Type": "application/octet-stream",
            "Content-Length": str(size_bytes),
        }
        request: dict[str, Any] = {"params": _given(params), "headers": headers, "timeout": FILE_PATIENCE_S}
        return _answer(self.exchange("POST", path, content=_Parts(file), **request))

    def download(self, path: str, target: BinaryIO) -> str:
        """The bytes at `path` into `target`, a part at a time; returns their digest, `sha256:...`."""
        found = hashlib.sha256()
        try:
            with self._http.stream("GET", path, timeout=FILE_PATIENCE_S) as response:
                if not response.is_success:
                    response.read()
                    raise _error_of(response)
                for part in response.iter_bytes():
                    found.update(part)
                    target.write(part)
        except httpx.HTTPError as cause:
            raise Unreachable(str(cause) or type(cause).__name__) from cause
        return f"sha256:{found.hexdigest()}"

    def exchange(self, method: str, path: str, **request: Any) -> httpx.Response:
        """The answer as it came, whatever its status; a connection that breaks is tried again."""
        for attempt in range(1, TRIES + 1):
            try:
                return self._http.request(method, path, **request)
            except (httpx.InvalidURL, httpx.UnsupportedProtocol) as cause:
                raise BadAddress(str(cause)) from cause
            except (httpx.ConnectError, httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError) as cause:
                # Safe to repeat: GET, PUT, POST and PATCH under one Idempotency-Key, and a DELETE bound to one ETag.
                if attempt == TRIES:
                    raise Unreachable(str(cause) or type(cause).__name__) from cause
                time.sleep(PAUSE_S)
            except httpx.HTTPError as cause:
                raise Unreachable(str(cause) or type(cause).__name__) from cause
            except ValueError as cause:  # the body became no JSON
                raise BadBody(str(cause)) from cause
        raise AssertionError("the last try either answers or raises")


def each(page_of: Callable[..., Answer[Any]], **asked: Any) -> Iterator[Any]:
    """Every item of a list, page by page: `each(client.list_chains, state="running")`."""
    after: str | None = None
    while True:
        page = page_of(**asked, limit=PAGE_LIMIT, after=after).body
        yield from page["items"]
        after = page["next"]
        if after is None:
            return


def _given(params: Params | None) -> dict[str, Any]:
    return {key: value for key, value in (params or {}).items() if value is not None}


def _is_loopback(url: str) -> bool:
    """Whether proxies of the environment must be left out."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _answer(response: httpx.Response) -> Answer[Any]:
    if not response.is_success:
        raise _error_of(response)
    headers = response.headers
    return Answer(response.status_code, _json_of(response), headers.get("ETag"), headers.get("Location"))


def _error_of(response: httpx.Response) -> ApiError:
    request = f"{response.request.method} {response.request.url.path}"
    return ApiError(response.status_code, response.reason_phrase, _problem_of(response.content), request)


def _problem_of(content: bytes) -> Mapping[str, Any] | None:
    """A problem, if that is what it is: only then may its fields be read."""
    if len(content) > MAX_PROBLEM_BYTES:
        return None
    try:
        problem = json.loads(content)
    except (ValueError, RecursionError):
        return None
    texts = ("type", "title", "detail")
    return problem if isinstance(problem, dict) and all(isinstance(problem.get(key), str) for key in texts) else None


def _json_of(response: httpx.Response) -> Any:
    if response.status_code == 204 or not response.content:
        return None
    try:
        return response.json()
    except ValueError as cause:
        said = f"{response.request.url} answered {response.status_code} with something else than JSON"
        raise UnexpectedAnswer(f"{said}; another program may be listening at this address") from cause
