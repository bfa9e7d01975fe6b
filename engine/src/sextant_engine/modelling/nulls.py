"""Null models: what any predictor has to beat. They know nothing of how NFs share a machine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np
from numpy.typing import NDArray
from sextant_domain.profiling.fit import Side
from sextant_domain.profiling.job import PointSetting
from sextant_domain.profiling.model import LocalRemote

from sextant_engine.modelling.predictor import Fitted, Profiles

REFERENCES = "llc-references"
"""The count, a packet."""

OfSide = tuple[str, Side]
"""An NF type on a kind of node."""
Floats = NDArray[np.float64]


class _Plain:
    """Plain samples of some profiles as arrays: what folds of a cross-validation leave are rows of them."""

    def __init__(self, profiles: Profiles) -> None:
        plain = {one.point_id for nf_type in profiles.samples for one in profiles.plain(nf_type)}
        samples = list(profiles.every_sample())
        self.profiles = profiles
        self.rows = np.array([row for row, one in enumerate(samples) if one.point_id in plain], dtype=np.intp)
        """Among all samples."""
        self.settings = [samples[row].setting for row in self.rows]
        self.drops = np.array([samples[row].drop for row in self.rows])
        self.row_of = {id(setting): row for row, setting in enumerate(self.settings)}
        """By id of the setting, which is kept alive here."""
        self.of_side = [_of_side(setting) for setting in self.settings]
        self.keys = sorted(set(self.of_side))
        self.key = np.array([self.keys.index(key) for key in self.of_side], dtype=np.intp)

    def left(self, without: frozenset[int], without_types: frozenset[str]) -> NDArray[np.bool_]:
        """Of every plain sample, whether it stays."""
        return np.array(self.profiles.are_left(without, without_types), dtype=bool)[self.rows]

    def ratios(self, above: Floats, below: Floats, left: NDArray[np.bool_]) -> dict[OfSide, float]:
        """Sum of `above` over sum of `below`, of the samples that are left; absent where that is 0."""
        sums = [np.bincount(self.key[left], one[left], len(self.keys)).tolist() for one in (above, below)]
        return {key: one / other for key, one, other in zip(self.keys, *sums, strict=True) if other > 0}


@dataclass(frozen=True, slots=True)
class _ZeroDropFitted(Fitted):
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
class _MeanDropFitted(Fitted):
    means: Mapping[OfSide, float]
    plain: _Plain

    def drop(self, setting: PointSetting) -> float | None:
        row = self.plain.row_of.get(id(setting))
        return self.means.get(_of_side(setting) if row is None else self.plain.of_side[row])


class MeanDrop:
    """An NF type always loses what it lost on average on that kind of node.

    It keeps the arrays of the profiles that it saw last: folds of a cross-validation are of one.
    """

    name = "mean-drop"

    def __init__(self) -> None:
        self._last: _Plain | None = None

    def fit(
        self,
        profiles: Profiles,
        without: frozenset[int] = frozenset(),
        without_types: frozenset[str] = frozenset(),
    ) -> Fitted:
        """As `Predictor`."""
        if self._last is None or self._last.profiles is not profiles:
            self._last = _Plain(profiles)
        plain = self._last
        means = plain.ratios(plain.drops, np.ones_like(plain.drops), plain.left(without, without_types))
        return _MeanDropFitted(means, plain)


@dataclass(frozen=True, slots=True)
class _LinearReferencesFitted(Fitted):
    slopes: Mapping[OfSide, float]
    """Drop by million references a second."""
    references: Mapping[str, LocalRemote]
    plain: _Plain
    competing: Sequence[float]
    """In every plain sample; not a number where that is not known."""

    def drop(self, setting: PointSetting) -> float | None:
        row = self.plain.row_of.get(id(setting))
        if row is not None:
            slope, level = self.slopes.get(self.plain.of_side[row]), self.competing[row]
            return None if slope is None or isnan(level) else slope * level
        slope, competing = self.slopes.get(_of_side(setting)), _competing(setting, self.references)
        return None if slope is None or competing is None else slope * competing


class LinearReferences:
    """Drop in proportion to the references a second that the other NFs of its node make to the LLC: references a
    packet alone times ideal throughput. Knows nothing on hosts without that counter.

    It keeps what competes in samples of the profiles that it saw last: folds of a cross-validation are of one.
    """

    name = "linear-references"

    def __init__(self) -> None:
        self._last: tuple[_Plain, Mapping[str, LocalRemote], Floats] | None = None

    def fit(
        self,
        profiles: Profiles,
        without: frozenset[int] = frozenset(),
        without_types: frozenset[str] = frozenset(),
    ) -> Fitted:
        """As `Predictor`: least squares through the origin, slope = sum(x d) / sum(x x)."""
        plain, references, competing = self._known(profiles)
        left = plain.left(without, without_types) & ~np.isnan(competing)
        slopes = plain.ratios(competing * plain.drops, competing * competing, left)
        return _LinearReferencesFitted(slopes, references, plain, competing.tolist())

    def _known(self, profiles: Profiles) -> tuple[_Plain, Mapping[str, LocalRemote], Floats]:
        """With what competes in every plain sample; not a number where that is not known."""
        if self._last is None or self._last[0].profiles is not profiles:
            plain, references = _Plain(profiles), _references(profiles)
            competing = np.array([_competing(setting, references) for setting in plain.settings], dtype=float)
            self._last = plain, references, competing
        return self._last


def _of_side(setting: PointSetting) -> OfSide:
    return setting.subject.nf_type, "local" if setting.local else "remote"


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
