"""A data file: values in tables, each with where it comes from.

A leaf is a plain value, or a table {value, source, spread, least, most, note}. A table's own `source` holds for the
leaves below that name none. What has no source is refused. `source = "prior"` says that nobody published the value; it
needs a `spread`: the factor either way within which nine of ten of its draws lie (log-normal, so that none is
negative). A number may have a `least` and a `most` that draws are held to.
"""

import random
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp, log
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import ValidationError
from sextant_domain.base import Frozen

from sextant_twin.errors import BadTwinInput
from sextant_twin.quantities import UNITS

Model = TypeVar("Model", bound=Frozen)

DATA = Path(str(files("sextant_twin"))) / "data"
PRIOR = "prior"
WITHIN = 1.645
"""Standard deviations either side of the centre that hold 90 % of a normal distribution."""
LARGEST_FILE = 256 * 1024
DEEPEST = 12

_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e-?\d+)?")


@dataclass(frozen=True, slots=True)
class Document:
    """A data file, read: its values, and beside them what is known of each."""

    values: Mapping[str, Any]
    """The tree of plain values, `name` and `summary` included."""
    sources: Mapping[str, str]
    """By the path of a leaf, its source."""
    spreads: Mapping[str, float]
    """By the path of a leaf that is a prior, the factor either way that holds nine draws of ten."""
    limits: Mapping[str, tuple[float, float]]
    """By the path of a leaf, the least and the most that a draw of it may be."""

    def drawn(self, generator: random.Random) -> dict[str, Any]:
        """The values, each prior replaced by a draw of its own; equal generators give equal draws."""
        tree: dict[str, Any] = _copied(self.values)
        for path in sorted(self.spreads):
            factor = exp(generator.gauss(0.0, 1.0) * log(self.spreads[path]) / WITHIN)
            *above, last = [int(part) if part.isdigit() else part for part in path.split(".")]
            at: Any = tree
            for part in above:
                at = at[part]
            drawn = _scaled(at[last], factor)
            at[last] = drawn if path not in self.limits else min(max(drawn, self.limits[path][0]), self.limits[path][1])
        return tree


def read(path: Path) -> Document:
    """The data file at `path`, over the one beside it that it says it `extends`. Raises BadTwinInput."""
    tree = _tree(path)
    if "extends" not in tree:
        return understood(tree)
    base = tree.pop("extends")
    others = sorted(other.stem for other in path.parent.glob("*.toml") if other != path)
    if base not in others:
        raise BadTwinInput("extends", f"{base!r} is none of {', '.join(others)}")
    whole = _tree(path.parent / f"{base}.toml")
    if "extends" in whole:
        raise BadTwinInput("extends", f"{base} extends {whole['extends']!r} itself: name that one")
    return understood(whole | tree)


def understood(tree: Mapping[str, Any]) -> Document:
    """The document in a tree as TOML gives it. Raises BadTwinInput."""
    reader = _Reader({}, {}, {})
    values = reader.table(dict(tree), "", None)
    return Document(values=values, sources=reader.sources, spreads=reader.spreads, limits=reader.limits)


def _tree(path: Path) -> dict[str, Any]:
    try:
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise BadTwinInput(path.name, f"has {size} bytes; the most is {LARGEST_FILE}")
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadTwinInput(path.name, f"is no TOML: {error}") from error
    except OSError as error:
        raise BadTwinInput(path.name, f"cannot be read: {error.strerror}") from error


@dataclass(slots=True)
class _Reader:
    """Walks a tree and parts what its leaves are from what is known of them."""

    sources: dict[str, str]
    spreads: dict[str, float]
    limits: dict[str, tuple[float, float]]

    def table(self, table: dict[str, Any], path: str, source: str | None) -> dict[str, Any]:
        """A table; `source` holds where neither it nor its leaves name another."""
        own = _text(table.pop("source", source), _below(path, "source"))
        return {key: self.node(value, _below(path, key), own) for key, value in table.items()}

    def node(self, value: Any, path: str, source: str | None) -> Any:
        """Whatever a key has: a table, a list of tables, or a leaf."""
        if path.count(".") > DEEPEST:
            raise BadTwinInput(path, f"lies deeper than {DEEPEST} tables")
        if isinstance(value, dict) and "value" not in value:
            return self.table(dict(value), path, source)
        if isinstance(value, list):
            return [self.node(each, f"{path}.{index}", source) for index, each in enumerate(value)]
        if path.rpartition(".")[2] in {"name", "summary"}:
            return value
        return self.leaf(value if isinstance(value, dict) else {"value": value}, path, source)

    def leaf(self, leaf: dict[str, Any], path: str, source: str | None) -> Any:
        """A value with its source."""
        if unknown := sorted(leaf.keys() - {"value", "source", "spread", "least", "most", "note"}):
            raise BadTwinInput(f"{path}.{unknown[0]}", "is no key of a value: value, source, spread, least, most, note")
        said = _text(leaf.get("source", source), f"{path}.source")
        if said is None:
            raise BadTwinInput(path, 'has no source: name who published it, or write source = "prior" and a spread')
        self.sources[path] = said
        if "spread" in leaf:
            self.spreads[path] = _number(leaf["spread"], f"{path}.spread", above=1.0, most=10.0)
        elif said == PRIOR:
            raise BadTwinInput(path, "is a prior without a spread: say within which factor you expect it")
        if leaf.keys() & {"least", "most"}:
            _number(leaf["value"], path)
            least = _number(leaf.get("least", 0), f"{path}.least")
            self.limits[path] = least, _number(leaf.get("most", 1e12), f"{path}.most", above=least)
        return leaf["value"]


def _number(value: Any, path: str, *, above: float = -1.0, most: float = 1e12) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not above < value <= most:
        raise BadTwinInput(path, f"must be a number above {above:g} and at most {most:g}")
    return float(value)


def _text(value: Any, path: str) -> str | None:
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise BadTwinInput(path, "must be a text")
    return value


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _copied(tree: Any) -> Any:
    if isinstance(tree, Mapping):
        return {key: _copied(value) for key, value in tree.items()}
    return [_copied(each) for each in tree] if isinstance(tree, list) else tree


def _scaled(value: Any, factor: float) -> Any:
    """A number, or the number of a quantity, times `factor`; whole numbers and bytes stay whole."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise BadTwinInput("spread", f"is of {value!r}: only numbers and quantities can be drawn")
    if isinstance(value, int):
        return max(1, round(value * factor))
    if isinstance(value, float):
        return value * factor
    number = _NUMBER.match(value)
    if number is None:
        raise BadTwinInput("spread", f"is of {value!r}: it has no number")
    unit = value[number.end() :].strip()
    scaled = float(number.group()) * factor
    if unit in UNITS["size"]:
        return f"{round(scaled * UNITS['size'][unit])} B"
    return f"{scaled:.9f} {unit}"


def plain(path: Path) -> Any:
    """A file of values alone, as the calibration is: nothing in it has a source but the file. Raises BadTwinInput."""
    return _tree(path)


def checked(model: type[Model], values: object) -> Model:
    """What a tree of plain values says. Raises BadTwinInput with the first field that cannot be."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise _refusal(error) from error


def _refusal(error: ValidationError) -> BadTwinInput:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    field = ".".join(str(part) for part in first["loc"]) or "(whole file)"
    reported = {"extra_forbidden": "is unknown: remove it", "missing": "is missing"}
    return BadTwinInput(field, reported.get(first["type"], first["msg"].removeprefix("Value error, ")))


def leaves(document: Document) -> Iterator[tuple[str, str, float | None]]:
    """Path, source and spread of every leaf, in the order of the file."""
    for path, source in document.sources.items():
        yield path, source, document.spreads.get(path)


@dataclass(frozen=True, slots=True)
class Shelf(Generic[Model]):
    """A folder of data files of one kind, each under the name of what it describes."""

    kind: str
    """As errors name it."""
    folder: Path
    model: type[Model]

    def names(self) -> list[str]:
        """What there is data of."""
        return _names(self.folder)

    def described(self, name: str) -> Document:
        """The data file of that name, with the source of every value. Raises BadTwinInput."""
        return _described(self.kind, self.folder, name)

    def load(self, name: str) -> Model:
        """What the file of that name describes. Raises BadTwinInput."""
        return checked(self.model, self.described(name).values)

    def draw(self, name: str, generator: random.Random) -> Model:
        """The same with its priors drawn. Raises BadTwinInput."""
        return checked(self.model, self.described(name).drawn(generator))


def _names(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.toml"))


@cache
def _described(kind: str, folder: Path, name: str) -> Document:
    if name not in _names(folder):
        raise BadTwinInput(kind, f"{name!r} is none of {', '.join(_names(folder))}")
    found = read(folder / f"{name}.toml")
    own = found.values.get("name")
    if own != name:
        raise BadTwinInput(f"{name}.toml", f"its name is {own!r}: a file bears the name of what it describes")
    return found
