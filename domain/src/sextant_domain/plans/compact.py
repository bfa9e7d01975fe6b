"""What a plan by CoCo says of a host whose cores are shared: what passes from core to core, and what cores need."""

from collections.abc import Iterable
from statistics import fmean
from typing import Self

from pydantic import Field

from sextant_domain.base import Frozen, Name, NfId
from sextant_domain.hosts.measured_shares import HopDelay
from sextant_domain.profiling.shares_ask import HopDistance


class HopDelays(Frozen):
    """CoCo's t_d: what handing a packet on costs, by distance."""

    same_core: float = Field(default=0.0, ge=0)
    same_node: float = Field(default=1.0, ge=0)
    other_node: float = Field(default=2.0, ge=0)
    measured: bool = False
    """Microseconds, as promoted shares of the host model have them. False: assumed; a hop to another core of the node
    counts 1, and one to another node as two of these."""

    @classmethod
    def mean_of(cls, hops: Iterable[HopDelay]) -> Self | None:
        """Of hops that were measured with several NF types; None without one to another core of the node. A hop that
        makes packets quicker costs nothing: CoCo's t_d is a cost. One to another node that was not measured, since the
        host has no such cores, costs what one on the node does."""
        by_distance: dict[HopDistance, list[float]] = {}
        for hop in hops:
            by_distance.setdefault(hop.distance, []).append(hop.us)
        us = {distance: max(0.0, fmean(found)) for distance, found in by_distance.items()}
        if "same_node" not in us:
            return None
        return cls(
            same_core=us.get("same_core", 0.0),
            same_node=us["same_node"],
            other_node=us.get("other_node", us["same_node"]),
            measured=True,
        )


class CompactHop(Frozen):
    """Two NFs of a chain, one after the other."""

    chain: Name
    source: NfId
    target: NfId
    rate_mpps: float
    """What the chain is offered."""
    distance: HopDistance


class CompactCore(Frozen):
    """A core that NFs may share."""

    core: int
    node: int
    before_percent: float
    """Of its time, what its NFs needed before, if their chains carried all that they are offered."""
    nfs_percent: float
    """The same under the plan."""
    others_percent: float
    """What is taken for everything else: other work, and the chains' source and sink."""


class CompactChain(Frozen):
    """What time sharing predicts of a chain where the algorithm puts it, and where the engine's own choice would."""

    chain: Name
    mpps: float | None
    """None where it is not predicted."""
    automatic_mpps: float | None
    """None where it is not predicted, or would find no place."""


class CompactEvidence(Frozen):
    """How NFs of a host were placed on shared cores."""

    delayed: float
    """CoCo's objective, delayed bytes: over all chains and hops of the host rate (Mpps) x t_d."""
    automatic: float | None
    """Of the engine's own choice for the same chains; None where it has none."""
    moves: int
    move_price: float
    """What a move of an NF that runs counts, in the same unit."""
    cost: float
    """`delayed`, and the price of the moves."""
    bound: float
    """No placement of the same chains costs less."""
    delays: HopDelays
    full_percent: float
    """The most of a core that NFs and everything else may need together."""
    cores: tuple[CompactCore, ...]
    """Those that offer slots, by number."""
    hops: tuple[CompactHop, ...]
    """By chain, in the order in which packets pass."""
    chains: tuple[CompactChain, ...]
    """By name."""

    @property
    def gap(self) -> float:
        """How far the cost may be above the least."""
        return max(0.0, self.cost - self.bound)
