"""Null models: what any predictor has to beat. They know nothing of how NFs share a machine."""

from collections import defaultdict
from collections.abc import Mapping
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


@dataclass(frozen=True, slots=True)
class MeanDrop:
    """An NF type always loses what it lost on average on that kind of node."""

    name: str = "mean-drop"

    def fit(
        self,
        profiles: Profiles,
        without: frozenset[int] = frozenset(),
        without_types: frozenset[str] = frozenset(),
    ) -> Fitted:
        """As `Predictor`."""
        groups = _by_side(profiles.leaving_out(without, without_types))
        return _MeanDropFitted({key: fmean(sample.drop for sample in samples) for key, samples in groups.items()})


@dataclass(frozen=True, slots=True)
class _LinearReferencesFitted:
    slopes: Mapping[OfSide, float]
    """Drop by million references a second."""
    references: Mapping[str, LocalRemote]

    def drop(self, setting: PointSetting) -> float | None:
        slope, competing = self.slopes.get(_of_side(setting)), _competing(setting, self.references)
        return None if slope is None or competing is None else slope * competing


@dataclass(frozen=True, slots=True)
class LinearReferences:
    """Drop in proportion to the references a second that the other NFs of its node make to the LLC: references a
    packet alone times ideal throughput. Knows nothing on hosts without that counter."""

    name: str = "linear-references"

    def fit(
        self,
        profiles: Profiles,
        without: frozenset[int] = frozenset(),
        without_types: frozenset[str] = frozenset(),
    ) -> Fitted:
        """As `Predictor`: least squares through the origin, slope = sum(x d) / sum(x x)."""
        references = _references(profiles)
        slopes = {}
        for key, samples in _by_side(profiles.leaving_out(without, without_types)).items():
            pairs = [
                (competing, sample.drop)
                for sample in samples
                if (competing := _competing(sample.setting, references)) is not None
            ]
            squares = sum(competing * competing for competing, _ in pairs)
            if squares > 0:
                slopes[key] = sum(competing * drop for competing, drop in pairs) / squares
        return _LinearReferencesFitted(slopes, references)


def _of_side(setting: PointSetting) -> OfSide:
    return setting.subject.nf_type, "local" if setting.local else "remote"


def _by_side(profiles: Profiles) -> Mapping[OfSide, list[Sample]]:
    groups: dict[OfSide, list[Sample]] = defaultdict(list)
    for nf_type in profiles.samples:
        for sample in profiles.plain(nf_type):
            groups[_of_side(sample.setting)].append(sample)
    return groups


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
    total = 0.0
    for nf in (*setting.chain[:-1], *setting.others):
        if nf.node == setting.subject.node:
            known = references.get(nf.nf_type)
            if known is None:
                return None
            total += known.local if setting.local else known.remote
    return total
