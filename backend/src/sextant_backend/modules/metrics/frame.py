"""What a family of metrics is, and what sources give."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache


class Group(StrEnum):
    """What the number of a family's series grows with. Where there are too many series, groups are left out whole, the
    last one first; those of the fleet never."""

    FLEET = "fleet"
    HOST = "host"
    CHAIN = "chain"
    NF = "nf"


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """One metric, as docs/guides/metrics.md shows it. There is one object of each: compared as such, in no time."""

    name: str
    unit: str
    labels: tuple[str, ...]
    meaning: str
    group: Group
    kind: str = "gauge"
    """`gauge`, `counter` or `histogram`, as Prometheus means them."""


Labels = tuple[str, ...]
Series = tuple[str, float]
"""Labels as `written`, and the value."""


def written(names: Labels, values: Labels) -> str:
    """Labels as Prometheus' text has them within braces, by name, as its own library sorts them."""
    found = _form(names).format(*values)
    if "\\" in found or "\n" in found or found.count('"') != 2 * len(names):
        values = tuple(value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"") for value in values)
        found = _form(names).format(*values)
    return found


class Known(dict[Labels, str]):
    """Labels of one set of names, as `written`, by their values: from one reading to the next few change, and to write
    them takes longer than to read all that is measured."""

    def __init__(self, names: Labels) -> None:
        super().__init__()
        self._names = names

    def __missing__(self, values: Labels) -> str:
        found = self[values] = written(self._names, values)
        return found


@lru_cache(maxsize=256)
def known(names: Labels) -> Known:
    """Of these names: kept until `forget_labels`."""
    return Known(names)


def forget_labels() -> None:
    """So that names of what is long gone are not kept for ever."""
    known.cache_clear()


@lru_cache(maxsize=256)
def _form(names: Labels) -> str:
    return ",".join(f'{name}="{{{place}}}"' for name, place in sorted(zip(names, range(len(names)), strict=True)))


@dataclass(frozen=True, slots=True)
class Distribution:
    """The value of a histogram's series: how many were at most so large, by bound, and their sum."""

    buckets: Sequence[tuple[str, float]]
    """Cumulative; the last bound is `+Inf`."""
    total: float


@dataclass
class Found:
    """What sources found, by family."""

    values: dict[Family, list[Series]] = field(default_factory=dict)
    distributions: dict[Family, list[tuple[Labels, Distribution]]] = field(default_factory=dict)

    def of(self, family: Family) -> list[Series]:
        """Those of one family, to be added to: for sources of many thousands."""
        return self.values.setdefault(family, [])

    def add(self, family: Family, value: float | bool | None, *labels: str) -> None:
        """A series, in the order of the family's labels; none where nothing is known."""
        if value is not None:
            self.of(family).append((known(family.labels)[labels], float(value)))

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
