"""Every operation of the contract: unknown parameters are refused, methods are named, HEAD and If-None-Match hold."""

import re
from typing import Any

import httpx
import pytest
from console_world import SignIn, serving
from fastapi import FastAPI
from fastapi.testclient import TestClient
from paths_filled import filled
from sextant_backend import openapi, serve
from sextant_backend.app import console_app, fresh_state
from sextant_backend.settings import Settings
from sextant_domain.console.access import Role

METHODS = ("DELETE", "GET", "PATCH", "POST", "PUT")
STREAM = "/api/v1/events"
DOCUMENT = openapi.document()
OPERATIONS = [
    (method.upper(), path, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]
READS = [path for method, path, _ in OPERATIONS if method == "GET" and path != STREAM]


def _known(operation: dict[str, Any]) -> list[str]:
    return sorted(one["name"] for one in operation.get("parameters", ()) if one["in"] == "query")


def test_every_operation_refuses_a_parameter_that_it_does_not_know(sign_in: SignIn) -> None:
    """Beside one that it does know; the refusal names those that there are. Not where an identity provider sends the
    browser back to: it adds parameters of its own (`session_state`)."""
    client = sign_in(Role.ADMIN)
    for method, path, operation in OPERATIONS:
        if operation["operationId"] == "finishSignIn":
            continue
        known = _known(operation)
        answer = client.request(method, filled(path), params={"surprise": "1", **dict.fromkeys(known, "1")})
        assert answer.status_code == 422, (method, path, answer.text)
        (error,) = answer.json()["errors"]
        takes = f"it takes {', '.join(known)}" if known else "it takes no parameters"
        assert (error["field"], error["message"]) == ("query.surprise", f"unknown; {takes}"), (method, path)


def test_a_slip_is_answered_with_what_was_meant(client: TestClient) -> None:
    problem = client.get("/api/v1/plans?stat=ready&chian=web").json()
    assert [error["field"] for error in problem["errors"]] == ["query.stat", "query.chian"]
    assert [step["label"] for step in problem["next_actions"]] == [
        "Write state in the place of stat",
        "Write chain in the place of chian",
    ]
    takes = "after, chain, host, kind, limit, sort, state"
    assert f"/api/v1/plans does not know stat, chian; it takes {takes}" in problem["detail"]


def test_a_flood_of_parameters_is_answered_in_few_words(client: TestClient) -> None:
    query = "&".join(f"{number}{'x' * 100}=1" for number in range(500))
    answer = client.get(f"/api/v1/hosts?{query}")
    assert answer.status_code == 422 and len(answer.json()["errors"]) == 10 and len(answer.content) < 4000


def _takes(path: str) -> set[str]:
    """By the contract: /chains/imports is also a chain of that name."""
    found: set[str] = set()
    for template, methods in DOCUMENT["paths"].items():
        if re.fullmatch(re.sub(r"\{[a-z_]+\}", "[^/]+", template), path):
            found |= {method.upper() for method in methods}
    return found | ({"HEAD"} if "GET" in found and path != STREAM else set())


def test_every_path_says_which_methods_it_takes(app_client: TestClient) -> None:
    refused = 0
    for path in map(filled, DOCUMENT["paths"]):
        takes = _takes(path)
        for method in set(METHODS) - takes:
            answer = app_client.request(method, path)
            assert (answer.status_code, answer.headers.get("Allow")) == (405, ", ".join(sorted(takes))), (method, path)
            assert answer.json()["type"] == "urn:sextant:problem:method-not-allowed"
            refused += 1
    assert refused > 200


@pytest.mark.parametrize("method", [*METHODS, "HEAD", "OPTIONS"])
@pytest.mark.parametrize("path", ["/api", "/api/", "/api/v1", "/api/v1/nothing", "/api/v2/hosts", "/api/v1/hosts/a/b"])
def test_a_path_that_the_api_does_not_have_is_not_found(app_client: TestClient, method: str, path: str) -> None:
    answer = app_client.request(method, path)
    assert answer.status_code == 404 and answer.headers["content-type"] == "application/problem+json"


def test_head_answers_as_get_without_the_body(sign_in: SignIn) -> None:
    client = sign_in(Role.ADMIN)
    client.headers["Accept-Encoding"] = "identity"
    for path in [*READS, "/openapi.json", "/docs", "/metrics"]:
        read, head = (client.request(method, filled(path)) for method in ("GET", "HEAD"))
        assert head.status_code == read.status_code, path
        assert head.content == b"", path
        for name in ("content-type", "etag", "cache-control"):
            assert head.headers.get(name) == read.headers.get(name), (path, name)
        if path not in ("/metrics", "/api/v1/predictions") and read.status_code == 200:  # they change all the time
            assert head.headers["content-length"] == str(len(read.content)), path


def test_a_stream_has_no_head(client: TestClient) -> None:
    answer = client.head(STREAM)
    assert (answer.status_code, answer.headers["Allow"], answer.content) == (405, "GET", b"")


def test_head_leaves_its_connection_in_step(clean: Settings, application: FastAPI) -> None:
    """Over a real connection that is kept alive: what follows is the next answer, not a body that nobody read."""
    fresh_state(application)
    with (
        serving(application, **serve.console_options(clean)) as port,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client,
    ):
        for path in ("/docs", "/healthz", "/api/v1/hosts"):
            assert client.head(path).content == b""
            assert client.get("/healthz").json()["status"] == "ok"


@pytest.mark.parametrize("path", ["/api/v1/policy", "/api/v1/nf-types/firewall", "/openapi.json", "/docs"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_who_has_this_version_already_is_told_so(client: TestClient, path: str, method: str) -> None:
    first = client.get(path)
    tag = first.headers["ETag"]
    for has in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        again = client.request(method, path, headers={"If-None-Match": has})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
        assert "content-type" not in again.headers and "content-length" not in again.headers
        assert again.headers["cache-control"] == first.headers["cache-control"]
    assert client.get(path, headers={"If-None-Match": '"other"'}).content == first.content


def test_if_none_match_lets_nobody_in(app_client: TestClient) -> None:
    assert app_client.get("/api/v1/policy", headers={"If-None-Match": "*"}).status_code == 401


def test_health_takes_no_parameters(app_client: TestClient) -> None:
    assert [app_client.get(f"{path}?x=1").status_code for path in ("/healthz", "/readyz", "/metrics")] == [422] * 3


def test_the_console_has_routes_at_all() -> None:
    """Of whatever kind the framework keeps them: the walks above would else walk nothing."""
    from sextant_backend.kit.surface import Surface

    app: FastAPI = console_app(Settings(database_url="postgresql+psycopg://", redis_url="redis://"))
    assert len(Surface.of(app.routes).doors) >= len(OPERATIONS) > 80
