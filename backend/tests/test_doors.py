"""One test for all doors: every operation of the document, without credentials."""

import json

from fastapi.testclient import TestClient
from open_doors import CONSOLE as OPEN
from paths_filled import filled
from sextant_backend import openapi
from sextant_backend.migrate import MIGRATIONS

WITHOUT_KEY = {
    "captureChainPackets",
    "login",
    "logout",
    "makeEnrolment",
    "predictChain",
    "predictChainSettings",
    "changePassword",
    "createToken",
    "createUser",
    "createChannel",
    "renewChannelSecret",
    "reportBrowserSpans",
    "resetPassword",
}
"""POSTs that take no Idempotency-Key: repeating them does no harm, or their answer may not be kept."""


def _operations() -> list[tuple[str, str, dict[str, object]]]:
    paths = openapi.document()["paths"]
    return [(method, path, operation) for path, methods in paths.items() for method, operation in methods.items()]


def test_committed_document_is_fresh() -> None:
    """`python -m sextant_backend openapi > docs/openapi.json` makes it so."""
    committed = (MIGRATIONS.parent / "docs" / "openapi.json").read_text()
    assert committed == openapi.text(), "docs/openapi.json is stale"
    assert openapi.text() == openapi.text()


def test_every_operation_refuses_a_stranger(app_client: TestClient) -> None:
    walked = 0
    for method, path, operation in _operations():
        if operation["operationId"] in OPEN:
            continue
        at = filled(path)
        for headers in ({}, {"Cookie": "sextant_session=made-up"}, {"Authorization": "Bearer sxt_made-up"}):
            answer = app_client.request(method, at, headers=headers)
            assert answer.status_code == 401, (method, at, headers, answer.text)
            assert answer.json()["type"] == "urn:sextant:problem:unauthenticated"
        walked += 1
    assert walked >= 12


def test_every_operation_is_named_and_says_how_it_refuses() -> None:
    names = []
    for method, path, operation in _operations():
        name = str(operation["operationId"])
        names.append(name)
        assert name.isalnum() and name[0].islower(), name
        responses = json.dumps(operation["responses"])
        assert "application/problem+json" in responses, path
        assert "HTTPValidationError" not in responses
        if name not in OPEN:
            assert operation["security"] == [{"session": []}, {"token": []}], path
        if method == "post" and name not in WITHOUT_KEY:
            assert "Idempotency-Key" in json.dumps(operation.get("parameters")), path
    assert len(set(names)) == len(names)


def test_live_event_has_a_name() -> None:
    event = openapi.document()["components"]["schemas"]["LiveEvent"]
    kinds = set(event["discriminator"]["mapping"])
    assert kinds == {
        "snapshot",
        "telemetry",
        "host",
        "host_gone",
        "chain",
        "chain_gone",
        "plan",
        "operation",
        "profiling",
        "recommendation",
        "alerts",
        "study",
        "study_gone",
    }
