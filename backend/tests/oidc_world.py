"""A real OpenID Connect provider, in a server of its own: what it was asked is kept, for tests of what was sent."""

import ssl
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit
from wsgiref.types import StartResponse, WSGIEnvironment

import httpx
from werkzeug.serving import make_server

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the provider is built on what Authlib calls deprecated
    import oidc_provider_mock


Wsgi = Callable[[WSGIEnvironment, StartResponse], Iterable[bytes]]
_PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Providers here speak HTTP. Without one httpx reads every authority that the machine trusts, at each request: that
takes as long as the rest of a test."""


@dataclass
class Provider:
    """A running provider."""

    issuer: str
    authorized: list[dict[str, str]] = field(default_factory=list)
    """Parameters of authorization requests."""
    exchanged: list[dict[str, str]] = field(default_factory=list)
    """Bodies of token requests, with `authorization` for the header."""

    def knows(self, subject: str, **claims: object) -> None:
        """From now on the claims are these."""
        answer = httpx.put(f"{self.issuer}/users/{subject}", json=claims, verify=_PLAIN)
        assert answer.status_code == 204, answer.text

    def registered(self, redirect_url: str) -> tuple[str, str]:
        """Id and secret of a new client, which may come back to that address alone."""
        answer = httpx.post(f"{self.issuer}/oauth2/clients", json={"redirect_uris": [redirect_url]}, verify=_PLAIN)
        assert answer.status_code == 201, answer.text
        return answer.json()["client_id"], answer.json()["client_secret"]

    def sign_in(self, address: str, subject: str) -> str:
        """What a person does there: says who they are. Returns where the provider sends the browser."""
        assert httpx.get(address, verify=_PLAIN).status_code == 200
        answer = httpx.post(address, data={"sub": subject}, verify=_PLAIN)
        assert answer.status_code == 302, answer.text
        return answer.headers["Location"]

    def decline(self, address: str) -> str:
        """The person presses Deny."""
        return httpx.post(address, data={"action": "deny"}, verify=_PLAIN).headers["Location"]


class _Kept:
    """Keeps what is asked, then hands it on."""

    def __init__(self, inner: Wsgi, provider: Provider) -> None:
        self._inner, self._provider = inner, provider

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if path == "/oauth2/authorize" and environ["REQUEST_METHOD"] == "GET":
            self._provider.authorized.append(_flat(environ["QUERY_STRING"]))
        if path == "/oauth2/token":
            body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            environ["wsgi.input"] = _Body(body)
            sent = {**_flat(body.decode()), "authorization": environ.get("HTTP_AUTHORIZATION", "")}
            self._provider.exchanged.append(sent)
        return self._inner(environ, start)


class _Body:
    def __init__(self, content: bytes) -> None:
        self._left = content

    def read(self, size: int = -1) -> bytes:
        cut = len(self._left) if size < 0 else size
        given, self._left = self._left[:cut], self._left[cut:]
        return given


def _flat(query: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(query).items()}


@contextmanager
def running_provider(**options: Any) -> Iterator[Provider]:
    """At a free port of this machine, until the block ends."""
    provider = Provider("")
    app = oidc_provider_mock.app(require_client_registration=True, require_nonce=True, **options)
    server = make_server("127.0.0.1", 0, _Kept(app.wsgi_app, provider), threaded=True)
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=60)
        assert not thread.is_alive()


def query_of(address: str) -> dict[str, str]:
    """The parameters of an address."""
    return _flat(urlsplit(address).query)
