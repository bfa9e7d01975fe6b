"""Points that show what rates do, and what handing packets on costs: neither shows where every NF is fed by itself.

In a chain all NFs go at the slowest's rate, and hand packets to each other.
"""

from collections.abc import Iterable, Sequence
from itertools import cycle, islice

from sextant_domain.profiling.job import PointPurpose, PointSetting, ProfilingAsk, StandingNf, line_rate_mpps

from sextant_engine.profiling.requests import UPSTREAM
from sextant_engine.profiling.room import ProfilingRoom

PARTS = (1 / 4, 1 / 16)
"""Of the rate that competitors are offered elsewhere, or of the line's where they take all they can: less than the
fastest can take, then less than nearly all can."""
CHAIN = 3
"""NFs of a competing chain."""


def rates(ask: ProfilingAsk, room: ProfilingRoom, types: Sequence[str], *, with_chains: bool) -> list[PointSetting]:
    """What is measured at full rate too, at parts of it: beside the NF on either kind of node, and across; then all
    types together in chains. `types`: most aggressive first."""
    quarter, sixteenth = (part * (ask.rate_mpps or line_rate_mpps(ask.packet_bytes)) for part in PARTS)
    local, first, last = room.local, types[0], types[-1]
    fed = [
        (local, _at(local, [first] * room.near), quarter),
        (local, _at(local, [first] * room.near), sixteenth),
    ]
    if room.near > 2:
        fed += [(local, _at(local, [last] * room.near), sixteenth), (local, _at(local, [first] * 2), sixteenth)]
    chained = [_at(local, islice(cycle(types), room.near))]
    if room.remote is not None:
        near = room.near_remote()
        far = tuple(StandingNf(nf_type=first, node=node) for node in room.elsewhere(local))
        fed += [(local, far, sixteenth), (room.remote, _at(room.remote, [first] * near), sixteenth)]
        chained.append(_at(room.remote, islice(cycle(types), near)))
    points = [
        _beside(ask, room, node, others).model_copy(update={"rate_mpps": rate}) for node, others, rate in fed if others
    ]
    return points + [
        _beside(ask, room, others[0].node, others).model_copy(update={"others_a_chain": CHAIN})
        for others in chained
        if with_chains and len(others) >= CHAIN
    ]


def handing(nf_type: str, room: ProfilingRoom) -> list[PointSetting]:
    """Without competitors, with one other NF of its chain: before it or behind it, here or there. Not what `crossing`
    and `behind` are about."""
    local, remote = room.local, room.remote
    before, behind = [], []
    if room.seats[local] > 1:
        before.append((local, local))
        behind.append((local, local))
    if remote is not None:
        before.append((local, remote))
        behind += [(local, remote), (remote, local)]
        behind += [(remote, remote)] if room.seats[remote] > 1 else []
    return [
        *(_handing(room, [(UPSTREAM, first), (nf_type, own)], []) for first, own in before),
        *(_handing(room, [(nf_type, own)], [(UPSTREAM, then)]) for own, then in behind),
    ]


def _handing(room: ProfilingRoom, chain: list[tuple[str, int]], downstream: list[tuple[str, int]]) -> PointSetting:
    return PointSetting(
        purpose=PointPurpose.HANDING,
        ingress_node=room.local,
        chain=tuple(StandingNf(nf_type=name, node=node) for name, node in chain),
        downstream=tuple(StandingNf(nf_type=name, node=node) for name, node in downstream),
    )


def _beside(ask: ProfilingAsk, room: ProfilingRoom, node: int, others: tuple[StandingNf, ...]) -> PointSetting:
    return PointSetting(
        purpose=PointPurpose.RATES,
        ingress_node=room.local,
        chain=(StandingNf(nf_type=ask.nf_type, node=node),),
        others=others,
    )


def _at(node: int, names: Iterable[str]) -> tuple[StandingNf, ...]:
    return tuple(StandingNf(nf_type=name, node=node) for name in names)
