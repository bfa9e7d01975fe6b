"""The talk with a provider: its discovery document, a code for tokens, who the ID token is about.

Authlib makes the requests of OAuth and judges the claims, joserfc the signature. Whatever the provider sends is
bounded, and nothing that it says leads to an address of another kind than its issuer's.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote_plus, urlsplit

import httpx
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.client import OAuth2Client
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sextant_backend.modules.identity.policy import Handshake, claim

TIMEOUT_S = 5.0
WHOLE_LIMIT_S = 10.0
MOST_BYTES = 1_048_576
LEEWAY_S = 60
_SIGNATURES = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"})
"""By a key that only the provider has; never `none`, nor an HMAC under the client's secret."""
_DISCOVERY = "/.well-known/openid-configuration"


class ProviderFailed(Exception):
    """It could not be reached, or answered what cannot be used: the cause, and no secret."""


class NotProven(Exception):
    """What it sent does not prove who the user is."""


class Metadata(BaseModel):
    """What is used of a discovery document."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None = None
    id_token_signing_alg_values_supported: tuple[str, ...] = ("RS256",)
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)
    code_challenge_methods_supported: tuple[str, ...] = Field(default=())


@dataclass(frozen=True)
class Client:
    """The console as the provider knows it."""

    issuer: str
    client_id: str
    client_secret: str | None
    redirect_url: str
    scopes: tuple[str, ...]


def discover(issuer: str) -> Metadata:
    """The provider's document; raises ProviderFailed."""
    with _talk() as http:
        return _discovered(http, issuer)


def authorization_url(client: Client, handshake: Handshake) -> str:
    """Where the browser goes to sign in; raises ProviderFailed."""
    metadata = discover(client.issuer)
    oauth = OAuth2Client(
        None,
        client.client_id,
        scope=" ".join(client.scopes),
        redirect_uri=client.redirect_url,
        code_challenge_method="S256",
    )
    url: str
    url, _state = oauth.create_authorization_url(
        metadata.authorization_endpoint,
        state=handshake.state,
        code_verifier=handshake.verifier,
        nonce=handshake.nonce,
    )
    return url


def claims_of(client: Client, handshake: Handshake, code: str, wanted: tuple[str, ...]) -> Mapping[str, Any]:
    """Who a code is about; of `wanted` claims those that the ID token lacks come from the userinfo endpoint. Raises
    ProviderFailed and NotProven."""
    with _talk() as http:
        metadata = _discovered(http, client.issuer)
        tokens = _tokens(http, metadata, client, handshake, code)
        claims = proven(tokens, metadata, client, handshake, _keys(http, metadata.jwks_uri))
        if metadata.userinfo_endpoint and any(claim(claims, name) is None for name in wanted):
            more = _json(http, metadata.userinfo_endpoint, {"Authorization": f"Bearer {tokens['access_token']}"})
            if more.get("sub") != claims["sub"]:
                raise NotProven("the userinfo endpoint speaks of another subject than the ID token")
            return {**more, **claims}
        return claims


def _discovered(http: httpx.Client, issuer: str) -> Metadata:
    found = _json(http, issuer.rstrip("/") + _DISCOVERY)
    try:
        metadata = Metadata.model_validate(found)
    except ValidationError as error:
        fields = ", ".join(".".join(map(str, one["loc"])) for one in error.errors(include_input=False)[:3])
        raise ProviderFailed(f"its discovery document lacks {fields}, or has them in another form") from None
    if metadata.issuer != issuer:
        raise ProviderFailed(f"its discovery document names the issuer {metadata.issuer[:200]}")
    secure = urlsplit(issuer).scheme == "https"
    for url in (
        metadata.authorization_endpoint,
        metadata.token_endpoint,
        metadata.jwks_uri,
        metadata.userinfo_endpoint,
    ):
        if url is not None and urlsplit(url).scheme not in (("https",) if secure else ("https", "http")):
            raise ProviderFailed("its discovery document names an endpoint that is not https")
    return metadata


def _tokens(
    http: httpx.Client, metadata: Metadata, client: Client, handshake: Handshake, code: str
) -> Mapping[str, Any]:
    oauth = OAuth2Client(http, client.client_id, redirect_uri=client.redirect_url)
    more: dict[str, str] = {"code": code, "code_verifier": handshake.verifier}
    auth = httpx.Auth()
    if client.client_secret is None:
        more["client_id"] = client.client_id
    elif "client_secret_basic" in metadata.token_endpoint_auth_methods_supported:
        auth = httpx.BasicAuth(quote_plus(client.client_id), quote_plus(client.client_secret))  # RFC 6749, 2.3.1
    else:
        more |= {"client_id": client.client_id, "client_secret": client.client_secret}
    with _failures():
        tokens = oauth.fetch_token(metadata.token_endpoint, auth=auth, grant_type="authorization_code", **more)
    if not isinstance(tokens.get("id_token"), str) or not isinstance(tokens.get("access_token"), str):
        raise NotProven("the token endpoint's answer has no ID token")
    found: Mapping[str, Any] = tokens
    return found


def proven(
    tokens: Mapping[str, Any], metadata: Metadata, client: Client, handshake: Handshake, keys: KeySet
) -> Mapping[str, Any]:
    """The claims of an ID token that is the provider's, for this client, of this sign-in; raises NotProven."""
    algorithms = sorted(_SIGNATURES & set(metadata.id_token_signing_alg_values_supported))
    options = {
        "iss": {"essential": True, "value": client.issuer},
        "aud": {"essential": True, "value": client.client_id},
        "sub": {"essential": True},
    }
    params = {"nonce": handshake.nonce, "client_id": client.client_id, "access_token": tokens["access_token"]}
    try:
        token = jwt.decode(tokens["id_token"], keys, algorithms=algorithms)
        claims = CodeIDToken(token.claims, token.header, options, params)
        claims.validate(leeway=LEEWAY_S)
    except (JoseError, ValueError, KeyError, TypeError) as error:
        raise NotProven(f"the ID token is refused: {str(error)[:200] or type(error).__name__}") from None
    if not isinstance(claims["sub"], str) or not 1 <= len(claims["sub"]) <= 255:
        raise NotProven("the ID token's subject is no text of at most 255 characters")
    return dict(claims)


def _keys(http: httpx.Client, url: str) -> KeySet:
    try:
        return KeySet.import_key_set(_json(http, url))  # type: ignore[arg-type]
    except (JoseError, ValueError, KeyError, TypeError) as error:
        raise ProviderFailed(f"its keys cannot be read: {type(error).__name__}") from None


def _json(http: httpx.Client, url: str, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    with _failures():
        answer = http.get(url, headers=dict(headers or {}))
        if answer.status_code != 200:
            raise ProviderFailed(f"{url} answers {answer.status_code}")
        found = answer.json()
    if not isinstance(found, dict):
        raise ProviderFailed(f"{url} answers with no JSON object")
    return found


@contextmanager
def _failures() -> Iterator[None]:
    try:
        yield
    except OAuth2Error as error:
        said = f"{error.error}: {error.description}" if error.description else str(error.error)
        raise ProviderFailed(f"its token endpoint says {said[:200]}") from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ProviderFailed(f"it cannot be reached: {str(error)[:200] or type(error).__name__}") from None
    except ValueError as error:
        raise ProviderFailed(f"its answer cannot be read: {str(error)[:200]}") from None


@contextmanager
def _talk() -> Iterator[httpx.Client]:
    """Redirects are not followed: no address of a provider moves."""
    transport = _Bounded(httpx.HTTPTransport(trust_env=True))
    headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
    with httpx.Client(transport=transport, timeout=TIMEOUT_S, headers=headers) as http:
        yield http


class _Bounded(httpx.BaseTransport):
    """Answers of at most MOST_BYTES, whole within WHOLE_LIMIT_S."""

    def __init__(self, inner: httpx.BaseTransport) -> None:
        self._inner = inner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self._inner.handle_request(request)
        if answer.headers.get("Content-Encoding", "identity") != "identity":
            raise httpx.DecodingError("it compresses its answer, unasked", request=request)
        return httpx.Response(answer.status_code, headers=answer.headers, stream=_Few(answer), request=request)

    def close(self) -> None:
        self._inner.close()


class _Few(httpx.SyncByteStream):
    def __init__(self, answer: httpx.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        began, had = time.monotonic(), 0
        for part in self._answer.iter_raw():
            had += len(part)
            if had > MOST_BYTES or time.monotonic() - began > WHOLE_LIMIT_S:
                raise httpx.ReadError(f"its answer is longer than {MOST_BYTES} bytes or {WHOLE_LIMIT_S:.0f} s")
            yield part

    def close(self) -> None:
        self._answer.close()
