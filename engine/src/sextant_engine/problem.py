"""The placement problem of one host as Python builds it: nodes, NF parameters, chains and aims.

Throughputs are in Mpps. The JSON form is the command line's. Types only: the core checks a problem as a whole, so that
one reader decides what is refused, wherever a problem comes from.
"""

from typing import Literal

from sextant_domain.base import Frozen
from sextant_domain.model import DropCoefficients, LocalRemote

Placement = dict[str, tuple[str, ...]]
"""Accepted chains and the node of each of their NFs; a rejected chain is absent."""


class Node(Frozen):
    """A NUMA node. Free cores = cores - taken; on a host with shared slots both count slots."""

    id: str
    local: bool
    """True where a NIC (or port) that packets arrive on is attached."""
    cores: int
    taken: int = 0
    background: float = 0.0
    """Foreign weight on this node; it belongs to M_k, R_k and the sum over the server."""


class NfParameters(Frozen):
    """What the model needs of an NF type (Octans, Eq. 7 and 9)."""

    stalls: float
    """Resource stalls per packet, scaled for the host model; weight = 1 / stalls."""
    ideal: LocalRemote
    """Throughput without competitors, Mpps."""
    local: DropCoefficients
    remote: DropCoefficients


class Chain(Frozen):
    """An ordered list of NFs."""

    id: str
    nfs: tuple[str, ...]
    value: float = 1.0
    rate_mpps: float | None = None
    """What is offered; counts with objective `served` only."""
    ingress: str | None = None
    """The node its packets arrive on; None: the first local node."""
    pin: tuple[str, ...] | None = None
    """Nodes that all of its NFs are confined to."""
    nf_pins: tuple[str | None, ...] | None = None
    """The node of each NF that has no choice."""


class Problem(Frozen):
    """Where shall every NF run?"""

    nodes: tuple[Node, ...] = ()
    nf_types: dict[str, NfParameters]
    chains: tuple[Chain, ...] = ()
    objective: Literal["capacity", "served"] = "capacity"
    initial: Placement | None = None
    """The placement that runs now; chains named here only are gone."""
    move_price_mpps: float = 0.0
    margin_mpps: float = 0.0
    max_moves: int | None = None
