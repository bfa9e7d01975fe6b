"""Null models: what any predictor has to beat. They know nothing of how NFs share a machine."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean

from sextant_domain.fit import Side
from sextant_domain.model import LocalRemote
from sextant_domain.profiling import PointSetting

from sextant_engine.modelling.predictor import Fitted, Profiles, Sample

REFERENCES = "llc-references"
"""The count, a packet."""

OfSide = tuple[str, Side]
"""An NF type on a kind of node."""


@dataclass(frozen=True, slots=True)
class _ZeroDropFitted:
    def drop(self, setting: PointSetting) -> float | None:  # noqa: ARG002 - whatever it is
        return 0.0


@dataclass(frozen=True, slots=True)
class ZeroDrop:
    """Nobody loses anything."""

    name: str = "zero-drop"

    def fit(
        self,
        profiles: Profiles,  # noqa: ARG002 - nothing is learnt
        without: frozenset[int] = frozenset(),  # noqa: ARG002
        without_types: frozenset[str] = frozenset(),  # noqa: ARG002
    ) -> Fitted:
        """As `Predictor`."""
        return _ZeroDropFitted()


@dataclass(frozen=True, slots=True)
class _MeanDropFitted:
    means: Mapping[OfSide, float]

    def drop(self, setting: PointSetting) -> float | None:
        return self.means.get(_of_side(setting))


class MeanDrop:
    """An NF type always loses what it lost on average on that kind of node."""

    name = "mean-drop"

    def fit(
        self,
        profiles: Profiles,
        without: frozenset[int] = frozenset(),
        without_types: frozenset[str] = frozenset(),
    ) -> Fitted:
        """As `Predictor`."""
        groups: dict[OfSide, list[float]] = defaultdict(list)
        for sample in _plain(profiles, without, without_types):
            groups[_of_side(sample.setting)].append(sample.drop)
        return _MeanDropFitted({key: fmean(drops) for key, drops in groups.items()})


@dataclass(frozen=True, slots=True)
class _LinearReferencesFitted:
    slopes: Mapping[OfSide, float]
    """Drop by million references a second."""
    references: Mapping[str, LocalRemote]

    def drop(self, setting: PointSetting) -> float | None:
        slope, competing = self.slopes.get(_of_side(setting)), _competing(setting, self.references)
        return None if slope is None or competing is None else slope * competing


class LinearReferences:
    """Drop in proportion to the references a second that the other NFs of its node make to the LLC: references a
    packet alone times ideal throughput. Knows nothing on hosts without that counter.

    It keeps what competes in samples of the profiles that it saw last: folds of a cross-validation are of one.
    """

    name = "linear-references"

    def __init__(self) -> None:
        self._last: tuple[Profiles, Mapping[str, LocalRemote], Mapping[int, float | None]] | None = None

    def fit(
        self,
        profiles: Profiles,
        without: frozenset[int] = frozenset(),
        without_types: frozenset[str] = frozenset(),
    ) -> Fitted:
        """As `Predictor`: least squares through the origin, slope = sum(x d) / sum(x x)."""
        references, competing = self._known(profiles)
        products: dict[OfSide, float] = defaultdict(float)
        squares: dict[OfSide, float] = defaultdict(float)
        for sample in _plain(profiles, without, without_types):
            level = competing[sample.point_id]
            if level is not None:
                key = _of_side(sample.setting)
                products[key] += level * sample.drop
                squares[key] += level * level
        slopes = {key: products[key] / square for key, square in squares.items() if square > 0}
        return _LinearReferencesFitted(slopes, references)

    def _known(self, profiles: Profiles) -> tuple[Mapping[str, LocalRemote], Mapping[int, float | None]]:
        if self._last is None or self._last[0] is not profiles:
            references = _references(profiles)
            competing = {one.point_id: _competing(one.setting, references) for one in _plain(profiles)}
            self._last = profiles, references, competing
        return self._last[1:]


def _of_side(setting: PointSetting) -> OfSide:
    return setting.subject.nf_type, "local" if setting.local else "remote"


def _plain(
    profiles: Profiles, without: frozenset[int] = frozenset(), without_types: frozenset[str] = frozenset()
) -> Iterator[Sample]:
    left = profiles.leaving_out(without, without_types)
    for nf_type in left.samples:
        yield from left.plain(nf_type)


def _references(profiles: Profiles) -> dict[str, LocalRemote]:
    """Million a second, by NF type; those that make none or are not known are absent."""
    found = {}
    for nf_type, ideal in profiles.ideal.items():
        packet = profiles.counts_alone.get(nf_type, {}).get(REFERENCES)
        if packet is not None and packet > 0:
            found[nf_type] = LocalRemote(local=packet * ideal.local, remote=packet * ideal.remote)
    return found


def _competing(setting: PointSetting, references: Mapping[str, LocalRemote]) -> float | None:
    """Of all other NFs on the subject's node; None where those of one are not known."""
    total, node, local = 0.0, setting.subject.node, setting.local
    for nf in (*setting.chain[:-1], *setting.others):
        if nf.node == node:
            known = references.get(nf.nf_type)
            if known is None:
                return None
            total += known.local if local else known.remote
    return total
