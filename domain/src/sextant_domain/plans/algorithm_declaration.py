"""What is declared of an algorithm, and how the API's contract says it."""

from collections.abc import Sequence
from typing import Literal

from pydantic import GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from sextant_domain.base import Frozen


class AlgorithmBound(Frozen):
    """A size up to which an algorithm takes a problem, or keeps its promise."""

    most: int
    of: str
    """Of what: 'NFs'."""
    beyond: str
    """What becomes of a larger problem: 'refused'."""


class AlgorithmDeclaration(Frozen):
    """One algorithm, in words for operators."""

    law: str
    """The law whose way of deciding it is: 'octans', 'coco', 'sfc2cpu'."""
    name: str
    summary: str
    """One line, without a full stop."""
    since: str
    """The first version of the API that has it."""
    places: Literal["nodes", "cores"]
    """What it chooses for an NF: its node, on any host; or its core, on hosts whose cores several NFs share."""
    exact: bool
    """Proves that nothing is better, wherever it ends by itself within its bounds."""
    offered: bool
    """Operators are offered it; whoever names it may have any."""
    races: bool
    """It plans beside others in races: it takes whatever a fleet poses, and ends within seconds."""
    bounds: tuple[AlgorithmBound, ...]
    """None: any size."""


class NumasfpDeclaration(Frozen):
    """One algorithm that places whole chains by a table of levels, in words for operators."""

    name: str
    part: Literal["start", "run"]
    """It decides where chains stand once, or each second."""
    summary: str
    """One line, without a full stop."""


def with_declarations(
    schema: CoreSchema,
    handler: GetJsonSchemaHandler,
    declarations: Sequence[AlgorithmDeclaration] | Sequence[NumasfpDeclaration],
) -> JsonSchemaValue:
    """The JSON Schema of an enumeration, with what is declared of its members as `x-algorithms`."""
    found = handler(schema)
    handler.resolve_ref_schema(found)["x-algorithms"] = [one.model_dump(mode="json") for one in declarations]
    return found
