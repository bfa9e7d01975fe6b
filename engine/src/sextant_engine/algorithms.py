"""The algorithms that the core declares, and what is written from them: the domain's enumerations, which may not import
the core, and the tables of docs/engine.md."""

import json
import keyword
from collections.abc import Callable

from pydantic import TypeAdapter
from sextant_domain.plans.algorithm_declaration import AlgorithmBound, AlgorithmDeclaration

from sextant_engine import native

_LINE = 120
"""Characters."""
_declarations = TypeAdapter(tuple[AlgorithmDeclaration, ...])

_HEAD = '''"""Placement algorithms. Written by `make algorithms` from what the engine's core declares; do not edit."""

from enum import StrEnum

from pydantic import GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from sextant_domain.plans.algorithm_declaration import AlgorithmBound, AlgorithmDeclaration, with_declarations


class Algorithm(StrEnum):
    """Placement algorithms of the engine."""

'''


_TAIL = """
    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return with_declarations(schema, handler, ALGORITHMS)


ALGORITHMS: tuple[AlgorithmDeclaration, ...] = (
"""


_NUMASFP_HEAD = '''"""NUMASFP's algorithms that place chains. Written by `make algorithms`; do not edit."""

from enum import StrEnum

from pydantic import GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from sextant_domain.plans.algorithm_declaration import NumasfpDeclaration, with_declarations


class NumasfpAlgorithm(StrEnum):
    """Algorithms that place whole chains by a table of levels."""

'''


_NUMASFP_TAIL = """
    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return with_declarations(schema, handler, NUMASFP_ALGORITHMS)


NUMASFP_ALGORITHMS: tuple[NumasfpDeclaration, ...] = (
"""


def declared() -> tuple[AlgorithmDeclaration, ...]:
    """All of them, in the order in which they are offered."""
    return _declarations.validate_json(native.algorithms())


def as_json() -> str:
    """As the core writes it, indented."""
    return json.dumps(json.loads(native.algorithms()), indent=2) + "\n"


def as_python() -> str:
    """`sextant_domain/plans/algorithms.py`, as ruff formats it."""
    algorithms = declared()
    members = "".join(f'    {_member(one)} = "{one.name}"\n    """{_sentence(one.summary)}"""\n' for one in algorithms)
    entries = "".join(_entry(one) for one in algorithms)
    return f'{_HEAD}{members}{_TAIL}{entries})\n"""All of them, in the order in which they are offered."""\n'


def as_markdown() -> str:
    """The table of docs/engine.md."""
    rows = (f"| `{one.name}` | {one.summary} | {_bounds(one.bounds)} |\n" for one in declared())
    return "| algorithm | what it is | up to |\n|---|---|---|\n" + "".join(rows)


def as_numasfp_markdown() -> str:
    """The table of NUMASFP's algorithms in docs/engine.md."""
    declared = json.loads(native.numasfp_algorithms())
    rows = (f"| `{one['name']}` | {_DECIDES[one['part']]} | {one['summary']} |\n" for one in declared)
    return "| algorithm | decides | what it is |\n|---|---|---|\n" + "".join(rows)


def as_numasfp_python() -> str:
    """`sextant_domain/laws/numasfp_algorithms.py`, as ruff formats it: those that place chains."""
    places = [one for one in json.loads(native.numasfp_algorithms()) if one["part"] != "need"]
    members = "".join(
        f'    {one["name"].upper()} = "{one["name"]}"\n    """{_sentence(one["summary"])}"""\n' for one in places
    )
    entries = "".join(
        "    NumasfpDeclaration(\n"
        + "".join(f"        {name}={json.dumps(one[name])},\n" for name in ("name", "part", "summary"))
        + "    ),\n"
        for one in places
    )
    return f'{_NUMASFP_HEAD}{members}{_NUMASFP_TAIL}{entries})\n"""All of them, in the order of the core."""\n'


_DECIDES = {"need": "what a chain needs", "start": "where chains stand, once", "run": "where chains stand, each second"}

FORMS: dict[str, Callable[[], str]] = {
    "json": as_json,
    "python": as_python,
    "markdown": as_markdown,
    "numasfp": as_numasfp_markdown,
    "numasfp-python": as_numasfp_python,
}
"""By the word that the command line takes."""


def _member(one: AlgorithmDeclaration) -> str:
    if not one.name.isidentifier() or keyword.iskeyword(one.name):
        raise ValueError(f"algorithm '{one.name}': the name must be a Python identifier")
    return one.name.upper()


def _sentence(summary: str) -> str:
    return f"{summary[0].upper()}{summary[1:]}."


def _entry(one: AlgorithmDeclaration) -> str:
    lines = [
        f"law={json.dumps(one.law)}",
        f"name={json.dumps(one.name)}",
        f"summary={json.dumps(one.summary)}",
        f"since={json.dumps(one.since)}",
        f"places={json.dumps(one.places)}",
        f"exact={one.exact}",
        f"offered={one.offered}",
        f"races={one.races}",
    ]
    body = "".join(f"        {line},\n" for line in lines)
    return f"    AlgorithmDeclaration(\n{body}{_held(one.bounds)}    ),\n"


def _held(bounds: tuple[AlgorithmBound, ...]) -> str:
    """On one line where that is short enough."""
    parts = [_bound(bound) for bound in bounds]
    line = f"        bounds=({', '.join(parts)}{',' if len(parts) == 1 else ''}),\n"
    if len(line) <= _LINE + 1:
        return line
    listed = "".join(f"            {part},\n" for part in parts)
    return f"        bounds=(\n{listed}        ),\n"


def _bound(bound: AlgorithmBound) -> str:
    return f"AlgorithmBound(most={bound.most:_}, of={json.dumps(bound.of)}, beyond={json.dumps(bound.beyond)})"


def _bounds(bounds: tuple[AlgorithmBound, ...]) -> str:
    return "; ".join(f"{bound.most:,} {bound.of}, else {bound.beyond}" for bound in bounds) or "any size"
