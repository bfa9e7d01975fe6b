"""What every predictor is fitted on, and what it answers: samples out of stored measurements, one interface."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import hypot
from statistics import fmean
from typing import NamedTuple, Protocol, TypeVar

from sextant_domain.profiling.estimates import t_quantile
from sextant_domain.profiling.fit import Side
from sextant_domain.profiling.job import PointPurpose, PointSetting, ProfileRecord
from sextant_domain.profiling.model import HalfWidths, LocalRemote
from sextant_domain.profiling.profile import Estimate, NfEstimates, ProfileRequest, ProfileTraffic

Key = TypeVar("Key", bound=Hashable)

CYCLES = "cycles"
"""The count that every host has: ticks of the time-stamp counter a packet."""
OF_OTHER_CONFIGURATIONS = frozenset({PointPurpose.SENSITIVITY, PointPurpose.CONTENTIOUSNESS})
"""Samples with an NF that is not as its type is by default: bubbles of a size, a reporter with many flows."""
NOT_PLAIN = OF_OTHER_CONFIGURATIONS | {PointPurpose.RATES, PointPurpose.HANDING}
"""Samples that Eq. 9-11 do not speak of: those, and what rates and the next NF of a chain do."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One measured point as the model generator takes it. Points of one setting are one sample, their mean."""

    point_id: int
    """Of the first of its points."""
    setting: PointSetting
    """With the rate that competitors were offered."""
    mpps: float
    """Of the subject, with its chain and competitors."""
    mpps_error: float
    """Standard error."""
    drop: float
    """Share of the ideal throughput on that kind of node: 0.1 is 10 points. Below 0 where it is faster in a chain."""
    drop_error: float
    """Standard error."""
    counts: Mapping[str, float]
    """Of the subject in this setting, a packet; `cycles` always."""

    def mix(self) -> tuple[str, ...]:
        """Types of the competitors, sorted, each as often as it is there: the group of the split `mix`."""
        return tuple(sorted(competitor_types(self.setting)))


def competitor_types(setting: PointSetting) -> list[str]:
    """Of `others`, in their order; bubbles of a size are a type of their own: `bubble 4096 KiB`."""
    if setting.bubble_kib is None:
        return [other.nf_type for other in setting.others]
    return [f"{other.nf_type} {setting.bubble_kib} KiB" for other in setting.others]


@dataclass(frozen=True, eq=False)
class Profiles:
    """All that was measured on one host model, of the newest version of each NF type. Equal only to itself."""

    host_model: str
    nodes: int
    samples: Mapping[str, tuple[Sample, ...]]
    """By the subject's NF type, by point id; without `ideal` points, which are what drops are relative to. Those with
    a purpose of `NOT_PLAIN` are there too: `plain` leaves them out."""
    ideal: Mapping[str, LocalRemote]
    """Mpps. On hosts with one node `remote` is `local`; on others a type is here where both were measured."""
    counts_alone: Mapping[str, Mapping[str, float]]
    """By NF type, a packet, alone on the local node, or on a remote one where only that was measured."""
    versions: Mapping[str, int]
    ideal_half_width: Mapping[str, HalfWidths] = field(default_factory=dict)
    """Of the 95 % intervals of `ideal`, as shares; without types of which one was measured only once."""

    def plain(self, nf_type: str) -> tuple[Sample, ...]:
        """Samples in which every NF is as its type is by default: those that Eq. 9-11 speak of."""
        return self._plain.get(nf_type, ())

    def every_sample(self) -> Iterator[Sample]:
        """By NF type, then by point id."""
        for nf_type in sorted(self.samples):
            yield from self.samples[nf_type]

    def are_left(self, points: frozenset[int], types: frozenset[str] = frozenset()) -> list[bool]:
        """Of every sample, whether `leaving_out` leaves it. The same list for the same arguments, to be read only."""
        if (points, types) not in self._left:
            self._left[points, types] = [
                sample.point_id not in points and (not types or types.isdisjoint(co_located))
                for sample, co_located in zip(self.every_sample(), self._co_located_types, strict=True)
            ]
        return self._left[points, types]

    def leaving_out(self, points: frozenset[int], types: frozenset[str] = frozenset()) -> "Profiles":
        """Without samples of those points, and without any in which one of `types` stands beside or in front of the
        subject. What is known of a type without placing it beside others stays: it alone, and what a reporter loses."""
        if not points and not types:
            return self
        kept: dict[str, list[Sample]] = defaultdict(list)
        for sample, left in zip(self.every_sample(), self.are_left(points, types), strict=True):
            if left:
                kept[sample.setting.subject.nf_type].append(sample)
        return replace(self, samples={nf_type: tuple(found) for nf_type, found in kept.items()})

    @cached_property
    def _plain(self) -> Mapping[str, tuple[Sample, ...]]:
        return {
            nf_type: tuple(sample for sample in samples if sample.setting.purpose not in NOT_PLAIN)
            for nf_type, samples in self.samples.items()
        }

    @cached_property
    def _co_located_types(self) -> tuple[frozenset[str], ...]:
        """Of every sample."""
        return tuple(_types_beside(sample.setting) for sample in self.every_sample())

    @cached_property
    def _left(self) -> dict[tuple[frozenset[int], frozenset[str]], list[bool]]:
        return {}


class Fitted(Protocol):
    """A predictor that has seen samples."""

    def drop(self, setting: PointSetting) -> float | None:
        """Of the subject, as a share of its ideal throughput; None where it knows nothing of a type in it."""

    def drops(self, samples: Sequence[Sample]) -> Sequence[float | None]:
        """The same of each; those that it was fitted among may take less time."""
        return [self.drop(sample.setting) for sample in samples]

    def deviations(self, samples: Sequence[Sample]) -> Sequence[float | None]:
        """How far off it expects to be of each that it was not fitted on, as a standard deviation of the drop; None
        where it has no idea."""
        return [None] * len(samples)


class Predictor(Protocol):
    """A kind of predictor, not yet fitted."""

    @property
    def name(self) -> str:
        """As scores name it: `octans`, `curves`."""

    def fit(
        self,
        profiles: Profiles,
        without: frozenset[int] = frozenset(),
        without_types: frozenset[str] = frozenset(),
    ) -> Fitted:
        """On all samples but those left out, as `Profiles.leaving_out` says. Raises nothing: what it could not learn
        it answers with None."""


def profiles_of(records: Sequence[ProfileRecord], nodes: int | None = None) -> Profiles:
    """Samples out of records of one host model and one basis (measured or simulated).

    `nodes`: of the host model; None: as many as the records speak of. Raises nothing: what was not measured is absent,
    and so are samples on a kind of node where the NF was not measured alone. Records that hold an NF of an older
    version than another record does count for nothing, nor do those of a subject with other traffic than its newest.
    """
    versions: dict[str, int] = {}
    for record in records:
        for nf_type, version in record.versions.items():
            versions[nf_type] = max(version, versions.get(nf_type, version))
    fresh = _of_newest_traffic(
        [record for record in records if record.result.nf is not None and _is_fresh(record, versions)]
    )
    ideals = [record for record in fresh if _is_ideal(record)]
    alone, on_host = _alone_by(ideals, _type_and_side), _alone_by(ideals, _host_type_and_side)
    points = _grouped((_same_setting(record), record) for record in fresh if not _is_ideal(record)).values()
    samples: dict[str, list[Sample]] = defaultdict(list)
    for group in points:
        repeats = []
        for record in group:
            # Hosts of one host model differ a little: a chain's drop is relative to the NF alone on the same one.
            ideal = on_host.get(_host_type_and_side(record)) or alone.get(_type_and_side(record))
            sample = _sample(record, ideal)
            if sample is not None:
                repeats.append(sample)
        if repeats:
            samples[group[0].setting.subject.nf_type].append(_mean(repeats))
    node_count = nodes or _nodes_seen(fresh)
    return Profiles(
        host_model=records[0].host_model if records else "",
        nodes=node_count,
        samples={
            nf_type: tuple(sorted(found, key=lambda sample: sample.point_id))
            for nf_type, found in sorted(samples.items())
        },
        ideal=_both_sides(alone, node_count),
        counts_alone={
            nf_type: (alone.get((nf_type, "local")) or alone[nf_type, "remote"]).counts
            for nf_type in sorted({nf_type for nf_type, _ in alone})
        },
        versions=versions,
        ideal_half_width=_half_widths_on_both_sides(alone, node_count),
    )


def _types_beside(setting: PointSetting) -> frozenset[str]:
    """Types beside and in front of the subject; a reporter's competitors do not count."""
    beside = () if setting.purpose is PointPurpose.CONTENTIOUSNESS else setting.others
    return frozenset(nf.nf_type for nf in (*beside, *setting.chain[:-1], *setting.downstream))


def _is_fresh(record: ProfileRecord, versions: Mapping[str, int]) -> bool:
    return record.versions.items() <= versions.items()


def _is_ideal(record: ProfileRecord) -> bool:
    return record.setting.purpose is PointPurpose.IDEAL


def _of_newest_traffic(records: Sequence[ProfileRecord]) -> list[ProfileRecord]:
    """Drops at 64 bytes and at 1518 are not of one model. A reporter's traffic is its own."""
    newest: dict[tuple[str, bool], object] = {}
    keyed = [(_type_and_part(record), _traffic(record.request.nf.traffic), record) for record in records]
    for whose, traffic, _ in sorted(keyed, key=lambda one: one[2].id):
        newest[whose] = traffic
    return [record for whose, traffic, record in keyed if newest[whose] == traffic]


def _type_and_part(record: ProfileRecord) -> tuple[str, bool]:
    return record.setting.subject.nf_type, _by_reporter(record)


def _by_reporter(record: ProfileRecord) -> bool:
    return record.setting.purpose is PointPurpose.CONTENTIOUSNESS


def _traffic(traffic: ProfileTraffic) -> object:
    """Of the subject, whose own rate is never limited: equal where all else is."""
    return {**traffic.__dict__, "rate_mpps": None}


def _type_and_side(record: ProfileRecord) -> tuple[str, Side]:
    return record.setting.subject.nf_type, _side(record.setting)


def _host_type_and_side(record: ProfileRecord) -> tuple[str, str, Side]:
    return record.host, record.setting.subject.nf_type, _side(record.setting)


def _side(setting: PointSetting) -> Side:
    return "local" if setting.local else "remote"


def _same_setting(record: ProfileRecord) -> Hashable:
    """Equal for points that are one sample: the order of competitors says nothing, their rate does."""
    setting = record.setting
    chain = tuple([(nf.nf_type, nf.node) for nf in setting.chain])
    others = tuple(sorted([(other.nf_type, other.node) for other in setting.others]))
    rates = frozenset([other.traffic.rate_mpps for other in record.request.others])
    if setting.others_a_chain > 1:
        others = tuple([(other.nf_type, other.node) for other in setting.others])
    downstream = tuple([(nf.nf_type, nf.node) for nf in setting.downstream])
    chains = chain, downstream, others, setting.others_a_chain
    return setting.purpose, setting.ingress_node, chains, setting.bubble_kib, rates


def _grouped(pairs: Iterable[tuple[Key, ProfileRecord]]) -> dict[Key, list[ProfileRecord]]:
    groups: dict[Key, list[ProfileRecord]] = defaultdict(list)
    for key, record in pairs:
        groups[key].append(record)
    return groups


class _Figure(NamedTuple):
    value: float
    error: float
    """Standard error."""


class _Alone(NamedTuple):
    """An NF type alone on a kind of node, over all its ideal points there."""

    mpps: _Figure
    half_width: float | None
    """Of the 95 % interval of `mpps`, as a share of it."""
    counts: Mapping[str, float]


def _alone_by(records: Sequence[ProfileRecord], key_of: Callable[[ProfileRecord], Key]) -> dict[Key, _Alone]:
    """Without those that passed no packet."""
    found = {key: _alone(group) for key, group in _grouped((key_of(one), one) for one in records).items()}
    return {key: alone for key, alone in found.items() if alone.mpps.value > 0}


def _alone(records: Sequence[ProfileRecord]) -> _Alone:
    found = [record.result.nf for record in records if record.result.nf is not None]
    mpps = _mean_figure([_mpps(nf, record.request) for nf, record in zip(found, records, strict=True)])
    return _Alone(mpps, _half_width(mpps, [nf.mpps for nf in found]), _mean_counts([_counts(nf) for nf in found]))


def _half_width(mean: _Figure, of: Sequence[Estimate]) -> float | None:
    """By Student's t with the degrees of freedom of the estimate that has fewest (cautious); None of single values."""
    freedom = min(one.count for one in of) - 1
    if freedom < 1 or mean.value <= 0:
        return None
    return min(1.0, t_quantile(freedom) * mean.error / mean.value)


def _sample(record: ProfileRecord, alone: _Alone | None) -> Sample | None:
    """None where the NF was not measured alone on that kind of node. A reporter needs not be: what it loses to the NF
    is all that is asked of it."""
    with_others = record.result.beside or record.result.nf
    beside = record.result.throughput_drop_percent
    ideal = None if _by_reporter(record) else alone
    if with_others is None or (ideal is None and not _by_reporter(record)):
        return None
    mpps = _mpps(with_others, record.request)
    if beside is not None and len(record.setting.chain) == 1 and not record.setting.downstream:
        drop = _Figure(beside.value / 100, _error(beside, record.request.half_width_percent) / 100)
    elif ideal is not None:
        drop = _lost(mpps, ideal.mpps)
    else:
        return None
    offered = record.request.others[0].traffic.rate_mpps if record.request.others else None
    setting = record.setting.model_copy(update={"rate_mpps": offered})
    return Sample(record.point_id, setting, mpps.value, mpps.error, drop.value, drop.error, _counts(with_others))


def _lost(mpps: _Figure, ideal: _Figure) -> _Figure:
    """d = 1 - m / i; the errors of m and i are independent: sd = hypot(sm, m / i si) / i."""
    kept = mpps.value / ideal.value
    return _Figure(1 - kept, hypot(mpps.error, kept * ideal.error) / ideal.value)


def _mpps(nf: NfEstimates, request: ProfileRequest) -> _Figure:
    return _Figure(nf.mpps.value, _error(nf.mpps, request.half_width_percent / 100 * nf.mpps.value))


def _error(estimate: Estimate, asked_half_width: float) -> float:
    """A single value says nothing of its error: half of the interval that was asked for, which is two errors wide."""
    return asked_half_width / 2 if estimate.standard_error is None else estimate.standard_error


def _counts(nf: NfEstimates) -> dict[str, float]:
    return {name: count.value for name, count in nf.counts.items()} | {CYCLES: nf.cycles_per_packet.value}


def _mean(samples: Sequence[Sample]) -> Sample:
    if len(samples) == 1:
        return samples[0]
    first = min(samples, key=lambda sample: sample.point_id)
    mpps = _mean_figure([_Figure(sample.mpps, sample.mpps_error) for sample in samples])
    drop = _mean_figure([_Figure(sample.drop, sample.drop_error) for sample in samples])
    counts = _mean_counts([sample.counts for sample in samples])
    return replace(
        first,
        mpps=mpps.value,
        mpps_error=mpps.error,
        drop=drop.value,
        drop_error=drop.error,
        counts=counts,
    )


def _mean_figure(figures: Sequence[_Figure]) -> _Figure:
    """Of independent figures: the error of a mean of n is hypot of their errors / n."""
    return _Figure(fmean(one.value for one in figures), hypot(*(one.error for one in figures)) / len(figures))


def _mean_counts(counts: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = sorted({name for each in counts for name in each})
    return {name: fmean(each[name] for each in counts if name in each) for name in names}


def _nodes_seen(records: Sequence[ProfileRecord]) -> int:
    settings = [record.setting for record in records]
    return len(
        {setting.ingress_node for setting in settings}
        | {nf.node for setting in settings for nf in (*setting.chain, *setting.others)}
    )


def _both_sides(alone: Mapping[tuple[str, Side], _Alone], nodes: int) -> dict[str, LocalRemote]:
    """Throughputs of types that were measured on both."""
    return {
        nf_type: LocalRemote(local=local.mpps.value, remote=remote.mpps.value)
        for nf_type, local, remote in _on_both_sides(alone, nodes)
    }


def _half_widths_on_both_sides(alone: Mapping[tuple[str, Side], _Alone], nodes: int) -> dict[str, HalfWidths]:
    return {
        nf_type: HalfWidths(local=local.half_width, remote=remote.half_width)
        for nf_type, local, remote in _on_both_sides(alone, nodes)
        if local.half_width is not None and remote.half_width is not None
    }


def _on_both_sides(alone: Mapping[tuple[str, Side], _Alone], nodes: int) -> Iterator[tuple[str, _Alone, _Alone]]:
    """On one node there is nothing remote, and what is asked of it is answered as on the local one."""
    for nf_type in sorted({nf_type for nf_type, _ in alone}):
        local = alone.get((nf_type, "local"))
        remote = local if nodes <= 1 else alone.get((nf_type, "remote"))
        if local is not None and remote is not None:
            yield nf_type, local, remote
