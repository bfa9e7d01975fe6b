"""What handing packets on costs an NF: neighbours in its chain that the role of its curve does not cover. Plain Python.

An NF behind another finds packets that were touched; one in front of others gives lines away, which come back from the
next one's core, and that may stand on another node. Each is measured without competitors. What it takes is core time of
every packet, and times add up: an NF that two neighbours would each bring to half its throughput has a third left.
"""

from collections.abc import Iterable, Iterator, Mapping
from math import inf

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


LEAST_TIME = 0.1
"""Of the time alone: no neighbours make an NF more than ten times as quick."""


def added_time(known: Mapping[Neighbour, float], found: Iterable[Neighbour]) -> float:
    """Of all of them, a packet, as a share of its time alone: a drop d takes 1 / (1 - d) - 1. 0 where none was
    measured; below 0 where the NF is faster."""
    return sum(_added(known.get(one, 0.0)) for one in found)


def added_by(drop: float, by_curve: float) -> float | None:
    """The drop that a neighbour alone would bring, of an NF that loses `drop` with it and `by_curve` without it; None
    where nothing is left of it, or more than there is."""
    if drop >= 1 or by_curve >= 1:
        return None
    time = 1 + 1 / (1 - drop) - 1 / (1 - by_curve)
    return 1 - 1 / time if time >= LEAST_TIME else None


def part_left(by_curve: float, added: float) -> float:
    """Of the throughput alone, with what the curve takes and that time added; 0 where the curve leaves nothing."""
    return 0.0 if by_curve >= 1 else 1 / max(1 / (1 - by_curve) + added, LEAST_TIME)


def _added(drop: float) -> float:
    return inf if drop >= 1 else 1 / (1 - drop) - 1


def by_neighbour(handing: Iterable[Handing]) -> dict[Neighbour, float]:
    """As `added_time` takes it."""
    return {(one.local, one.behind, one.near): one.drop for one in handing}
