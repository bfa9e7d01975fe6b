"""Chain files: YAML from anywhere, so read with the safe loader, size and depth limits, and no aliases."""

import sys
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from pydantic import ValidationError
from sextant_domain.base import own_words
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.chain_file import ChainFile
from sextant_domain.chains.traffic_kinds import without_kinds
from sextant_domain.problem import FieldError, NextAction

from sextant_cli.errors import CliError, Exit, error
from sextant_cli.local_files import LocalFile, put_digests

MAX_BYTES = 1 << 20
MAX_DEPTH = 32
Place = tuple[str, ...]
"""Path of a value in the file: `("nfs", "1", "config")`."""


class _FileError(Exception):
    """Something at a line of the file."""

    def __init__(self, line: int | None, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


class LoadedChain(NamedTuple):
    """A chain with digests everywhere, and the local files that some of them are of."""

    lanes: tuple[ChainSpec, ...]
    """One, unless the file asks for more, or for a path: then its parts."""
    files: list[LocalFile]


def load_chain(file: str) -> LoadedChain:
    """The chain in `file` (`-` for stdin). Raises CliError naming the line and the field."""
    name = "<stdin>" if file == "-" else file
    try:
        root = _compose(_read(file))
        lines = _lines(root)
        content = _construct(root)
    except _FileError as cause:
        at = name if cause.line is None else f"{name}:{cause.line}"
        raise _refuse(f"{at}: {cause.message}", ()) from cause
    files, wrong = put_digests(content, None if file == "-" else Path(file).parent)
    if wrong:
        fields = tuple(_field_error(name, tuple(item.field.split(".")), item.message, lines) for item in wrong)
        raise _refuse(f"{name} names {len(fields)} file{'s' if len(fields) > 1 else ''} that cannot be used", fields)
    try:
        return LoadedChain(ChainFile.model_validate(content).specs(), files)
    except ValidationError as cause:
        fields = tuple(
            _field_error(name, item["loc"], _WORDS.get(item["type"], item["msg"]), lines) for item in cause.errors()
        )
        raise _refuse(f"{name} has {len(fields)} wrong field{'s' if len(fields) > 1 else ''}", fields) from cause


def _read(file: str) -> bytes:
    try:
        if file == "-":
            content = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with Path(file).open("rb") as stream:
                content = stream.read(MAX_BYTES + 1)
    except OSError as cause:
        raise _FileError(None, f"cannot be read: {cause.strerror}") from cause
    if len(content) > MAX_BYTES:
        raise _FileError(None, f"is larger than {MAX_BYTES >> 20} MiB; a chain file has a few hundred bytes")
    return content


class _Loader(yaml.SafeLoader):
    """Refuses aliases (a few lines of them expand to gigabytes) and deep nesting, before anything is built."""

    _depth = 0

    def _line(self) -> int:
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
        return event.start_mark.line + 1 if event.start_mark else 1

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise _FileError(self._line(), "YAML aliases are not accepted: write the value out")
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _FileError(self._line(), f"is nested deeper than {MAX_DEPTH} levels")
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1


def _compose(content: bytes) -> yaml.Node:
    try:
        loader = _Loader(content)
        root = loader.get_single_node()
    except yaml.YAMLError as cause:
        raise _yaml_error(cause) from cause
    if root is None:
        raise _FileError(None, "is empty")
    if not isinstance(root, yaml.MappingNode):
        raise _FileError(root.start_mark.line + 1, "must be a mapping; its first line is apiVersion: sextant/v1")
    return root


def _construct(root: yaml.Node) -> Any:
    try:
        return _Loader(b"").construct_document(root)
    except yaml.YAMLError as cause:
        raise _yaml_error(cause) from cause
    except (ValueError, OverflowError) as cause:  # a date or number that Python cannot hold
        raise _FileError(None, f"a value cannot be read: {cause}") from cause


def _yaml_error(cause: yaml.YAMLError) -> _FileError:
    if isinstance(cause, yaml.MarkedYAMLError) and cause.problem_mark is not None:
        context = f" ({cause.context})" if cause.context else ""
        return _FileError(cause.problem_mark.line + 1, f"not valid YAML: {cause.problem}{context}")
    return _FileError(None, f"not valid YAML: {' '.join(str(cause).split())}")


def _lines(root: yaml.Node) -> dict[Place, int]:
    """The line (from 1) of every value, by its path. Refuses a key that stands twice."""
    found: dict[Place, int] = {}
    todo: list[tuple[Place, yaml.Node]] = [((), root)]
    while todo:
        place, node = todo.pop()
        found.setdefault(place, node.start_mark.line + 1)
        if isinstance(node, yaml.SequenceNode):
            todo += [((*place, str(index)), item) for index, item in enumerate(node.value)]
        elif isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                inner = (*place, key.value if isinstance(key, yaml.ScalarNode) else "?")
                if inner in found:
                    raise _FileError(key.start_mark.line + 1, f"'{inner[-1]}' appears twice; keep one of them")
                found[inner] = key.start_mark.line + 1
                todo.append((inner, value))
    return found


_WORDS = {
    "extra_forbidden": "is not a known field",
    "missing": "is missing",
    "string_pattern_mismatch": "must be lower-case letters, digits and hyphens, at most 63 of them",
}
"""Causes that pydantic words for programmers."""


def _field_error(name: str, loc: tuple[str | int, ...], message: str, lines: dict[Place, int]) -> FieldError:
    loc = without_kinds(loc)
    place = tuple(map(str, loc))
    while place and place not in lines:
        place = place[:-1]
    path = ".".join(map(str, loc)) or "chain"
    text = own_words(message)
    return FieldError(field=path, message=f"{text} ({name}, line {lines.get(place, 1)})")


def _refuse(detail: str, fields: tuple[FieldError, ...]) -> CliError:
    return error(
        "validation",
        "The chain file is not accepted",
        detail,
        Exit.BAD_INPUT,
        fields=fields,
        next_actions=(NextAction(label="Compare with the examples in examples/chains"),),
    )
