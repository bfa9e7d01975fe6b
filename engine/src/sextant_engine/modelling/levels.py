"""Competing levels on an NF: what weighs on its LLC and on memory or interconnect (Octans, Sec. IV-B, Eq. 7, 9-11).

The same rules as the solver's (`roles.rs`, `model.rs` of the native core), which a test compares with these. What an NF
competes with is found once a setting, whatever NF types weigh.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sextant_domain.profiling.curves import ChainRole
from sextant_domain.profiling.fit import Side
from sextant_domain.profiling.job import PointSetting, StandingNf

Weights = Mapping[str, float]
"""By NF type: 1 / x, where x is its metric over the scale of the host model (Eq. 7)."""


@dataclass(frozen=True, slots=True)
class Terms:
    """NF types that compete with the subject of a setting, each as often as it is there, without the subject."""

    role: ChainRole
    llc: tuple[str, ...] | None
    """None: its packets are in no cache, and the level is the constant 1 (Eq. 9 on remote nodes, Eq. 10)."""
    mem: tuple[str, ...]

    @property
    def side(self) -> Side:
        """Whose coefficients hold."""
        return "local" if self.role in {ChainRole.LOCAL, ChainRole.CROSSING} else "remote"

    def at(self, weights: Weights) -> "CompetingLevels | None":
        """With types that weigh so much; None where the weight of one of them is not known."""
        try:
            llc = 1.0 if self.llc is None else sum(weights[nf_type] for nf_type in self.llc)
            return CompetingLevels(self.role, self.side, llc, sum(weights[nf_type] for nf_type in self.mem))
        except KeyError:
            return None


@dataclass(frozen=True, slots=True)
class CompetingLevels:
    """How much weighs on the subject of a setting."""

    role: ChainRole
    side: Side
    llc: float
    """On the last-level cache."""
    mem: float
    """On the memory controller (local), on the interconnect (remote)."""


def levels_of(setting: PointSetting, weights: Weights) -> CompetingLevels | None:
    """Levels on the subject; None where the weight of a competitor is not known."""
    return terms_of(setting).at(weights)


def terms_of(setting: PointSetting) -> Terms:
    """Competitors of the subject (`roles.rs`: `levels`).

    A chain that prefetches on a remote node counts for the LLC as one competitor, by its first NF there.
    """
    chain, node, ingress = setting.chain, setting.chain[-1].node, setting.ingress_node
    beside = [other.nf_type for other in setting.others if other.node == node]
    on_node = _types([*beside, *(nf.nf_type for nf in chain[:-1] if nf.node == node)])
    first_of_run = len(chain) == 1 or chain[-2].node != node
    if node == ingress:
        server = _types(nf.nf_type for nf in (*setting.others, *chain[:-1]))
        crossing = first_of_run and len(chain) > 1
        return Terms(ChainRole.CROSSING, None, server) if crossing else Terms(ChainRole.LOCAL, on_node, server)
    if first_of_run:
        return Terms(ChainRole.HEAD, None, on_node)
    other_heads = list(_heads(chain, node))[:-1]
    return Terms(ChainRole.BEHIND, _types([*beside, *other_heads]), on_node)


def _heads(chain: tuple[StandingNf, ...], node: int) -> Iterable[str]:
    """Types of the first NFs of a chain's runs on a node, in order: the last is the head of the last NF's run."""
    upstream = None
    for nf in chain:
        if nf.node == node and upstream != node:
            yield nf.nf_type
        upstream = nf.node


def _types(found: Iterable[str]) -> tuple[str, ...]:
    """Sorted, so that the order of competitors changes no sum, not even in its last digit."""
    return tuple(sorted(found))
