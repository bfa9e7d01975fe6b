"""docs/openapi.json as tools see it: valid, with lists that say what is in them, and defaults that fit; and where the
console serves it."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from referencing import Registry
from referencing.jsonschema import DRAFT202012
from sextant_backend.app import console_app
from sextant_backend.kit.patterns import WORDS
from sextant_backend.migrate import MIGRATIONS
from sextant_backend.reference.page import page
from sextant_backend.settings import Settings

COMMITTED = (MIGRATIONS.parent / "docs" / "openapi.json").read_text()
DOCUMENT: dict[str, Any] = json.loads(COMMITTED)


def _schemas(value: object, pointer: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object of the document, with its JSON pointer; but what examples show are no schemas."""
    if isinstance(value, dict):
        yield pointer, value
        for key, inner in value.items():
            if key == "example":
                continue
            yield from _schemas(inner, f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from _schemas(inner, f"{pointer}/{at}")


def test_a_validator_of_openapi_finds_nothing() -> None:
    errors = [
        f"{list(error.absolute_path)}: {error.message}" for error in OpenAPIV31SpecValidator(DOCUMENT).iter_errors()
    ]
    assert not errors


def test_every_list_says_what_is_in_it() -> None:
    """JSON Schema lets `prefixItems` stand alone; generators and linters of OpenAPI refuse a list without `items`."""
    lists = [(where, found) for where, found in _schemas(DOCUMENT) if found.get("type") == "array"]
    assert len(lists) > 100
    assert [where for where, found in lists if not isinstance(found.get("items"), dict)] == []


def test_every_default_and_example_fits_its_schema() -> None:
    registry = Registry().with_resource("urn:contract", DRAFT202012.create_resource(DOCUMENT))
    judged = 0
    for where, found in _schemas(DOCUMENT):
        if not {"type", "$ref", "anyOf", "oneOf", "enum", "const", "allOf"} & found.keys():
            continue
        given = [found["default"]] if "default" in found else []
        given += found["examples"] if isinstance(found.get("examples"), list) else []
        for value in given:
            schema = {"$ref": f"urn:contract#{where}"}
            errors = [error.message for error in Draft202012Validator(schema, registry=registry).iter_errors(value)]
            assert not errors, (where, value, errors)
            judged += 1
    assert judged > 100


def test_the_console_serves_the_committed_contract(app_client: TestClient) -> None:
    answer = app_client.get("/openapi.json")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.text == COMMITTED


class _Page(HTMLParser):
    """What a page names."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.foreign: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.ids += [attributes["id"] or ""] if "id" in attributes else []
        self.links += [attributes[name] or "" for name in ("href", "src") if name in attributes]
        self.foreign += [tag] if tag in ("script", "style", "iframe", "img") or "style" in attributes else []
        self.foreign += [name for name in attributes if name.startswith("on")]
        if tag not in ("meta", "link", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_reference_shows_every_operation_and_schema_without_a_script(app_client: TestClient) -> None:
    answer = app_client.get("/docs")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    found = _Page()
    found.feed(answer.text)
    assert found.open == [] and found.foreign == []
    assert len(set(found.ids)) == len(found.ids)
    operations = {operation["operationId"] for methods in DOCUMENT["paths"].values() for operation in methods.values()}
    assert operations | {f"schema-{name}" for name in DOCUMENT["components"]["schemas"]} <= set(found.ids)
    anchors = {link[1:] for link in found.links if link.startswith("#")}
    assert anchors <= set(found.ids)
    assert {link for link in found.links if not link.startswith("#")} == {"/", "/openapi.json", "/docs/reference.css"}
    assert "`" not in answer.text and "<code>traffic.rate_mpps</code>" in answer.text
    style = app_client.get("/docs/reference.css")
    assert style.headers["content-type"] == "text/css; charset=utf-8" and "prefers-color-scheme: dark" in style.text
    assert not re.search(r"url\(|@import", style.text)


def test_every_pattern_of_the_contract_has_words_for_who_mistypes() -> None:
    patterns = {schema["pattern"] for _, schema in _schemas(DOCUMENT) if isinstance(schema.get("pattern"), str)}
    assert patterns and patterns <= set(WORDS)


def test_texts_of_the_contract_are_not_taken_for_html() -> None:
    operation = {
        "operationId": "x",
        "tags": ["<b>"],
        "description": "<script>alert(1)</script>",
        "parameters": [{"name": "<i>", "in": "query", "schema": {"type": "string", "default": "</td>"}}],
        "responses": {"200": {"description": "<u>"}},
    }
    made = page({"paths": {"/<s>": {"get": operation}}, "components": {"schemas": {"<q>": {"type": "<em>"}}}})
    assert not re.search(r"<(b|script|i|u|s|q|em)>", made)


def test_code_in_texts_is_shown_as_code_and_a_lone_backtick_as_itself() -> None:
    operation = {
        "operationId": "x",
        "tags": ["t"],
        "description": "Of `a <b>`.\n\nA lone ` stays.",
        "responses": {"204": {"description": "`data:` only"}},
    }
    made = page({"paths": {"/p": {"get": operation}}, "components": {"schemas": {}}})
    assert "<p>Of <code>a &lt;b&gt;</code>.</p><p>A lone ` stays.</p>" in made
    assert "<li><code>204</code> <code>data:</code> only</li>" in made


def test_other_pages_stay_with_the_console(clean: Settings, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("the page")
    with TestClient(console_app(clean.model_copy(update={"frontend_dir": tmp_path}))) as pages:
        assert [pages.get(path).text for path in ("/docs/x", "/openapi", "/nowhere?a=1", "/apis")] == ["the page"] * 4
        assert pages.head("/nowhere").status_code == 200
        assert pages.get("/docs").text.startswith("<!doctype html>")
        assert pages.post("/nowhere").headers["Allow"] == "GET, HEAD"


@pytest.mark.parametrize("path", ["/openapi.json", "/docs", "/docs/reference.css"])
def test_the_reference_needs_no_sign_in_and_takes_no_parameters(app_client: TestClient, path: str) -> None:
    assert (app_client.get(path).status_code, app_client.get(f"{path}?x=1").status_code) == (200, 422)
