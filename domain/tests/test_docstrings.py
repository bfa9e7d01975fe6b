"""Descriptions of fields, in the schema and nowhere before."""

import subprocess
import sys
from typing import Generic, TypeVar

import pytest
from pydantic import create_model
from sextant_domain.base import Frozen
from sextant_domain.docstrings import attribute_docstrings

T = TypeVar("T")


class Link(Frozen, Generic[T]):
    """What is said of a class is not said of its fields."""

    speed: T
    """Of the wire,
    in Gbps."""
    name: str
    """As it is written."""

    def speak(self) -> None:
        """Of no field."""

    class Inner(Frozen):
        depth: int
        """Of the ring."""


class Port(Link[int]):
    speed: int
    name: str
    """As the host names it."""
    inner: Link.Inner
    """The ring's own."""


def test_the_string_under_a_field_describes_it() -> None:
    assert attribute_docstrings(Link) == {"speed": "Of the wire,\nin Gbps.", "name": "As it is written."}
    assert attribute_docstrings(Link.Inner) == {"depth": "Of the ring."}


def test_a_field_that_is_declared_anew_says_what_stands_there() -> None:
    assert attribute_docstrings(Port) == {"name": "As the host names it.", "inner": "The ring's own."}


@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_the_schema_has_them(mode: str) -> None:
    schema = Port.model_json_schema(mode="validation" if mode == "validation" else "serialization")
    assert schema["properties"]["name"]["description"] == "As the host names it."
    assert schema["properties"]["inner"] == {"$ref": "#/$defs/Inner", "description": "The ring's own."}
    assert "description" not in schema["properties"]["speed"]
    assert schema["$defs"]["Inner"]["properties"]["depth"]["description"] == "Of the ring."
    assert Link[int].model_json_schema()["properties"]["speed"]["description"] == "Of the wire,\nin Gbps."


def test_a_class_without_source_has_none() -> None:
    assert attribute_docstrings(create_model("Made", __base__=Frozen, __module__="nowhere", size=int)) == {}


def test_no_source_is_read_before_somebody_asks() -> None:
    """It would be a quarter of the start of every process."""
    code = "import sys, sextant_domain.plans.plan, sextant_domain.console.views as v; "
    code += "from sextant_domain import docstrings as d; "
    code += "print(d._of_module.cache_info().currsize); v.Page[int].model_json_schema(); "
    code += "print(d._of_module.cache_info().currsize > 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "True"]
