"""Write src/sextant_client/generated/ from docs/openapi.json: types of bodies, and a method for every operation.

`python client/generate.py` writes what is stale, as setting up and `make openapi` do. Nothing of it is committed, as
nothing is of the browser's types. Types are typing.TypedDict, by datamodel-code-generator: dictionaries at run time, so
that neither an import nor an answer costs anything for them (decision 85).
"""

import argparse
import hashlib
import json
import keyword
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE.parent / "docs" / "openapi.json"
GENERATED = HERE / "src" / "sextant_client" / "generated"
STAMP = GENERATED / ".stamp"
_NOTE = '"""{what} of docs/openapi.json, by client/generate.py: not to be edited."""\n\n'
_PRIMITIVES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_NOT_JSON = {"downloadArtefact", "streamEvents", "uploadArtefact", "beginSignIn", "finishSignIn"}
"""Operations whose body or answer is no JSON, or that lead a browser: calls by path."""


def main() -> None:
    """Write what is stale."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--force", action="store_true", help="write it although nothing has changed")
    wanted = hashlib.sha256(DOCUMENT.read_bytes() + Path(__file__).read_bytes()).hexdigest()
    if not asked.parse_args().force and STAMP.exists() and STAMP.read_text() == wanted:
        return
    GENERATED.mkdir(exist_ok=True)
    STAMP.unlink(missing_ok=True)
    (GENERATED / "__init__.py").write_text(_NOTE.format(what="What is made"))
    _write_models(GENERATED / "models.py")
    document = json.loads(DOCUMENT.read_text())
    (GENERATED / "operations.py").write_text(_operations(document, (GENERATED / "models.py").read_text()))
    STAMP.write_text(wanted)


def _write_models(path: Path) -> None:
    options = ["--input-file-type", "openapi", "--output-model-type", "typing.TypedDict", "--no-use-closed-typed-dict"]
    options += [
        "--target-python-version",
        "3.11",
        "--use-union-operator",
        "--disable-timestamp",
        "--formatters",
        "builtin",
    ]
    options += ["--custom-file-header", _NOTE.format(what="Types").strip()]
    tool = [sys.executable, "-W", "ignore", "-m", "datamodel_code_generator"]
    subprocess.run([*tool, "--input", str(DOCUMENT), "--output", str(path), *options], check=True)  # noqa: S603


def _operations(document: dict[str, Any], models: str) -> str:
    known = set(re.findall(r"^(?:class )?([A-Z]\w*)[(:]", models, re.MULTILINE))
    methods = [
        _method(path, method.upper(), operation, known)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if operation["operationId"] not in _NOT_JSON
    ]
    used = sorted({name for text in methods for name in re.findall(r"\bmodels\.(\w+)", text)})
    if missing := [name for name in used if name not in known]:
        raise SystemExit(f"no types of these names were made: {', '.join(missing)}")
    return (
        _NOTE.format(what="Operations")
        + "from __future__ import annotations\n\nfrom typing import TYPE_CHECKING, Any, Literal\n\n"
        + "from sextant_client.transport import PATIENCE_S, Answer, Transport, filled\n\n"
        + "if TYPE_CHECKING:\n    from sextant_client.generated import models\n\n\n"
        + 'class Client(Transport):\n    """A console: one method an operation, by its id."""\n'
        + "".join(f"\n{textwrap.indent(method, '    ')}" for method in sorted(methods))
    )


def _method(path: str, method: str, operation: dict[str, Any], known: set[str]) -> str:
    given = operation.get("parameters", [])
    named = {place: [one for one in given if one["in"] == place] for place in ("path", "query", "header")}
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    tagged = any(one["name"] == "If-Match" for one in named["header"])
    arguments = [f"{_argument(one)}: {_type(one['schema'], known)}" for one in named["path"]]
    if content:
        needed = operation["requestBody"].get("required", False)
        kind = _type(content["schema"], known)
        optional = "" if kind.endswith("None") else " | None"
        arguments.append(f"body: {kind}" if needed else f"body: {kind}{optional} = None")
    keywords = [_keyword(one, known) for one in named["query"]]
    keywords += ["if_match: str"] if tagged else []
    keywords.append("patience_s: float = PATIENCE_S")
    query = ", ".join(f'"{one["name"]}": {_argument(one)}' for one in named["query"])
    fields = "".join(f", {one['name']}={_argument(one)}" for one in named["path"])
    sent = [f'"{method}"', f'filled("{path}"{fields})' if fields else f'"{path}"']
    sent += [f"params={{{query}}}"] if query else []
    sent += ["body=body"] if content else []
    sent += ["if_match=if_match"] if tagged else []
    heading = ", ".join(["self", *arguments, "*", *keywords])
    return (
        f"def {_snake(operation['operationId'])}({heading}) -> Answer[{_answered(operation, known)}]:\n"
        f'    """{_said(operation)}"""\n'
        f"    return self.send({', '.join(sent)}, patience_s=patience_s)\n"
    )


def _said(operation: dict[str, Any]) -> str:
    text = str(operation.get("description") or operation["summary"]).replace("\\", "\\\\").replace('"""', "'''")
    return text + (" " if text.endswith('"') else "")


def _keyword(one: dict[str, Any], known: set[str]) -> str:
    kind = _type(one["schema"], known)
    if one.get("required"):
        return f"{_argument(one)}: {kind}"
    return f"{_argument(one)}: {kind if kind.endswith('None') else f'{kind} | None'} = None"


def _answered(operation: dict[str, Any], known: set[str]) -> str:
    kinds: dict[str, None] = {}
    for status, response in operation["responses"].items():
        if status.startswith("2"):
            content = response.get("content", {}).get("application/json", {})
            kinds.setdefault(_type(content["schema"], known) if content else "None")
    return " | ".join(sorted(kinds, key=lambda kind: (kind == "None", kind)))


def _type(schema: dict[str, Any], known: set[str]) -> str:
    if "$ref" in schema:
        return f"models.{_camel(schema['$ref'].rsplit('/', 1)[-1])}"
    if "enum" in schema or "const" in schema:
        values = schema.get("enum") or [schema["const"]]
        return f"Literal[{', '.join(repr(value) for value in values)}]"
    for union in ("anyOf", "oneOf"):
        if union in schema:
            kinds = dict.fromkeys(_type(one, known) for one in schema[union])
            return " | ".join(sorted(kinds, key=lambda kind: kind == "None"))
    if schema.get("type") == "array":
        return f"list[{_type(schema.get('items', {}), known)}]"
    return _PRIMITIVES.get(schema.get("type", ""), "Any")


def _camel(name: str) -> str:
    """As datamodel-code-generator names the class of a schema: Page_Alert_ is PageAlert."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _argument(one: dict[str, Any]) -> str:
    name = re.sub(r"\W", "_", one["name"])
    return f"{name}_" if keyword.iskeyword(name) else name


if __name__ == "__main__":
    main()
