"""NUMASFP's algorithms that place chains. Written by `make algorithms`; do not edit."""

from enum import StrEnum

from pydantic import GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from sextant_domain.plans.algorithm_declaration import NumasfpDeclaration, with_declarations


class NumasfpAlgorithm(StrEnum):
    """Algorithms that place whole chains by a table of levels."""

    LAW = "law"
    """The control law: exact steps held, budgeted and watched by a shadow."""
    EXACT = "exact"
    """The optimum of every interval, the price of a move spread over some."""
    NUMASFP = "numasfp"
    """Algorithms 1 and 2 of the NUMASFP paper to the letter."""
    NUMASFP_EXTENDED = "numasfp_extended"
    """The same, but starved chains do not count as small."""
    NODE_FIRST = "node_first"
    """Baseline: in the order given, the local node until it is full."""
    NODE_BALANCE = "node_balance"
    """Baseline: in the order given, the least used node."""
    RATE_SORTED = "rate_sorted"
    """Baseline: by falling rate, local first; the paper calls it Octans."""
    OCTANS = "octans"
    """Whole chains as Octans' own equations rank them best."""
    CLAIRVOYANT = "clairvoyant"
    """The bound of all laws: knows every rate beforehand."""

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return with_declarations(schema, handler, NUMASFP_ALGORITHMS)


NUMASFP_ALGORITHMS: tuple[NumasfpDeclaration, ...] = (
    NumasfpDeclaration(
        name="law",
        part="run",
        summary="the control law: exact steps held, budgeted and watched by a shadow",
    ),
    NumasfpDeclaration(
        name="exact",
        part="run",
        summary="the optimum of every interval, the price of a move spread over some",
    ),
    NumasfpDeclaration(
        name="numasfp",
        part="run",
        summary="Algorithms 1 and 2 of the NUMASFP paper to the letter",
    ),
    NumasfpDeclaration(
        name="numasfp_extended",
        part="run",
        summary="the same, but starved chains do not count as small",
    ),
    NumasfpDeclaration(
        name="node_first",
        part="start",
        summary="baseline: in the order given, the local node until it is full",
    ),
    NumasfpDeclaration(
        name="node_balance",
        part="start",
        summary="baseline: in the order given, the least used node",
    ),
    NumasfpDeclaration(
        name="rate_sorted",
        part="start",
        summary="baseline: by falling rate, local first; the paper calls it Octans",
    ),
    NumasfpDeclaration(
        name="octans",
        part="start",
        summary="whole chains as Octans' own equations rank them best",
    ),
    NumasfpDeclaration(
        name="clairvoyant",
        part="run",
        summary="the bound of all laws: knows every rate beforehand",
    ),
)
"""All of them, in the order of the core."""
