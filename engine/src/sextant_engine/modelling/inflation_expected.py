"""What packets cost beside others, as a fitted model says it. No NumPy; the engine's core has the same for
assignments."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sextant_domain.profiling.inflation import InflationModel

from sextant_engine.modelling.host_samples import KnownNf, SeenNf


@dataclass(frozen=True, slots=True)
class StandingNf:
    """An NF where it runs."""

    nf_id: str
    nf_type: str
    alone_us: float
    """Of a packet, where it has a core and the node to itself."""
    load_alone: float
    """Part of its core that its packets would take then."""
    core: int
    node: int


@dataclass(frozen=True, slots=True)
class Expected:
    """What a packet of an NF should take, microseconds."""

    us: float
    low_us: float | None
    """With `high_us` what nine of ten take, by how far off the fit was; None: nothing says that. `high_us` None beside
    it: nothing bounds it."""
    high_us: float | None
    guessed: bool
    """The fit does not know its type: the upper quartile of those that it knows."""


def expected_within(
    model: InflationModel, chains: Sequence[Sequence[StandingNf]], left_out: float | None, held_out: float | None
) -> Mapping[str, Expected]:
    """`left_out`: the error in nine of ten of what a fit did not use; `held_out`: that of types that it did not know.
    What it costs others to have a type beside them that the fit does not know, neither error says."""
    nfs = [nf for chain in chains for nf in chain]
    foreign = {nf.node for nf in nfs if nf.nf_type not in model.kinds and nf.load_alone > 0}
    costs, found = expected_us(model, chains), {}
    for nf in nfs:
        guessed = nf.nf_type not in model.kinds
        error = held_out if guessed else None if nf.node in foreign else left_out
        low, high = (None, None) if error is None else within(costs[nf.nf_id], error)
        found[nf.nf_id] = Expected(costs[nf.nf_id], low, high, guessed)
    return found


def within(expected: float, error: float) -> tuple[float, float | None]:
    """Errors are of what is seen: |expected - seen| <= error x seen, so that it is seen between expected / (1 + error)
    and expected / (1 - error)."""
    return expected / (1 + error), expected / (1 - error) if error < 1 else None


def expected_us(model: InflationModel, chains: Sequence[Sequence[StandingNf]]) -> Mapping[str, float]:
    """Of a packet, by NF; `chains`: all of a host, in the order in which packets pass."""
    nfs = [nf for chain in chains for nf in chain]
    found = {nf.nf_id: nf.alone_us * (1 + _added(model, nf, nfs)) for nf in nfs}
    hand_off = model.hand_off
    for chain in chains:
        for before, after in pairwise(chain):
            if before.core != after.core:
                near = before.node == after.node
                found[after.nf_id] += hand_off.from_socket if near else hand_off.from_remote
                found[before.nf_id] += hand_off.to_socket if near else hand_off.to_remote
    return found


def errors_of(
    model: InflationModel,
    chains: Sequence[Sequence[KnownNf]],
    windows: Iterable[Mapping[str, SeenNf]],
    node_of: Mapping[int, int],
) -> Mapping[str, list[float]]:
    """By NF of a type that the model knows: how far off it was in each window, of the cost as seen.

    A window in which another NF ran, or a core that is no more was used, says nothing. An NF without packets costs
    nobody anything; of a chain that was not seen as a whole it is not known who handed packets to whom, and its NFs
    only count beside others.
    """
    known = {nf.nf_id for chain in chains for nf in chain}
    found: defaultdict[str, list[float]] = defaultdict(list)
    for window in windows:
        if not window.keys() <= known or any(one.core not in node_of for one in window.values()):
            continue
        whole, rest = [], []
        for chain in chains:
            standing = [_standing(nf, window[nf.nf_id], node_of) for nf in chain if nf.nf_id in window]
            if len(standing) == len(chain):
                whole.append(standing)
            else:
                rest += [[one] for one in standing]
        expected = expected_us(model, [*whole, *rest])
        for one in (one for chain in whole for one in chain if one.nf_type in model.kinds):
            seen = window[one.nf_id].cost_us
            found[one.nf_id].append(abs(expected[one.nf_id] - seen) / seen)
    return found


def _standing(nf: KnownNf, seen: SeenNf, node_of: Mapping[int, int]) -> StandingNf:
    return StandingNf(nf.nf_id, nf.nf_type, nf.alone_us, nf.alone_us * seen.mpps, seen.core, node_of[seen.core])


def _added(model: InflationModel, nf: StandingNf, nfs: Sequence[StandingNf]) -> float:
    """A part of what it costs alone."""
    added = 0.0
    for other in nfs:
        if other.nf_id == nf.nf_id or other.node != nf.node:
            continue
        table = model.core if other.core == nf.core else model.socket
        weight = other.load_alone if model.weight == "load" else float(other.load_alone > 0)
        added += table[_kind(model, nf.nf_type)][_kind(model, other.nf_type)] * weight
    return added


def _kind(model: InflationModel, nf_type: str) -> int:
    """The last one is any that the model does not know."""
    return model.kinds.index(nf_type) if nf_type in model.kinds else len(model.kinds)
