"""The strings that stand under the fields of a class, out of its source."""

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache

from pydantic import BaseModel


def attribute_docstrings(cls: type[BaseModel]) -> dict[str, str]:
    """By field, those of its bases included. A field that a class declares anew says nothing but what stands there."""
    found: dict[str, str | None] = {}
    for one in reversed(cls.__mro__[: cls.__mro__.index(BaseModel)]):
        found |= _of_module(one.__module__).get(one.__qualname__, {})
    return {name: text for name, text in found.items() if text is not None}


@cache
def _of_module(name: str) -> dict[str, dict[str, str | None]]:
    """By class and annotated field; nothing of a module without source."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[name]))
    except (KeyError, OSError, TypeError):
        return {}
    return {where: _fields(node) for where, node in _classes(tree)}


def _classes(node: ast.AST, outer: str = "") -> Iterator[tuple[str, ast.ClassDef]]:
    for one in ast.iter_child_nodes(node):
        if isinstance(one, ast.ClassDef):
            yield f"{outer}{one.name}", one
            yield from _classes(one, f"{outer}{one.name}.")


def _fields(node: ast.ClassDef) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for one, following in zip(node.body, [*node.body[1:], None], strict=True):
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            found[one.target.id] = _text(following)
    return found


def _text(node: ast.stmt | None) -> str | None:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return inspect.cleandoc(node.value.value)
    return None
