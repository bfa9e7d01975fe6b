"""ID tokens that are not the provider's word about this sign-in, and providers that answer what cannot be used."""

import gzip
import hashlib
import hmac
import json
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from typing import Any

import pytest
from console_world import serving
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, RSAKey
from sextant_backend.modules.identity import provider
from sextant_backend.modules.identity.policy import Handshake
from sextant_backend.modules.identity.provider import Client, Metadata, NotProven, ProviderFailed
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

ISSUER = "https://id.example"
KEY = RSAKey.generate_key(2048, {"kid": "k1", "use": "sig"})
OTHER_KEY = RSAKey.generate_key(2048, {"kid": "k1", "use": "sig"})
CLIENT = Client(ISSUER, "sextant", "a secret of the client", "https://console.example/back", ("openid",))
HANDSHAKE = Handshake("a cookie")
METADATA = Metadata(
    issuer=ISSUER,
    authorization_endpoint=f"{ISSUER}/a",
    token_endpoint=f"{ISSUER}/t",
    jwks_uri=f"{ISSUER}/k",
    id_token_signing_alg_values_supported=("RS256", "HS256", "none"),
)


def claims(**changes: object) -> dict[str, Any]:
    """Good ones, but for the changes; None leaves one out."""
    now = int(time.time())
    good = {"iss": ISSUER, "aud": "sextant", "sub": "s-1", "iat": now, "exp": now + 300, "nonce": HANDSHAKE.nonce}
    return {name: value for name, value in {**good, **changes}.items() if value is not None}


def signed(body: dict[str, Any], key: Any = KEY, alg: str = "RS256") -> str:
    return jwt.encode({"alg": alg, "kid": "k1"}, body, key, algorithms=[alg])


def by_hmac(body: dict[str, Any], key: bytes) -> str:
    """HS256 by hand: joserfc does not take a public key for a secret."""
    parts = [urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in ({"alg": "HS256"}, body)]
    mac = hmac.new(key, b".".join(parts), hashlib.sha256).digest()
    return b".".join([*parts, urlsafe_b64encode(mac).rstrip(b"=")]).decode()


def proven(id_token: str) -> dict[str, Any]:
    keys = KeySet([RSAKey.import_key(KEY.as_dict(private=False))])
    return dict(provider.proven({"id_token": id_token, "access_token": "x"}, METADATA, CLIENT, HANDSHAKE, keys))


def test_a_good_token_says_who_it_is_about() -> None:
    assert proven(signed(claims(groups=["netops"])))["groups"] == ["netops"]


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://other.example"},
        {"iss": None},
        {"aud": "another-client"},
        {"aud": "another-client", "azp": "sextant"},
        {"aud": None},
        {"aud": ["sextant", "another-client"]},
        {"aud": ["sextant", "another-client"], "azp": "another-client"},
        {"exp": int(time.time()) - 61},
        {"exp": None},
        {"nbf": int(time.time()) + 600},
        {"nonce": "of another sign-in"},
        {"nonce": None},
        {"sub": None},
        {"sub": ""},
        {"sub": "s" * 256},
        {"sub": 7},
        {"at_hash": "of another access token"},
    ],
)
def test_claims_of_another_sign_in_prove_nothing(changes: dict[str, object]) -> None:
    with pytest.raises(NotProven):
        proven(signed(claims(**changes)))


def test_a_signature_of_anybody_else_proves_nothing() -> None:
    """By another key of the same name; by the client's secret, or by the public key taken for a secret, which everybody
    has; by none at all, though the discovery document allows HS256 and `none`."""
    public = by_hmac(claims(), KEY.as_pem(private=False))
    header = jwt.encode({"alg": "RS256", "kid": "k1"}, claims(), KEY, algorithms=["RS256"]).split(".")
    forged = [
        signed(claims(), OTHER_KEY),
        by_hmac(claims(), b"a secret of the client"),
        public,
        signed(claims(), ECKey.generate_key("P-256", {"kid": "k1"}), "ES256"),
        f"eyJhbGciOiJub25lIn0.{header[1]}.",
        f"{header[0]}.{header[1]}.",
        f"{header[0]}.{signed(claims(sub='s-2'), OTHER_KEY).split('.')[1]}.{header[2]}",
        "",
        "x.y.z",
    ]
    for token in forged:
        with pytest.raises(NotProven):
            proven(token)


def _document(issuer: str, **changes: object) -> dict[str, object]:
    ends = {"authorization_endpoint": "/a", "token_endpoint": "/t", "jwks_uri": "/k"}
    return {"issuer": issuer, **{name: issuer + path for name, path in ends.items()}, **changes}


def _odd(request: Request) -> Response:
    """What a provider answers whose issuer is /KIND."""
    kind = request.path_params["kind"]
    issuer = f"http://{request.headers['host']}/{kind}"
    match kind:
        case "large":
            return Response(b" " * (provider.MOST_BYTES + 1), media_type="application/json")
        case "compressed":
            body = gzip.compress(json.dumps(_document(issuer)).encode())
            return Response(body, headers={"Content-Encoding": "gzip"})
        case "elsewhere":
            return RedirectResponse("/good/.well-known/openid-configuration")
        case "broken":
            return Response("{", media_type="application/json")
        case "list":
            return Response("[]", media_type="application/json")
        case "failing":
            return Response("{}", 500)
        case "other":
            return Response(json.dumps(_document("https://other.example")))
        case "poor":
            return Response(json.dumps({"issuer": issuer}))
        case "file":
            return Response(json.dumps(_document(issuer, jwks_uri="file:///etc/passwd")))
    return Response(json.dumps(_document(issuer)))


@pytest.fixture(scope="module")
def odd() -> Iterator[str]:
    with serving(Starlette(routes=[Route("/{kind}/.well-known/openid-configuration", _odd)])) as port:
        yield f"http://127.0.0.1:{port}"


def test_a_good_document_is_taken(odd: str) -> None:
    assert provider.discover(f"{odd}/good").token_endpoint == f"{odd}/good/t"


@pytest.mark.parametrize(
    ("kind", "cause"),
    [
        ("large", "longer than 1048576 bytes"),
        ("compressed", "compresses its answer"),
        ("elsewhere", "answers 307"),
        ("broken", "cannot be read"),
        ("list", "no JSON object"),
        ("failing", "answers 500"),
        ("other", "names the issuer https://other.example"),
        ("poor", "lacks authorization_endpoint"),
        ("file", "an endpoint that is not https"),
        ("nothing/there", "answers 404"),
    ],
)
def test_an_odd_document_is_refused_with_its_cause(odd: str, kind: str, cause: str) -> None:
    with pytest.raises(ProviderFailed, match=cause):
        provider.discover(f"{odd}/{kind}")
