"""From numbers of LLC ways to masks: each NF that asks has its own ways, all others share what is left. Pure.

Masks are contiguous, as CAT wants them. Ways are given from the lowest up; those that DMA writes into are the highest,
so that they are the last to be given away.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WayRequest:
    """One NF of one node."""

    nf_id: str
    node: int
    ways: int | None
    """None: it shares."""


class NoRoom(Exception):
    """More is asked for than a node has: of which NF first, and why."""

    def __init__(self, nf_id: str, message: str) -> None:
        super().__init__(message)
        self.nf_id = nf_id


def masks_of(requests: Sequence[WayRequest], ways: int, classes: int) -> Mapping[str, int]:
    """A mask for each NF, by id. `ways` of a node, `classes` of service it has, one of which is everybody's.

    Raises NoRoom.
    """
    masks: dict[str, int] = {}
    for node in sorted({request.node for request in requests}):
        masks |= _of_node([request for request in requests if request.node == node], ways, classes)
    return masks


def _of_node(requests: Sequence[WayRequest], ways: int, classes: int) -> dict[str, int]:
    masks: dict[str, int] = {}
    used = 0
    for request in sorted(requests, key=lambda request: request.nf_id):
        if request.ways is None:
            continue
        if len(masks) + 1 >= classes:
            raise NoRoom(
                request.nf_id,
                f"node {request.node} has {classes} classes of cache allocation, one of them for all without ways of "
                f"their own: at most {classes - 1} NFs can have some",
            )
        if used + request.ways >= ways:
            raise NoRoom(
                request.nf_id,
                f"{request.ways} LLC ways are asked for, but of {ways} on node {request.node} {used} are given and one "
                f"at least is for all others: ask for at most {max(0, ways - used - 1)}",
            )
        masks[request.nf_id] = ((1 << request.ways) - 1) << used
        used += request.ways
    shared = ((1 << ways) - 1) & ~((1 << used) - 1)
    return masks | {request.nf_id: shared for request in requests if request.ways is None}
