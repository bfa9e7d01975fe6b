"""Competing levels on an NF: what weighs on its LLC and on memory or interconnect (Octans, Sec. IV-B, Eq. 7, 9-11).

The same rules as the solver's (`roles.rs`, `model.rs` of the native core), which a test compares with these. Levels are
kept as counts of NF types, so that they are found once a setting, whatever types weigh.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain

from sextant_domain.curves import Role
from sextant_domain.fit import Side
from sextant_domain.profiling import PointSetting, StandingNf

Weights = Mapping[str, float]
"""By NF type: 1 / x, where x is its metric over the scale of the host model (Eq. 7)."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Which NFs compete with the subject of a setting, by NF type, without itself."""

    role: Role
    llc: Mapping[str, int] | None
    """None: its packets are in no cache, and the level is the constant 1 (Eq. 9 on remote nodes, Eq. 10)."""
    mem: Mapping[str, int]

    @property
    def side(self) -> Side:
        """Whose coefficients hold."""
        return "local" if self.role in {Role.LOCAL, Role.CROSSING} else "remote"

    def at(self, weights: Weights) -> "Levels | None":
        """With types that weigh so much; None where the weight of one of them is not known."""
        if not all(nf_type in weights for nf_type in (*(self.llc or ()), *self.mem)):
            return None
        llc = 1.0 if self.llc is None else _level(self.llc, weights)
        return Levels(self.role, self.side, llc, _level(self.mem, weights))


@dataclass(frozen=True, slots=True)
class Levels:
    """How much weighs on the subject of a setting."""

    role: Role
    side: Side
    llc: float
    """On the last-level cache."""
    mem: float
    """On the memory controller (local), on the interconnect (remote)."""


def levels_of(setting: PointSetting, weights: Weights) -> Levels | None:
    """Levels on the subject; None where the weight of a competitor is not known."""
    return terms_of(setting).at(weights)


def terms_of(setting: PointSetting) -> Terms:
    """Competitors of the subject (`roles.rs`: `levels`).

    A chain that prefetches on a remote node counts for the LLC as one competitor, by its first NF there.
    """
    every: dict[int, Counter[str]] = {}
    leading: dict[int, Counter[str]] = {}
    chains = (*((other,) for other in setting.others), setting.chain)
    walks = [_walk(nfs, setting.ingress_node) for nfs in chains]
    for nf, role, _ in chain.from_iterable(walks):
        every.setdefault(nf.node, Counter())[nf.nf_type] += 1
        if role is not Role.BEHIND:
            leading.setdefault(nf.node, Counter())[nf.nf_type] += 1
    subject, role, head = walks[-1][-1]
    on_node = _without(every[subject.node], subject.nf_type)
    if role in {Role.LOCAL, Role.CROSSING}:
        server = _without(sum(every.values(), Counter()), subject.nf_type)
        return Terms(role, on_node if role is Role.LOCAL else None, server)
    if role is Role.HEAD:
        return Terms(role, None, on_node)
    return Terms(role, _without(leading[subject.node], head.nf_type), on_node)


def _walk(nfs: tuple[StandingNf, ...], ingress: int) -> list[tuple[StandingNf, Role, StandingNf]]:
    """Each NF of a chain with its role and the head of its run (`roles.rs`: `Role::next`)."""
    found: list[tuple[StandingNf, Role, StandingNf]] = []
    for nf in nfs:
        local = nf.node == ingress
        if found and found[-1][0].node == nf.node:
            found.append((nf, Role.LOCAL if local else Role.BEHIND, found[-1][2]))
        elif local:
            found.append((nf, Role.CROSSING if found else Role.LOCAL, nf))
        else:
            found.append((nf, Role.HEAD, nf))
    return found


def _without(counts: Counter[str], nf_type: str) -> Counter[str]:
    """One NF of that type less; types of which none is left are not in it."""
    return counts - Counter({nf_type: 1})


def _level(counts: Mapping[str, int], weights: Weights) -> float:
    return sum(weights[nf_type] * count for nf_type, count in counts.items())
