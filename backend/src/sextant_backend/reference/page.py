"""The contract as a page for people: plain HTML without a script, since the console allows none from elsewhere."""

import json
import re
from html import escape
from typing import Any

_BARE = ("get", "put", "post", "patch", "delete")
_ALTERNATIVES = ("anyOf", "oneOf", "allOf")
_LIMITS = {
    "minimum": "at least",
    "exclusiveMinimum": "more than",
    "maximum": "at most",
    "exclusiveMaximum": "less than",
    "minLength": "characters at least",
    "maxLength": "characters at most",
    "minItems": "items at least",
    "maxItems": "items at most",
    "pattern": "pattern",
    "default": "default",
}
_CODE = re.compile(r"`([^`]+)`")
_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sextant API</title>
<link rel="stylesheet" href="/docs/reference.css">
</head>
<body>
"""
_INTRODUCTION = """<h1>Sextant API</h1>
<p>The contract for tools: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1). A browser sends its session's
cookie, and <code>X-CSRF-Token</code> with every write; programs send <code>Authorization: Bearer sxt_...</code>.
Every refusal is <a href="#schema-Problem">Problem</a>, as <code>application/problem+json</code>.</p>
<p><a href="/">Back to the console</a></p>
"""


def page(document: dict[str, Any]) -> str:
    """The whole of an OpenAPI document: operations by tag, then schemas by name."""
    by_tag: dict[str, list[tuple[str, str, dict[str, Any]]]] = {}
    for path, methods in document["paths"].items():
        for method in (name for name in _BARE if name in methods):
            by_tag.setdefault(methods[method]["tags"][0], []).append((method, path, methods[method]))
    schemas = document["components"]["schemas"]
    parts = [_HEAD, _contents(by_tag), "<main>", _INTRODUCTION]
    for tag, operations in by_tag.items():
        parts += [f'<h2 id="{escape(tag)}">{escape(tag)}</h2>', *(_operation(*one) for one in operations)]
    parts += ['<h2 id="schemas">Schemas</h2>', *(_schema(name, schemas[name]) for name in sorted(schemas))]
    return "\n".join([*parts, "</main>", "</body>", "</html>", ""])


def _contents(by_tag: dict[str, list[tuple[str, str, dict[str, Any]]]]) -> str:
    lines = ['<nav aria-label="Contents">']
    for tag, operations in by_tag.items():
        links = (f'<li><a href="#{one["operationId"]}">{one["operationId"]}</a></li>' for _, _, one in operations)
        lines += [f'<a class="tag" href="#{escape(tag)}">{escape(tag)}</a>', "<ul>", *links, "</ul>"]
    return "\n".join([*lines, '<a class="tag" href="#schemas">Schemas</a>', "</nav>"])


def _operation(method: str, path: str, operation: dict[str, Any]) -> str:
    name, text = operation["operationId"], operation.get("description") or operation.get("summary", "")
    parts = [
        f'<section id="{name}">',
        f'<h3><span class="method {method}">{method.upper()}</span> <code>{escape(path)}</code>',
        f"<small>{name}</small></h3>",
        _text(text),
    ]
    rows = [
        _row(one["name"], one["in"], one["schema"], one.get("required", False), one.get("description", ""))
        for one in operation.get("parameters", ())
    ]
    if rows:
        parts.append(_table("Parameters", "in", rows))
    if "requestBody" in operation:
        parts.append(f"<p>Body: {_contents_of(operation['requestBody'])}</p>{_examples_of(operation['requestBody'])}")
    answers = (
        f"<li><code>{escape(status)}</code> {_contents_of(answer) or _inline(answer.get('description', ''))}"
        f"{_examples_of(answer)}</li>"
        for status, answer in operation["responses"].items()
        if status != "default"
    )
    return "\n".join([*parts, f'<ul class="answers">{"".join(answers)}</ul>', "</section>"])


def _contents_of(body: dict[str, Any]) -> str:
    kinds = body.get("content", {}).items()
    return ", ".join(f"{_type(one.get('schema', {}))} <small>{escape(media)}</small>" for media, one in kinds)


def _examples_of(body: dict[str, Any]) -> str:
    given = [one["example"] for one in body.get("content", {}).values() if "example" in one]
    texts = (one if isinstance(one, str) else json.dumps(one, indent=2, ensure_ascii=False) for one in given)
    shown = (escape(text).replace("`", "&#96;") for text in texts)
    return "".join(f"<details><summary>Example</summary><pre>{text}</pre></details>" for text in shown)


def _schema(name: str, schema: dict[str, Any]) -> str:
    required = schema.get("required", ())
    rows = [
        _row(field, None, one, field in required, one.get("description", ""))
        for field, one in schema.get("properties", {}).items()
    ]
    inside = _table("Fields", None, rows) if rows else f"<p>{_type(schema)}</p>"
    anchor = f"schema-{escape(name)}"
    return f'<section id="{anchor}"><h3>{escape(name)}</h3>{_text(schema.get("description", ""))}{inside}</section>'


def _table(caption: str, place: str | None, rows: list[str]) -> str:
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("name", place, "type", "meaning") if head)
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{caption}">'
        f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _row(name: str, place: str | None, schema: dict[str, Any], required: bool, text: str) -> str:
    where = f"<td>{escape(place)}</td>" if place else ""
    must = ' <span class="required">required</span>' if required else ""
    limits = _limits(schema)
    return (
        f"<tr><td><code>{escape(name)}</code>{must}</td>{where}<td>{_type(schema)}"
        f"{f'<br><small>{limits}</small>' if limits else ''}</td><td>{_text(text)}</td></tr>"
    )


def _limits(schema: dict[str, Any]) -> str:
    limits = ((words, schema[key]) for key, words in _LIMITS.items() if key in schema)
    return escape("; ".join(f"{words} {value}" for words, value in limits))


def _type(schema: dict[str, Any]) -> str:
    """Of a value, with links to schemas by name."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#schema-{name}">{name}</a>'
    if any(key in schema for key in _ALTERNATIVES):
        return " or ".join(_type(one) for key in _ALTERNATIVES for one in schema.get(key, ()))
    if "enum" in schema or "const" in schema:
        return " or ".join(f"<code>{escape(repr(one))}</code>" for one in schema.get("enum", [schema.get("const")]))
    if "prefixItems" in schema:
        return f"[{', '.join(_type(one) for one in schema['prefixItems'])}]"
    return _plain_type(schema)


def _plain_type(schema: dict[str, Any]) -> str:
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type(schema['additionalProperties'])}"
    kind = str(schema.get("type", "anything"))
    return escape(f"{kind} ({schema['format']})" if "format" in schema else kind)


def _text(text: str) -> str:
    paragraphs = text.strip().split("\n\n")
    return "".join(f"<p>{_inline(paragraph)}</p>" for paragraph in paragraphs if paragraph)


def _inline(text: str) -> str:
    """Texts of the contract are plain but for `code`, as docstrings write it."""
    return _CODE.sub(r"<code>\1</code>", escape(text))
