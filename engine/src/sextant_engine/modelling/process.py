"""The third predictor: a Gaussian process over what others bring to bear on an NF (Rasmussen & Williams 2006, ch. 2).

Drops of an NF type are jointly normal. How alike two samples are follows from how alike their loads are (`loads`), and
whether the NF stands alike in its chain: roles of one kind of node share nine tenths. A role that differs from the NF
alone (behind another) has a level of its own; in the others a drop without any load is 0. Nothing is assumed of the
shape but how quickly drops bend, which is the same for all (`Shape`), and was chosen where no table looks: on other
draws of the twin's priors, another machine, and other NFs. What a process says of its own doubt scales its intervals.

Unlike a pressure curve it may fall, and does where samples fall by more than their errors. What a fold of a
cross-validation leaves out follows in closed form from the fit on all samples (ibid., Eq. 5.12, for blocks).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from sextant_domain.profiling.curves import ChainRole, Handing
from sextant_domain.profiling.job import PointSetting
from sextant_domain.profiling.process import ProcessFit, ProcessModel, ProcessSample, ProcessShape

from sextant_engine.modelling.handing import Neighbour, added_by, added_time, neighbours_of, part_left
from sextant_engine.modelling.loads import Alone, Load, load_in
from sextant_engine.modelling.predictor import OF_OTHER_CONFIGURATIONS, Fitted, Profiles, Sample
from sextant_engine.modelling.pressures import role_of
from sextant_engine.modelling.stored_process import ROLES

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

NO_MINUS_ZERO = 0.0
"""Added, it makes -0.0 what a database's JSON makes of it, so that digests stay what they are."""
MODEL_ERROR = 0.004
"""What the process itself is off by."""


LENGTHS = Load(1.8, 1.3, 1.8, 1.3 * 1.5, 1.8 * 1.5)


@dataclass(frozen=True, slots=True)
class Shape:
    """How alike samples are: standard deviations of drops, and loads over which drops change."""

    level: float = 0.3
    """Of a role behind another NF."""
    bend: float = 0.0125
    """About a straight line."""
    slope: float = 0.015
    """Of the straight line."""
    lengths: Load = LENGTHS
    """Of square roots of loads: the tenth competitor adds less than the first."""
    shared: float = 0.9
    """By roles on one kind of node."""

    def alike(self, loads: Floats, roles: Rows, others: Floats, other_roles: Rows) -> Floats:
        """Covariance of drops: loads x others."""
        lengths = np.array(self.lengths)
        near, far = np.sqrt(loads) / lengths, np.sqrt(others) / lengths
        apart = np.sqrt(np.maximum(np.sum((near[:, None] - far[None]) ** 2, axis=-1), 0))
        # Given that a drop without any load is 0: what both have in common with that is taken off.
        bent = _matern(apart) - np.outer(_matern(_size(near)), _matern(_size(far)))
        straight = (loads / lengths**2) @ (others / lengths**2).T
        same = roles[:, None] == other_roles[None]
        side = roles[:, None] // 2 == other_roles[None] // 2
        levels = np.outer(roles % 2, other_roles % 2) * same
        together = np.where(same, 1.0, np.where(side, self.shared, 0.0))
        found: Floats = self.level**2 * levels + together * (self.bend**2 * bent + self.slope**2 * straight)
        return found


@dataclass(frozen=True, eq=False)
class _OfType:
    """Samples of one NF type, and what follows from all of them."""

    samples: Sequence[Sample]
    rows: Rows
    """Among all samples of the profiles."""
    loads: Floats
    roles: Rows
    drops: Floats
    inverse: Floats
    """Of their covariance, errors included."""
    weights: Floats
    """`inverse` times drops."""

    @classmethod
    def of(cls, shape: Shape, found: Sequence[tuple[int, Sample, Load]]) -> "_OfType":
        samples = [sample for _, sample, _ in found]
        loads = np.array([load for *_, load in found], dtype=float)
        roles = np.array([ROLES.index(role_of(one.setting)) for one in samples], dtype=np.intp)
        drops = np.array([one.drop for one in samples])
        errors = np.array([_variance(one) for one in samples])
        inverse = _inverse(shape.alike(loads, roles, loads, roles) + np.diag(errors))
        rows = np.array([row for row, *_ in found], dtype=np.intp)
        return cls(samples, rows, loads, roles, drops, inverse, inverse @ drops)


@dataclass(frozen=True, eq=False)
class _Read:
    """All that a process sees of some profiles."""

    profiles: Profiles
    alone: Alone
    of_type: Mapping[str, _OfType]
    samples: Sequence[Sample]

    @classmethod
    def of(cls, profiles: Profiles, shape: Shape) -> "_Read":
        alone, samples = Alone.of(profiles), list(profiles.every_sample())
        found: dict[str, list[tuple[int, Sample, Load]]] = defaultdict(list)
        for row, sample in enumerate(samples):
            if sample.setting.purpose not in OF_OTHER_CONFIGURATIONS and not neighbours_of(sample.setting):
                load = load_in(sample.setting, alone)
                if load is not None:
                    found[sample.setting.subject.nf_type].append((row, sample, load))
        return cls(profiles, alone, {name: _OfType.of(shape, one) for name, one in found.items()}, samples)


class GaussianProcess:
    """The predictor, not yet fitted. It keeps what it read of the profiles that it saw last."""

    name = "gaussian-process"

    def __init__(self, shape: Shape | None = None) -> None:
        self._shape = shape or Shape()
        self._last: _Read | None = None

    def fit(
        self,
        profiles: Profiles,
        without: frozenset[int] = frozenset(),
        without_types: frozenset[str] = frozenset(),
    ) -> "FittedProcess":
        """As `Predictor`."""
        if self._last is None or self._last.profiles is not profiles:
            self._last = _Read.of(profiles, self._shape)
        left = np.array(profiles.are_left(without, without_types), dtype=bool)
        parts = {name: _Part.of(one, left[one.rows]) for name, one in self._last.of_type.items()}
        return FittedProcess(self._shape, self._last, parts, left)


class _Part:
    """What one fold leaves of an NF type's samples, and what it says of those that it leaves out."""

    def __init__(self, known: _OfType, kept: Rows, weights: Floats, left_out: dict[int, tuple[float, float]]) -> None:
        self.known, self.kept, self.weights, self.left_out = known, kept, weights, left_out

    @classmethod
    def of(cls, known: _OfType, left: NDArray[np.bool_]) -> "_Part":
        kept, out = np.flatnonzero(left), np.flatnonzero(~left)
        if not len(out):
            return cls(known, kept, known.weights, {})
        block = _inverse(known.inverse[np.ix_(out, out)])
        off = block @ known.weights[out]
        weights = known.weights[kept] - known.inverse[np.ix_(kept, out)] @ off
        pairs = zip(out.tolist(), (known.drops[out] - off).tolist(), np.diag(block).tolist(), strict=True)
        left_out = {id(known.samples[row].setting): (drop, sqrt(variance)) for row, drop, variance in pairs}
        return cls(known, kept, weights, left_out)


class FittedProcess(Fitted):
    """A process that has seen samples."""

    def __init__(self, shape: Shape, read: _Read, parts: Mapping[str, _Part], left: NDArray[np.bool_]) -> None:
        self._shape, self._read, self._parts, self._left = shape, read, parts, left
        self.alone = read.alone

    def drop(self, setting: PointSetting) -> float | None:
        """As `Fitted`."""
        by_load, neighbours = self._by_load(setting), neighbours_of(setting)
        if by_load is None or not neighbours:
            return by_load
        return 1 - part_left(by_load, self.added(setting.subject.nf_type, neighbours))

    def deviations(self, samples: Sequence[Sample]) -> Sequence[float | None]:
        """Standard deviations of the drops that would be measured, of samples that were left out; None of others."""
        return [self._of_left_out(sample.setting)[1] for sample in samples]

    def drops_at(self, nf_type: str, roles: Sequence[ChainRole], loads: Sequence[Load]) -> list[float] | None:
        """Of NFs of a type in those roles, without what hand-offs cost; None of a type without samples."""
        part = self._parts.get(nf_type)
        if part is None or not len(part.kept):
            return None
        known, numbers = part.known, np.array([ROLES.index(role) for role in roles], dtype=np.intp)
        alike = self._shape.alike(np.array(loads, dtype=float), numbers, known.loads[part.kept], known.roles[part.kept])
        found: list[float] = (alike @ part.weights).tolist()
        return found

    def added(self, nf_type: str, neighbours: Sequence[Neighbour]) -> float:
        """As `handing.added_time`, by samples with one such neighbour."""
        return added_time(self._handing.get(nf_type, {}), neighbours)

    def model_of(self, nf_type: str, version: str, quantile: float | None = None) -> ProcessModel | None:
        """To be stored; `quantile`: of `conformal.normalised_quantile`. None of a type without samples, or whose
        throughput alone on both kinds of nodes, or references, are not known."""
        part = self._parts.get(nf_type)
        ideal, references = self.alone.ideals.get(nf_type), self.alone.references.get(nf_type)
        if part is None or not len(part.kept) or ideal is None or references is None:
            return None
        known = part.known
        fit = ProcessFit(
            nf_type=nf_type,
            host_model=self._read.profiles.host_model,
            version=version,
            shape=ProcessShape(**{field: getattr(self._shape, field) for field in ProcessShape.model_fields}),
            ideal_mpps=ideal,
            references=references,
            average_mpps=self.alone.average_mpps,
            quantile=quantile,
            handing=tuple(
                Handing(local=local, behind=behind, near=near, drop=drop + NO_MINUS_ZERO)
                for (local, behind, near), drop in sorted(self._handing.get(nf_type, {}).items())
            ),
            samples=tuple(
                ProcessSample(
                    role=ROLES[known.roles[row]],
                    load=tuple(known.loads[row].tolist()),
                    drop=known.drops[row].item() + NO_MINUS_ZERO,
                    variance=_variance(known.samples[row]),
                )
                for row in part.kept.tolist()
            ),
        )
        return ProcessModel.of(fit)

    def _by_load(self, setting: PointSetting) -> float | None:
        if setting.purpose in OF_OTHER_CONFIGURATIONS:
            return None
        drop = self._of_left_out(setting)[0]
        if drop is not None:
            return drop
        load = load_in(setting, self.alone)
        found = None if load is None else self.drops_at(setting.subject.nf_type, [role_of(setting)], [load])
        return None if found is None else found[0]

    def _of_left_out(self, setting: PointSetting) -> tuple[float, float] | tuple[None, None]:
        part = self._parts.get(setting.subject.nf_type)
        return (None, None) if part is None else part.left_out.get(id(setting), (None, None))

    @cached_property
    def _handing(self) -> Mapping[str, Mapping[Neighbour, float]]:
        found: dict[str, dict[Neighbour, list[float]]] = defaultdict(lambda: defaultdict(list))
        for sample, left in zip(self._read.samples, self._left.tolist(), strict=True):
            neighbours = neighbours_of(sample.setting)
            by_load = self._by_load(sample.setting) if left and len(neighbours) == 1 else None
            lost = None if by_load is None else added_by(sample.drop, by_load)
            if lost is not None:
                found[sample.setting.subject.nf_type][neighbours[0]].append(lost)
        return {name: {one: fmean(lost) for one, lost in of.items()} for name, of in found.items()}


def _variance(sample: Sample) -> float:
    return sample.drop_error**2 + MODEL_ERROR**2


def _inverse(matrix: Floats) -> Floats:
    return np.linalg.inv(matrix).astype(np.float64, copy=False)


def _matern(apart: Floats) -> Floats:
    """Of the order 3/2: once differentiable."""
    scaled = sqrt(3) * apart
    found: Floats = (1 + scaled) * np.exp(-scaled)
    return found


def _size(loads: Floats) -> Floats:
    found: Floats = np.sqrt(np.sum(loads**2, axis=1))
    return found
