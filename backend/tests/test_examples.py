"""Every body and every good answer of the contract has an example that fits its schema, and every body is one that a
console takes."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from console_world import an_inventory
from fastapi.testclient import TestClient
from httpx import Response
from jsonschema import Draft202012Validator
from paths_filled import filled
from referencing import Registry
from referencing.jsonschema import DRAFT202012
from sextant_backend.migrate import MIGRATIONS
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.reference.examples import JSON, examples
from sqlalchemy.orm import Session

DOCUMENT: dict[str, Any] = json.loads((MIGRATIONS.parent / "docs" / "openapi.json").read_text())
REGISTRY = Registry().with_resource("urn:contract", DRAFT202012.create_resource(DOCUMENT))
NONE = {
    ("uploadArtefact", "request"): "the bytes of a file",
    ("downloadArtefact", "200"): "the bytes of a file",
    ("streamEvents", "200"): "a stream without an end, whose events the schema names",
}
"""Bodies and answers without an example, each with the reason."""


def _operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            yield path, method.upper(), operation


def _bodies() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Operation, 'request' or status, and each media type's part of it."""
    for _, _, operation in _operations():
        name = operation["operationId"]
        for media in operation.get("requestBody", {}).get("content", {}).values():
            yield name, "request", media
        for status, answer in operation["responses"].items():
            if status.startswith("2"):
                for media in answer.get("content", {}).values():
                    yield name, status, media


def test_every_body_and_answer_has_an_example_that_fits() -> None:
    missing, wrong, found = set(), [], 0
    for name, place, media in _bodies():
        if "example" not in media:
            missing.add((name, place))
            continue
        schema = json.loads(json.dumps(media["schema"]).replace('"#/', '"urn:contract#/'))
        errors = Draft202012Validator(schema, registry=REGISTRY).iter_errors(media["example"])
        wrong += [(name, place, error.message[:200], list(error.absolute_path)) for error in errors]
        found += 1
    assert (missing, wrong) == (set(NONE), [])
    assert found > 180


def test_no_example_is_of_an_operation_that_has_gone() -> None:
    assert examples().keys() == {operation["operationId"] for _, _, operation in _operations()}


def test_examples_hold_no_secret() -> None:
    """Tokens of the console begin with sxt_; keys and certificates are PEM."""
    text = json.dumps(examples())
    assert "BEGIN " not in text.replace("BEGIN CERTIFICATE", "")
    assert text.count("sxt_") == text.count("sxt_EXAMPLE")


NOTHING = (404, "not-found")
"""The path's number names nothing in this console; the body has been judged by then."""
REFUSED = {
    "acknowledgeAlert": NOTHING,
    "applyPlan": NOTHING,
    "changeChannel": NOTHING,
    "decideRecommendation": NOTHING,
    "promoteFit": NOTHING,
    "steerProfilingJob": NOTHING,
    "captureChainPackets": (409, "chain-not-placed"),  # nobody has applied its plan
    "askForFit": (422, "validation"),  # nothing was profiled on hosts of that model
    "changePassword": (422, "validation"),  # it is not the password of who is signed in
    "injectFault": (503, "no-certificate"),  # nor a certificate that agents accept
    "login": (401, "unauthenticated"),
    "makeEnrolment": (503, "enrolment-unavailable"),  # this console has no fleet listener
    "setDemo": (409, "demo-unavailable"),  # nor was it started by make up
    "setIdentityProvider": (422, "identity-provider-unusable"),  # nobody answers at id.example.org
}
"""What is answered in the state that the console under test is in: no body's mistake."""
FIELDS_OF_STATE = {"askForFit": "host_model", "changePassword": "current_password"}
FIRST = ("predictChain", "submitChain", "registerNfType", "createUser")
LAST = ("revokeHost",)
NAMES = {
    "/chains/{name}": "/chains/web-edge",
    "/hosts/{host_id}": "/hosts/edge-1",
    "/nf-types/{name}": "/nf-types/edge-firewall",
    "/users/{name}": "/users/bert",
    "/policies/{law}/{scope}/{name}": "/policies/octans/host/edge-1",
}
"""What the examples before have made, in the place of what paths name."""


def _turn(operation: dict[str, Any]) -> int:
    name = operation["operationId"]
    return FIRST.index(name) - len(FIRST) if name in FIRST else int(name in LAST)


def _address(path: str) -> str:
    for pattern, present in NAMES.items():
        path = path.replace(pattern, present)
    return filled(path)


def _sent(client: TestClient, path: str, method: str, operation: dict[str, Any]) -> Response:
    address, headers = _address(path), {}
    if any(one["name"] == "If-Match" for one in operation.get("parameters", [])):
        read = address
        for of_it in ("/settings", "/reserved-cores", "/core-slots", "/anti-affinity"):
            read = read.removesuffix(of_it)
        headers["If-Match"] = client.get(read).headers.get("ETag", '"1"')
    body = examples()[operation["operationId"]]["request"]
    if operation["operationId"] == "createSilence":  # it ends within 30 days from now, and an example grows old
        body = {**body, "until": (datetime.now(UTC) + timedelta(hours=1)).isoformat()}
    return client.request(method, address, json=body, headers=headers)


@pytest.mark.as_admin
def test_a_console_takes_every_body(client: TestClient, session: Session) -> None:
    hosts.enrol(session, "edge-1", {"zone": "lab"})
    hosts.register(session, an_inventory("edge-1"), "https://127.0.0.1:9443")
    session.commit()
    sending = [one for one in _operations() if JSON in one[2].get("requestBody", {}).get("content", {})]
    assert len(sending) > 35
    for path, method, operation in sorted(sending, key=lambda one: _turn(one[2])):
        name = operation["operationId"]
        answer = _sent(client, path, method, operation)
        if name not in REFUSED:
            assert answer.is_success, (name, answer.text)
            continue
        assert not answer.is_success, name
        problem = answer.json()
        assert (answer.status_code, problem["type"].rpartition(":")[2]) == REFUSED[name], (name, answer.text)
        if name in FIELDS_OF_STATE:
            assert [error["field"] for error in problem["errors"]] == [FIELDS_OF_STATE[name]], name
