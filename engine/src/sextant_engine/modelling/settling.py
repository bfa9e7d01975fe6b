"""Rates of all chains of a host by pressure curves, where every chain's rate says how much its NFs press on the others.

    T(x) of a chain = the least of what it is offered and, over its NFs i, of  ideal_i / (1 / (1 - S_i(P_i(x))) + h_i)
    P_i(x) = sum over other NFs j of  pressure_j min(1, x_j / full_j)^e,   x_j the rate of j's chain

h is the time that neighbours in the chain add (`handing`), S a curve; full_j is what j could carry if all NFs went as
fast as they can. That is how competitors are profiled: for NFs that are fed separately, the prediction is what
their profiles say.

Curves never fall, so that T never rises in any rate: x <= y gives T(x) >= T(y). Rates at rest, x = T(x), there are by
Brouwer, T being continuous where e > 0 (and constant where e = 0) and of values between T(0) and 0; and whatever they
are, x >= low gives x <= T(low), and so on in turn: two bounds that come nearer with every turn, and meet unless one
chain hangs too steeply on another. Between them damped steps x + s (T(x) - x) look for rest, each chain with an s of
its own, made smaller when its rate turns.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Protocol

from sextant_domain.profiling.curves import CurveModel, PressureCurve
from sextant_domain.profiling.job import StandingNf
from sextant_domain.profiling.model import LocalRemote

from sextant_engine.modelling.handing import added_time, by_neighbour, neighbours, part_left
from sextant_engine.modelling.pressures import curve_of, drop_at, role_at
from sextant_engine.modelling.rates import relative

MOST_STEPS = 100
BOUND_TURNS = 20
FIRST_STEP, BACK, ON = 0.5, 0.5, 1.1
"""What becomes of a chain's step where its rate turned, and where it went on the same way."""
SETTLED = 1e-4
"""Of a rate: nearer to rest than any measurement can resolve."""


@dataclass(frozen=True, slots=True)
class FedChain:
    """A chain where it runs."""

    nfs: tuple[StandingNf, ...]
    ingress_node: int
    """The node that its packets arrive on."""
    offered_mpps: float


@dataclass(frozen=True, slots=True)
class Capacity:
    """What an NF could carry if its chain were offered more, with all other chains at their rates."""

    mpps: float
    ideal_mpps: float
    half_width: float | None
    """Of the 95 % interval of its drop; None where its curve has none."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Of the chains of a host, in their order."""

    mpps: tuple[float, ...]
    room: tuple[tuple[Capacity, ...], ...]
    """Of every NF of every chain."""
    bounds: tuple[tuple[float, float], ...]
    """Between which every rate at rest lies, Mpps."""
    settled: bool
    """False: these rates are no rest, and the bounds are all that is known."""


@dataclass(frozen=True, slots=True)
class _Nf:
    chain: int
    """Its number."""
    node: int
    ideal: float
    added: float
    """By its neighbours in the chain, as a share of its time alone."""
    model: CurveModel
    curve: PressureCurve


def at_rest(
    chains: Sequence[FedChain], models: Mapping[str, CurveModel], ideals: Mapping[str, LocalRemote]
) -> Rest | None:
    """`models`, which are of one fit, and `ideals` (Mpps) by NF type. None where one is missing, or the curve of an
    NF's role."""
    placed = [
        _placed(number, chain, place, models, ideals)
        for number, chain in enumerate(chains)
        for place in range(len(chain.nfs))
    ]
    nfs = [nf for nf in placed if nf is not None]
    if len(nfs) < len(placed):
        return None
    host = _Host([chain.offered_mpps for chain in chains], nfs)
    low, high = _bounds(host)
    rates, off = steps_to_rest(host, low)
    return Rest(
        mpps=tuple(rates),
        room=tuple(tuple(_room(host, rates, number)) for number in range(len(chains))),
        bounds=tuple(zip(low, high, strict=True)),
        settled=off <= SETTLED,
    )


class _Host:
    def __init__(self, offered: list[float], nfs: Sequence[_Nf]) -> None:
        self.offered, self.nfs = offered, nfs
        self._full = self._under([1.0] * len(nfs))
        """Mpps of every NF if all went as fast as they can."""

    def room(self, rates: Sequence[float]) -> list[float]:
        """Mpps of every NF with chains at those rates."""
        pairs = zip(self.nfs, self._full, strict=True)
        return self._under([relative(rates[nf.chain], full) ** nf.model.rate_exponent for nf, full in pairs])

    def _under(self, parts: Sequence[float]) -> list[float]:
        """With every NF pressing by that part of what it presses at most."""
        near, far = defaultdict[int, float](float), defaultdict[int, float](float)
        for nf, part in zip(self.nfs, parts, strict=True):
            near[nf.node] += part * nf.model.near
            far[nf.node] += part * nf.model.far
        everywhere = sum(far.values())
        found = []
        for nf, part in zip(self.nfs, parts, strict=True):
            beside = near[nf.node] - part * nf.model.near
            pressure = beside + nf.curve.far_share * (everywhere - far[nf.node])
            found.append(nf.ideal * part_left(drop_at(nf.curve, pressure), nf.added))
        return found

    def carried(self, rates: Sequence[float]) -> list[float]:
        """T: Mpps of every chain."""
        found = list(self.offered)
        for nf, mpps in zip(self.nfs, self.room(rates), strict=True):
            found[nf.chain] = min(found[nf.chain], mpps)
        return found


def _bounds(host: _Host) -> tuple[list[float], list[float]]:
    low = [0.0] * len(host.offered)
    high = host.carried(low)
    for _ in range(BOUND_TURNS):
        low = host.carried(high)
        if _apart(low, high) <= SETTLED:
            break
        high = host.carried(low)
    return low, high


class Carrying(Protocol):
    """Chains of a host, whose rates say what each can carry."""

    def carried(self, rates: Sequence[float]) -> list[float]:
        """Mpps of every chain with all at those rates."""


def steps_to_rest(host: Carrying, start: list[float]) -> tuple[list[float], float]:
    """Rates, and how far they are from rest, relative: the nearest that were seen."""
    rates, steps = start, [FIRST_STEP] * len(start)
    before = [0.0] * len(start)
    best, least = start, inf
    for _ in range(MOST_STEPS):
        aim = host.carried(rates)
        if (off := _apart(rates, aim)) < least:
            best, least = rates, off
        if least <= SETTLED:
            break
        ways = [aimed - mpps for mpps, aimed in zip(rates, aim, strict=True)]
        steps = [
            step * BACK if way * last < 0 else min(1.0, step * ON)
            for step, way, last in zip(steps, ways, before, strict=True)
        ]
        rates = [mpps + step * way for mpps, step, way in zip(rates, steps, ways, strict=True)]
        before = ways
    return best, least


def _room(host: _Host, rates: Sequence[float], number: int) -> Iterator[Capacity]:
    """Of a chain's NFs. Where it is held back by what it is offered, its own rate is found by halving: the more it
    carries, the less its NFs have room for."""

    def at(mpps: float) -> list[float]:
        found = host.room([mpps if chain == number else rate for chain, rate in enumerate(rates)])
        return [room for nf, room in zip(host.nfs, found, strict=True) if nf.chain == number]

    low, found = rates[number], at(rates[number])
    high = min(found)
    while high - low > SETTLED * high:
        middle = (low + high) / 2
        found = at(middle)
        if min(found) >= middle:
            low = middle
        else:
            high = middle
    own = (nf for nf in host.nfs if nf.chain == number)
    yield from (Capacity(mpps, nf.ideal, nf.curve.half_width) for nf, mpps in zip(own, found, strict=True))


def _apart(first: Sequence[float], second: Sequence[float]) -> float:
    """Of the larger of two rates, at most."""
    pairs = zip(first, second, strict=True)
    return max((abs(one - other) / max(one, other) for one, other in pairs if one != other), default=0.0)


def _placed(
    number: int, chain: FedChain, place: int, models: Mapping[str, CurveModel], ideals: Mapping[str, LocalRemote]
) -> _Nf | None:
    nf = chain.nfs[place]
    model, ideal = models.get(nf.nf_type), ideals.get(nf.nf_type)
    local = nf.node == chain.ingress_node
    upstream = chain.nfs[place - 1].node == nf.node if place > 0 else None
    downstream = chain.nfs[place + 1].node == nf.node if place + 1 < len(chain.nfs) else None
    curve = None if model is None else curve_of(model, role_at(local, upstream))
    if model is None or ideal is None or curve is None:
        return None
    added = added_time(by_neighbour(model.handing), neighbours(local, upstream, downstream))
    return _Nf(number, nf.node, ideal.local if local else ideal.remote, added, model, curve)
