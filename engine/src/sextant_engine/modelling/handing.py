"""What handing packets on costs an NF: neighbours in its chain that the role of its curve does not tell. Plain Python.

An NF behind another finds packets that were touched; one in front of others gives lines away, which come back from the
next one's core, and that may stand on another node. Both are measured without competitors, as the part of throughput
that is left of what the curve leaves, and multiply.
"""

from collections.abc import Iterable, Iterator, Mapping
from math import prod

from sextant_domain.profiling.curves import Handing
from sextant_domain.profiling.job import PointSetting

Neighbour = tuple[bool, bool, bool]
"""Whether the NF is local, whether the other one is the next (else the one before), whether on the same node."""


def neighbours(local: bool, upstream: bool | None, downstream: bool | None) -> Iterator[Neighbour]:
    """`upstream`, `downstream`: whether that NF of its chain is on the same node; None: there is none. Not those that
    are a role: one before it on the same remote node (behind), and for a local NF one on another (crossing)."""
    if upstream is not None and local == upstream:
        yield local, False, upstream
    if downstream is not None:
        yield local, True, downstream


def neighbours_of(setting: PointSetting) -> tuple[Neighbour, ...]:
    """Of the subject."""
    node = setting.subject.node
    upstream = setting.chain[-2].node == node if len(setting.chain) > 1 else None
    downstream = setting.downstream[0].node == node if setting.downstream else None
    return tuple(neighbours(setting.local, upstream, downstream))


def kept(known: Mapping[Neighbour, float], found: Iterable[Neighbour]) -> float:
    """The part that is left with all of them, of 1 where none was measured; above 1 where the NF is faster."""
    return prod(1 - known.get(one, 0.0) for one in found)


def by_neighbour(handing: Iterable[Handing]) -> dict[Neighbour, float]:
    """As `cost` takes it."""
    return {(one.local, one.behind, one.near): one.drop for one in handing}
