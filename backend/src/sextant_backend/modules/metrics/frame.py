"""What a family of metrics is, and what sources give."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Group(StrEnum):
    """What the number of a family's series grows with. Where there are too many series, groups are left out whole, the
    last one first; those of the fleet never."""

    FLEET = "fleet"
    HOST = "host"
    CHAIN = "chain"
    NF = "nf"


@dataclass(frozen=True, slots=True)
class Family:
    """One metric, as docs/guides/metrics.md shows it."""

    name: str
    unit: str
    labels: tuple[str, ...]
    meaning: str
    group: Group
    kind: str = "gauge"
    """`gauge`, `counter` or `histogram`, as Prometheus means them."""


Labels = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Distribution:
    """The value of a histogram's series: how many were at most so large, by bound, and their sum."""

    buckets: Sequence[tuple[str, float]]
    """Cumulative; the last bound is `+Inf`."""
    total: float


@dataclass
class Found:
    """What sources found, by family."""

    values: dict[Family, list[tuple[Labels, float]]] = field(default_factory=dict)
    distributions: dict[Family, list[tuple[Labels, Distribution]]] = field(default_factory=dict)

    def add(self, family: Family, value: float | bool | None, *labels: str) -> None:
        """A series, in the order of the family's labels; none where nothing is known."""
        if value is not None:
            self.values.setdefault(family, []).append((labels, float(value)))

    def add_distribution(self, family: Family, value: Distribution, *labels: str) -> None:
        """The series of a histogram."""
        self.distributions.setdefault(family, []).append((labels, value))

    def series(self, group: Group) -> int:
        """How many series there are of a group."""
        plain = sum(len(found) for family, found in self.values.items() if family.group is group)
        of_histograms = (
            len(value.buckets) + 2
            for family, found in self.distributions.items()
            if family.group is group
            for _, value in found
        )
        return plain + sum(of_histograms)

    def without(self, groups: frozenset[Group]) -> "Found":
        """The same without these groups."""
        return Found(
            {family: found for family, found in self.values.items() if family.group not in groups},
            {family: found for family, found in self.distributions.items() if family.group not in groups},
        )
