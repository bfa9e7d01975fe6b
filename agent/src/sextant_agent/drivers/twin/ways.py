"""Masks of LLC ways over the nodes of a simulated host, by the law of `sextant_agent.machine.ways`, and its classes of
service: pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sextant_agent.machine.ways import TooFewWays, WayPool, own_masks, shared_mask


class WayRequest(NamedTuple):
    """One NF, or all NFs of a chain together, on one node."""

    owner: str
    """The NF's id, or the chain's name."""
    node: int
    ways: int | None
    """None: it shares."""
    limited: bool = False
    """It has a limit of memory bandwidth, and so a class of service whether it has ways or not."""


class NodeMask(NamedTuple):
    """What an owner may fill on its node."""

    node: int
    mask: int


@dataclass(frozen=True, slots=True)
class NodeWays:
    """Of every node of a machine."""

    ways: int
    nic: int
    """The highest of them, which the NIC writes into."""
    classes: int
    """Classes of service of the whole machine, one of which is everybody's."""


Held = Mapping[tuple[str, int], NodeMask]
"""By owner and node: a chain may stand on two nodes while its NFs move."""


def masks_of(requests: Sequence[WayRequest], given: NodeWays, held: Held) -> Held:
    """A mask for each owner on each of its nodes; none where nobody has ways of its own. `held`: what they have now.
    Raises TooFewWays."""
    _check_classes(requests, given, held)
    if all(request.ways is None for request in requests):
        return {}
    masks: dict[tuple[str, int], NodeMask] = {}
    for node in sorted({request.node for request in requests}):
        here = [request for request in requests if request.node == node]
        before = {owner: one.mask for (owner, at), one in held.items() if at == node}
        masks |= {(owner, node): NodeMask(node, mask) for owner, mask in _of_node(node, here, given, before).items()}
    return masks


def _check_classes(requests: Sequence[WayRequest], given: NodeWays, held: Held) -> None:
    """Linux has one list of groups for all caches of a machine."""
    asking = {request.owner for request in requests if request.ways is not None or request.limited}
    if len(asking) < given.classes or not asking:
        return
    there = {owner for owner, _ in held}
    latest = min(asking - there, default=max(asking))
    raise TooFewWays(
        latest,
        f"the machine has {given.classes} classes of service, one of them for all without ways or bandwidth of their "
        f"own: at most {given.classes - 1} NFs and chains can have some",
    )


def _of_node(node: int, requests: Sequence[WayRequest], given: NodeWays, held: Mapping[str, int]) -> dict[str, int]:
    asked = {request.owner: request.ways for request in requests if request.ways is not None}
    full = (1 << given.ways) - 1
    pool = WayPool(f"node {node}", full, nic=full & ~(full >> given.nic))
    masks = own_masks(asked, held, pool)
    shared = shared_mask(masks, pool)
    return masks | {request.owner: shared for request in requests if request.ways is None}
