"""Masks of LLC ways over the nodes of a simulated host, by the law of `sextant_agent.machine.ways`: pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sextant_agent.machine.ways import TooFewWays, WayPool, own_masks, shared_mask


@dataclass(frozen=True, slots=True)
class WayRequest:
    """One NF of one node."""

    nf_id: str
    node: int
    ways: int | None
    """None: it shares."""


@dataclass(frozen=True, slots=True)
class NodeMask:
    """What an NF may fill on its node."""

    node: int
    mask: int


@dataclass(frozen=True, slots=True)
class NodeWays:
    """Of every node of a machine."""

    ways: int
    nic: int
    """The highest of them, which the NIC writes into."""
    classes: int
    """Classes of service, one of which is everybody's."""


def masks_of(requests: Sequence[WayRequest], given: NodeWays, held: Mapping[str, NodeMask]) -> Mapping[str, NodeMask]:
    """A mask for each NF, by id. `held`: what they have now. Raises TooFewWays."""
    masks: dict[str, NodeMask] = {}
    for node in sorted({request.node for request in requests}):
        here = [request for request in requests if request.node == node]
        before = {nf_id: one.mask for nf_id, one in held.items() if one.node == node}
        masks |= {nf_id: NodeMask(node, mask) for nf_id, mask in _of_node(node, here, given, before).items()}
    return masks


def _of_node(node: int, requests: Sequence[WayRequest], given: NodeWays, held: Mapping[str, int]) -> dict[str, int]:
    asked = {request.nf_id: request.ways for request in requests if request.ways is not None}
    if len(asked) >= given.classes:
        latest = min((nf_id for nf_id in asked if nf_id not in held), default=max(asked))
        raise TooFewWays(
            latest,
            f"node {node} has {given.classes} classes of cache allocation, one of them for all without ways of "
            f"their own: at most {given.classes - 1} NFs can have some",
        )
    full = (1 << given.ways) - 1
    pool = WayPool(f"node {node}", full, nic=full & ~(full >> given.nic))
    masks = own_masks(asked, held, pool)
    shared = shared_mask(masks, pool)
    return masks | {request.nf_id: shared for request in requests if request.ways is None}
