"""At which part of its ideal rate every NF goes that stands beside or in front of another. Plain Python.

None goes faster than it is fed, and an NF in a chain counts at what the chain carries. Where no ring holds it back it
takes more than that, and those behind it drop the rest; but a chain's packets are the same buffers in all of its NFs,
and counted at what each takes they were predicted to press more than they do. What an NF presses is a power of its
relative rate times what it presses at full rate: the power is fitted (`curves`), 0 where no sample shows it.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sextant_domain.profiling.job import PointSetting, StandingNf
from sextant_domain.profiling.model import LocalRemote

from sextant_engine.modelling.predictor import competitor_types

Ideals = Mapping[str, LocalRemote]
"""Mpps alone, by NF type."""


class Pressing(NamedTuple):
    """An NF as another one feels it."""

    nf_type: str
    """Bubbles of a size are a type of their own."""
    near: bool
    """On the other's node."""
    rate: float
    """Over its ideal one, above 0 and at most 1; 1 where either is not known."""


def pressing_on(setting: PointSetting, ideals: Ideals) -> Iterator[Pressing]:
    """All other NFs, those of its own chain included, as far as they are known before anything is measured: a chain
    goes at its slowest NF's ideal rate, the subject's own at the subject's."""
    local, node = setting.ingress_node, setting.subject.node
    own = _alone(setting.subject, ideals, local)
    for nf in (*setting.chain[:-1], *setting.downstream):
        yield Pressing(nf.nf_type, nf.node == node, relative(own, _alone(nf, ideals, local)))
    names, size = competitor_types(setting), setting.others_a_chain
    known: dict[tuple[tuple[str, int], ...], list[Pressing]] = {}
    for first in range(0, len(setting.others), size):
        chain = setting.others[first : first + size]
        key = tuple([(nf.nf_type, nf.node) for nf in chain])
        if key not in known:
            alone = [_alone(nf, ideals, local) for nf in chain]
            limits = [mpps for mpps in (setting.rate_mpps, *alone) if mpps is not None]
            slowest = min(limits) if limits else None
            known[key] = [
                Pressing(name, nf.node == node, relative(slowest, mpps))
                for name, nf, mpps in zip(names[first : first + size], chain, alone, strict=True)
            ]
        yield from known[key]


def relative(mpps: float | None, ideal: float | None) -> float:
    """At most 1, which it is where nothing is known."""
    return 1.0 if mpps is None or ideal is None or mpps >= ideal else mpps / ideal


def _alone(nf: StandingNf, ideals: Ideals, local: int) -> float | None:
    ideal = ideals.get(nf.nf_type)
    return None if ideal is None else ideal.local if nf.node == local else ideal.remote
