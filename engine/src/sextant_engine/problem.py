"""The placement problem of one host as Python builds it: nodes, NF parameters, chains and aims.

Throughputs are in Mpps. The JSON form is the command line's. Types only: the core checks a problem as a whole, so that
one reader decides what is refused, wherever a problem comes from. Ranges stand here for the JSON Schema alone.
"""

from typing import Annotated, Any, Literal

from pydantic import Field
from sextant_domain.base import Frozen
from sextant_domain.profiling.model import DropCoefficients, LocalRemote


def _limited(**limits: Any) -> Any:
    """Limits that the JSON Schema states, and the core enforces."""
    return Field(json_schema_extra=limits)


Id = Annotated[str, _limited(minLength=1, maxLength=200)]
Cores = Annotated[int, _limited(minimum=0, maximum=1_000_000)]
NotNegative = Annotated[float, _limited(minimum=0, maximum=1e9)]
Positive = Annotated[float, _limited(exclusiveMinimum=0, maximum=1e9)]

Placement = dict[str, tuple[str, ...]]
"""Accepted chains and the node of each of their NFs; a rejected chain is absent."""


class Node(Frozen):
    """A NUMA node. Free cores = cores - taken; on a host with shared slots both count slots."""

    id: Id
    local: bool
    """True where a NIC (or port) that packets arrive on is attached."""
    cores: Cores
    taken: Cores = 0
    background: NotNegative = 0.0
    """Foreign weight on this node; it belongs to M_k, R_k and the sum over the server."""


class NfParameters(Frozen):
    """What the model needs of an NF type (Octans, Eq. 7 and 9)."""

    stalls: Annotated[float, _limited(minimum=1e-9, maximum=1e9)]
    """Resource stalls per packet, scaled for the host model; weight = 1 / stalls."""
    ideal: LocalRemote
    """Throughput without competitors, Mpps."""
    local: DropCoefficients
    remote: DropCoefficients


class Chain(Frozen):
    """An ordered list of NFs."""

    id: Id
    nfs: Annotated[tuple[Id, ...], _limited(minItems=1, maxItems=256)]
    value: Positive = 1.0
    rate_mpps: NotNegative | None = None
    """What is offered; counts with objective `served` only."""
    ingress: Id | None = None
    """The node its packets arrive on; None: the first local node."""
    pin: Annotated[tuple[Id, ...], _limited(minItems=1, maxItems=1024)] | None = None
    """Nodes that all of its NFs are confined to."""
    nf_pins: tuple[Id | None, ...] | None = None
    """The node of each NF that has no choice."""


class PlacementProblem(Frozen):
    """Where shall every NF run?"""

    nodes: Annotated[tuple[Node, ...], _limited(maxItems=1024)] = ()
    nf_types: dict[str, NfParameters]
    chains: Annotated[tuple[Chain, ...], _limited(maxItems=100_000)] = ()
    objective: Literal["capacity", "served"] = "capacity"
    initial: Placement | None = None
    """The placement that runs now; chains named here only are gone."""
    move_price_mpps: NotNegative = 0.0
    """What one moved NF costs in the score."""
    margin_mpps: NotNegative = 0.0
    """The initial placement stays unless it is beaten by more than this."""
    max_moves: Annotated[int, _limited(minimum=0, maximum=2**32 - 1)] | None = None
    """Most NFs that may change their node; None: any number."""
