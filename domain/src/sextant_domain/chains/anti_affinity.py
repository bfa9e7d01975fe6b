"""Anti-affinity: chains of one group that must not stand together."""

from collections.abc import Collection, Iterator, Mapping
from itertools import combinations
from typing import Literal, NamedTuple

from sextant_domain.base import Frozen, Name

Scope = Literal["host", "node"]


class AntiAffinity(Frozen):
    """Chains of one group that must not stand together, such as replicas of each other, or two that back each other up.

    Required, not preferred: a chain that finds no place apart from the others gets none."""

    group: Name
    """Any name; the chains that give the same one are kept apart."""
    scope: Scope = "host"
    """What two of them must not share: a host, or a NUMA node of one. Between two chains the stricter scope holds: they
    may share a host only where both say `node`."""

    def parts(self, other: "AntiAffinity | None") -> Scope | None:
        """What a chain with this must not share with a chain with `other`; None where they may stand together."""
        if other is None or other.group != self.group:
            return None
        return "node" if self.scope == other.scope == "node" else "host"


class Together(NamedTuple):
    """Two chains that stand together and must not."""

    one: str
    other: str
    node: int | None
    """That they share; None: the host."""


def together(groups: Mapping[str, AntiAffinity], nodes: Mapping[str, Collection[int]]) -> Iterator[Together]:
    """Of the chains of one host, each with its group and the nodes that it stands on."""
    by_group: dict[str, list[str]] = {}
    for chain in sorted(groups):
        by_group.setdefault(groups[chain].group, []).append(chain)
    for chains in by_group.values():
        for one, other in combinations(chains, 2):
            if groups[one].parts(groups[other]) == "host":
                yield Together(one, other, None)
            else:
                yield from (Together(one, other, node) for node in sorted({*nodes[one]} & {*nodes[other]}))
