"""Every public type of the domain: frozen, closed, and the same after a way over JSON."""

import importlib
import pkgutil
from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest
import sextant_domain
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter, ValidationError
from sextant_domain.base import Frozen
from sextant_domain.console.live import LiveEvent
from sextant_domain.plans.intents import Intent


def _public_types() -> list[type[Frozen]]:
    found = []
    for module in pkgutil.walk_packages(sextant_domain.__path__, "sextant_domain."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and issubclass(value, Frozen) and value.__module__ == module.name:
                found.append(value)
    return sorted(set(found) - {Frozen}, key=lambda kind: kind.__name__)


TYPES = _public_types()
CHECKED_ELSEWHERE = {"ChainFile", "Page"}
"""ChainFile keeps unknown fields on purpose (test_chain.py); Page is generic."""
RARELY_VALID = {
    "ChainPath", "ControlLoop", "GroupSharing", "NumasfpResult", "NumasfpScenario", "PlacementResult",
    "PlacementScenario", "ProcessModel", "ProfileRecord", "ProfileResult", "RateCourse", "RateLine", "RateSweep",
    "StudyScenario", "TraceComparison",
}  # fmt: skip
"""Random values nearly always break a rule between their fields (test_path.py, test_process_types.py,
test_profile_types.py, test_study_summary.py, test_numasfp_studies.py)."""


def test_types_of_every_room_are_looked_at() -> None:
    rooms = {found.name for found in pkgutil.iter_modules(sextant_domain.__path__) if found.ispkg}
    assert rooms <= {kind.__module__.split(".")[1] for kind in TYPES} | {"opennetvm"}  # which has mostly functions


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.__name__)
def test_a_type_is_frozen_and_documented(kind: type[Frozen]) -> None:
    assert kind.model_config["frozen"] is True
    assert kind.__doc__ and kind.__doc__ != BaseModel.__doc__


@pytest.mark.parametrize(
    "kind", [kind for kind in TYPES if kind.__name__ not in CHECKED_ELSEWHERE], ids=lambda kind: kind.__name__
)
def test_an_unknown_field_is_refused(kind: type[Frozen]) -> None:
    with pytest.raises(ValidationError) as raised:
        kind.model_validate({"no_such_field": 1})
    assert "extra_forbidden" in {error["type"] for error in raised.value.errors()}


class _Defs:
    """What a schema defines by name. One strategy each: what a type names in twenty places is not made twenty times."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schemas: dict[str, Any] = schema.get("$defs", {})
        self._made: dict[str, st.SearchStrategy[Any]] = {}

    def strategy(self, name: str) -> st.SearchStrategy[Any]:
        """Made when it is first drawn from: a type may name itself."""
        if name not in self._made:
            self._made[name] = st.deferred(lambda: _strategy(self._schemas[name], self))
        return self._made[name]


def _strategy(schema: dict[str, Any], defs: _Defs) -> st.SearchStrategy[Any]:
    """JSON values that fit a JSON schema, as far as the domain's types use it."""
    if "$ref" in schema:
        return defs.strategy(schema["$ref"].rpartition("/")[2])
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return st.one_of(*(_strategy(part, defs) for part in schema[union]))
    return _BY_TYPE[schema.get("type", "any")](schema, defs)


def _number(schema: dict[str, Any], _defs: _Defs) -> st.SearchStrategy[float]:
    return st.floats(
        schema.get("minimum", schema.get("exclusiveMinimum", -1e9)),
        schema.get("maximum", schema.get("exclusiveMaximum", 1e9)),
        exclude_min="exclusiveMinimum" in schema,
        exclude_max="exclusiveMaximum" in schema,
        allow_nan=False,
    )


def _integer(schema: dict[str, Any], _defs: _Defs) -> st.SearchStrategy[int]:
    low = schema.get("minimum", schema.get("exclusiveMinimum", -1001) + 1)
    return st.integers(low, schema.get("maximum", low + 1000))


def _text(schema: dict[str, Any], _defs: _Defs) -> st.SearchStrategy[str]:
    if schema.get("format") == "date-time":
        return _MOMENTS.map(lambda moment: moment.replace(tzinfo=UTC).isoformat())
    if schema.get("format") == "ipv4network":
        return st.ip_addresses(v=4).map(lambda address: f"{address}/32")
    if schema.get("format") == "ipv6network":
        return st.ip_addresses(v=6).map(lambda address: f"{address}/128")
    if schema.get("format") == "ipv6":
        return st.ip_addresses(v=6).map(str)
    if "pattern" in schema:
        return st.from_regex(schema["pattern"].replace("$", r"\Z"), fullmatch=True)
    return st.text(min_size=schema.get("minLength", 0), max_size=schema.get("maxLength", 8))


def _array(schema: dict[str, Any], defs: _Defs) -> st.SearchStrategy[list[Any]]:
    low = schema.get("minItems", 0)
    return st.lists(_strategy(schema.get("items", {}), defs), min_size=low, max_size=low + 1)


def _object(schema: dict[str, Any], defs: _Defs) -> st.SearchStrategy[dict[str, Any]]:
    if "properties" not in schema:
        patterns = schema.get("patternProperties", {})
        pattern, values = next(iter(patterns.items()), (None, schema.get("additionalProperties")))
        inner = _strategy(values, defs) if isinstance(values, dict) else _ANY
        keys = _strategy({"type": "string", "maxLength": 4, **({"pattern": pattern} if pattern else {})}, defs)
        low = schema.get("minProperties", 0)
        return st.dictionaries(keys, inner, min_size=low, max_size=low + 2)
    fields = {name: _strategy(part, defs) for name, part in schema["properties"].items()}
    required = set(schema.get("required", ()))
    return st.fixed_dictionaries(
        {name: part for name, part in fields.items() if name in required},
        optional={name: part for name, part in fields.items() if name not in required},
    )


_MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(2199, 12, 31)) | st.datetimes()
"""Half of them within the bounds that clocks have, which no schema says: of all years, 49 of 50 would be refused."""
_ANY = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=4)
_BY_TYPE: dict[str, Any] = {
    "number": _number,
    "integer": _integer,
    "string": _text,
    "array": _array,
    "object": _object,
    "boolean": lambda *_: st.booleans(),
    "null": lambda *_: st.none(),
    "any": lambda *_: _ANY,
}


@cache
def _values(name: str) -> st.SearchStrategy[Any]:
    """Made once for all examples of a type: that takes longer than to draw one."""
    schema = ADAPTERS[name].json_schema()
    return _strategy(schema, _Defs(schema))


ADAPTERS = {
    kind.__name__: TypeAdapter[Any](kind) for kind in TYPES if kind.__name__ not in CHECKED_ELSEWHERE | RARELY_VALID
}
ADAPTERS |= {"Intent": TypeAdapter[Any](Intent), "LiveEvent": TypeAdapter[Any](LiveEvent)}


@pytest.mark.parametrize("name", sorted(ADAPTERS))
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(data=st.data())
def test_a_value_is_the_same_after_a_way_over_json(name: str, data: st.DataObject) -> None:
    adapter = ADAPTERS[name]
    try:
        value = adapter.validate_python(data.draw(_values(name)))
    except ValidationError:
        reject()  # rules between fields, such as unique names
    text = adapter.dump_json(value)
    assert adapter.validate_json(text) == value
    assert adapter.dump_json(adapter.validate_json(text)) == text


def test_a_field_that_answers_may_leave_out_has_no_default_in_the_schema() -> None:
    """With one, types that are generated from the document hold it for always there: a page broke by that."""
    left_out = [
        (kind, name) for kind in TYPES for name, field in kind.model_fields.items() if field.exclude_if is not None
    ]
    assert len(left_out) > 10
    for kind, name in left_out:
        schema = kind.model_json_schema(mode="serialization")
        definition = schema.get("$defs", {}).get(kind.__name__, schema)
        assert "default" not in definition["properties"][name], f"{kind.__name__}.{name}"
        assert name not in definition.get("required", []), f"{kind.__name__}.{name}"
