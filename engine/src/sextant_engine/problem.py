"""The placement problem of one host: nodes, NF parameters, chains and aims.

Throughputs are in Mpps. The JSON form is the command line's (`problem_json` reads it). What breaks a rule is
refused with the field's path, so that nothing is guessed.
"""

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, StringConstraints, model_validator
from sextant_domain.base import Frozen
from sextant_domain.model import DropCoefficients, LocalRemote

from sextant_engine.errors import BadInput

MAX_NODES = 1024
MAX_CHAINS = 100_000
MAX_NFS = 256
LARGEST = 1e9
"""Bound of every quantity, so that no sum or quotient leaves the finite numbers."""

Id = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Placement = dict[str, tuple[str, ...]]
"""Accepted chains and the node of each of their NFs; a rejected chain is absent."""


class Input(Frozen):
    """A value from outside: types are not converted (`"10"` is not 10)."""

    model_config = ConfigDict(strict=True)


class Node(Input):
    """A NUMA node. Free cores = cores - taken; on a host with shared slots both count slots."""

    id: Id
    local: bool
    """True where a NIC (or port) that packets arrive on is attached."""
    cores: int = Field(ge=0, le=1_000_000)
    taken: int = Field(default=0, ge=0)
    background: float = Field(default=0.0, ge=0, le=LARGEST)
    """Foreign weight on this node; it belongs to M_k, R_k and the sum over the server."""


class NfParameters(Input):
    """What the model needs of an NF type (Octans, Eq. 7 and 9)."""

    stalls: float = Field(ge=1 / LARGEST, le=LARGEST)
    """Resource stalls per packet, scaled for the host model; weight = 1 / stalls."""
    ideal: LocalRemote
    """Throughput without competitors, Mpps."""
    local: DropCoefficients
    remote: DropCoefficients


class Chain(Input):
    """An ordered list of NFs."""

    id: Id
    nfs: tuple[Id, ...] = Field(min_length=1, max_length=MAX_NFS)
    value: float = Field(default=1.0, gt=0, le=LARGEST)
    rate_mpps: float | None = Field(default=None, ge=0, le=LARGEST)
    """What is offered; counts with objective `served` only."""
    ingress: Id | None = None
    """The node its packets arrive on; None: the first local node."""
    pin: tuple[Id, ...] | None = Field(default=None, min_length=1)
    """Nodes that all of its NFs are confined to."""
    nf_pins: tuple[Id | None, ...] | None = None
    """The node of each NF that has no choice."""


class Problem(Input):
    """Where shall every NF run? Checked as a whole: a Problem that exists is consistent."""

    nodes: tuple[Node, ...] = Field(default=(), max_length=MAX_NODES)
    nf_types: dict[Id, NfParameters]
    chains: tuple[Chain, ...] = Field(default=(), max_length=MAX_CHAINS)
    objective: Literal["capacity", "served"] = "capacity"
    initial: Placement | None = None
    """The placement that runs now; chains named here only are gone."""
    move_price_mpps: float = Field(default=0.0, ge=0, le=LARGEST)
    margin_mpps: float = Field(default=0.0, ge=0, le=LARGEST)
    max_moves: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        _check_nodes(self)
        _check_sizes(self)
        node_ids = {node.id for node in self.nodes}
        seen: set[str] = set()
        for index, chain in enumerate(self.chains):
            at = f"chains.{index}"
            if chain.id in seen:
                raise BadInput(f"{at}.id", f"'{chain.id}' is used twice; chain ids are unique")
            seen.add(chain.id)
            _check_chain(self, chain, at, node_ids)
        for name, nodes in (self.initial or {}).items():
            _check_nodes_known(f"initial.{name}", nodes, node_ids)
        for chain in self.chains:
            length = len((self.initial or {}).get(chain.id, chain.nfs))
            if length != len(chain.nfs):
                raise BadInput(f"initial.{chain.id}", f"names {length} nodes for a chain of {len(chain.nfs)} NFs")
        return self


def _check_nodes(problem: Problem) -> None:
    seen: set[str] = set()
    for index, node in enumerate(problem.nodes):
        if node.id in seen:
            raise BadInput(f"nodes.{index}.id", f"'{node.id}' is used twice; node ids are unique")
        seen.add(node.id)
        if node.taken > node.cores:
            raise BadInput(f"nodes.{index}.taken", f"{node.taken} is more than the node's {node.cores} cores")
    if problem.chains and not any(node.local for node in problem.nodes):
        raise BadInput("nodes", "no node is local; packets must arrive on one, so set local: true there")


def _check_sizes(problem: Problem) -> None:
    for name, nf in problem.nf_types.items():
        figures = {
            "ideal.local": nf.ideal.local,
            "ideal.remote": nf.ideal.remote,
            **{f"local.{key}": value for key, value in nf.local},
            **{f"remote.{key}": value for key, value in nf.remote},
        }
        for field, value in figures.items():
            if abs(value) > LARGEST:
                raise BadInput(f"nf_types.{name}.{field}", f"{value:g} is beyond {LARGEST:g}")


def _check_chain(problem: Problem, chain: Chain, at: str, node_ids: set[str]) -> None:
    for position, nf_type in enumerate(chain.nfs):
        if nf_type not in problem.nf_types:
            raise BadInput(f"{at}.nfs.{position}", f"'{nf_type}' is not in nf_types; add its parameters")
    if chain.ingress is not None:
        _check_nodes_known(f"{at}.ingress", (chain.ingress,), node_ids)
        if not any(node.id == chain.ingress and node.local for node in problem.nodes):
            raise BadInput(f"{at}.ingress", f"'{chain.ingress}' is not a local node; packets cannot arrive there")
    _check_nodes_known(f"{at}.pin", chain.pin or (), node_ids)
    pins = chain.nf_pins or ()
    if pins and len(pins) != len(chain.nfs):
        raise BadInput(f"{at}.nf_pins", f"has {len(pins)} entries for {len(chain.nfs)} NFs; use null for a free one")
    for position, node in enumerate(pins):
        if node is None:
            continue
        _check_nodes_known(f"{at}.nf_pins.{position}", (node,), node_ids)
        if chain.pin is not None and node not in chain.pin:
            raise BadInput(f"{at}.nf_pins.{position}", f"'{node}' is not among the nodes of pin")


def _check_nodes_known(field: str, nodes: tuple[str, ...], node_ids: set[str]) -> None:
    for position, node in enumerate(nodes):
        if node not in node_ids:
            path = field if len(nodes) == 1 else f"{field}.{position}"
            raise BadInput(path, f"'{node}' is not the id of a node")
