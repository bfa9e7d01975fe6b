"""A profiling job before it starts: its points, what is known already, and what it will take."""

import random
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sextant_domain.chains.nf import NfType
from sextant_domain.hosts.host import PROFILING, PROFILING_RATES, HostInventory
from sextant_domain.profiling.job import (
    PointPurpose,
    PointSetting,
    ProfileRecord,
    ProfilingAsk,
    ProfilingDesign,
)
from sextant_domain.profiling.model import PerformanceModel
from sextant_domain.profiling.profile import ProfileMode, ProfileRequest, ProfileTraffic

from sextant_engine.modelling.promotion import OF_A_MODEL, too_few
from sextant_engine.profiling.cores import FreeCores
from sextant_engine.profiling.points import PointSet, setting_key
from sextant_engine.profiling.requests import CannotProfile, traffic_of, type_of
from sextant_engine.profiling.room import ProfilingRoom, most_beside, most_elsewhere

OPENNETVM = "opennetvm"
PAIR_S = 0.16
"""Of spinner and competitor, 80 ms each: the measuring protocol's."""
START_S = 0.5
"""A sample's fresh processes: start, tables, the machine's check before and after."""
OPENNETVM_START_S, OPENNETVM_SAMPLE_S, OPENNETVM_BESIDE_S = 6.0, 3.0, 24.0
"""There an NF ends and starts within two periods of its manager each, and a sample is of three (decision 61), beside
competitors of eight phases of three (decision 106)."""
SIMULATED_POINT_S = 0.5
"""The twin computes a point at once; this is for asking and storing."""


@dataclass(frozen=True, slots=True)
class MeasuredPoint:
    """A point that was measured before on this host model."""

    setting: PointSetting
    versions: Mapping[str, int]
    packet_bytes: int
    flows: int
    rate_mpps: float | None
    """Of its competitors."""
    half_width_percent: float
    """What was asked for."""

    @classmethod
    def of(cls, record: ProfileRecord) -> "MeasuredPoint":
        """From a stored measurement."""
        asked, traffic = record.request, record.request.nf.traffic
        rate = asked.others[0].traffic.rate_mpps if asked.others else None
        return cls(record.setting, record.versions, traffic.packet_bytes, traffic.flows, rate, asked.half_width_percent)

    @classmethod
    def of_request(cls, setting: PointSetting, request: object, versions: Mapping[str, int]) -> "MeasuredPoint":
        """From a stored measurement of which only these were read; `request`: ProfileRequest as JSON."""
        asked = ProfileRequest.model_validate(request)
        traffic = asked.nf.traffic
        rate = asked.others[0].traffic.rate_mpps if asked.others else None
        return cls(setting, versions, traffic.packet_bytes, traffic.flows, rate, asked.half_width_percent)

    def answers(self, setting: PointSetting, ask: ProfilingAsk, nf_types: Mapping[str, NfType]) -> bool:
        """Whether it need not be measured again: same setting, versions and traffic, and as narrow as asked."""
        traffic = traffic_of(setting, ask)
        return (
            setting_key(self.setting) == setting_key(setting)
            and all(self.versions.get(name) == nf_types[name].version for name in _types_in(setting))
            and self._is_of(traffic)
            and (not setting.others or self.rate_mpps == (setting.rate_mpps or ask.rate_mpps))
            and self.half_width_percent <= ask.half_width_percent
        )

    def counts_with(self, ask: ProfilingAsk, nf_types: Mapping[str, NfType]) -> bool:
        """Whether a fit takes it beside what the ask will measure: same versions and traffic."""
        return self._has(nf_types) and self._is_of(traffic_of(self.setting, ask))

    def _has(self, nf_types: Mapping[str, NfType]) -> bool:
        return all(name in nf_types and nf_types[name].version == version for name, version in self.versions.items())

    def _is_of(self, traffic: ProfileTraffic) -> bool:
        return (self.packet_bytes, self.flows) == (traffic.packet_bytes, traffic.flows)


def design(
    ask: ProfilingAsk,
    inventory: HostInventory,
    free: FreeCores,
    nf_types: Mapping[str, NfType],
    *,
    measured: Collection[MeasuredPoint] = (),
    promoted: Mapping[str, PerformanceModel] | None = None,
    usual_samples: Mapping[PointPurpose, float] | None = None,
) -> ProfilingDesign:
    """The points of a job, ideals first, otherwise shuffled by the ask's seed; where no model can come of them, why.

    `free`: cores by node (`free_cores`). `measured`: before, on this host model; a fit takes them, too, and unless the
    ask is for fresh ones they are not repeated. `promoted`: models of this host model, by NF type; others are
    assumed. `usual_samples`: samples that a point of a purpose took before.

    Raises CannotProfile: unknown NF type, no `profiling` on this host, more flows than it can play, no free core on the
    node that packets arrive on.
    """
    for number, name in enumerate(ask.competitors):
        type_of(name, nf_types, f"competitors.{number}")
    refuse_unable(ask, inventory, nf_types)
    room = ProfilingRoom.of(ask, inventory, free)
    points, left_out = PointSet(ask, inventory, nf_types, room, promoted or {}).points()
    todo = not_known(points, ask, nf_types, measured)
    ordered = _shuffled(todo, ask.seed)
    seconds = [seconds_a_sample(point, ask, inventory) for point in ordered]
    usual = usual_samples or {}
    expected = [min(usual.get(point.purpose, ask.max_samples / 2), ask.max_samples) for point in ordered]
    simulated = SIMULATED_POINT_S * len(ordered) if inventory.simulated else None
    return ProfilingDesign(
        ask=ask,
        host_model=inventory.host_model,
        points=ordered,
        known=len(points) - len(todo),
        expected_s=_total(seconds, expected) if simulated is None else simulated,
        most_s=_total(seconds, [ask.max_samples] * len(ordered)) if simulated is None else simulated,
        left_out=tuple(left_out),
        no_model=_no_model(ask, inventory, nf_types, points, measured),
    )


def refuse_unable(ask: ProfilingAsk, inventory: HostInventory, nf_types: Mapping[str, NfType]) -> None:
    """Raises CannotProfile: unknown NF type, no `profiling` on this host, more flows than it can play, a rate where it
    can give competitors none."""
    type_of(ask.nf_type, nf_types)
    why_not = inventory.why_not(PROFILING)
    if why_not is not None:
        raise CannotProfile("host", f"{inventory.host_id} cannot profile: {why_not}; choose another host")
    if inventory.most_flows is not None and ask.flows > inventory.most_flows:
        raise CannotProfile("flows", f"{inventory.host_id} plays {inventory.most_flows} flows at most: ask for no more")
    no_rates = inventory.why_refused(PROFILING_RATES)
    if no_rates is not None and ask.rate_mpps is not None:
        raise CannotProfile("rate_mpps", f"{inventory.host_id} gives competitors no rate: {no_rates}; leave it out")


def not_known(
    points: Iterable[PointSetting],
    ask: ProfilingAsk,
    nf_types: Mapping[str, NfType],
    measured: Iterable[MeasuredPoint],
) -> list[PointSetting]:
    """Those of the points that are to be measured: nothing that was measured before answers them, or the ask is for
    fresh ones."""
    before: dict[Hashable, list[MeasuredPoint]] = defaultdict(list)
    for one in measured:
        before[setting_key(one.setting)].append(one)
    return [
        point
        for point in points
        if ask.fresh or not any(one.answers(point, ask, nf_types) for one in before.get(setting_key(point), ()))
    ]


def _no_model(
    ask: ProfilingAsk,
    inventory: HostInventory,
    nf_types: Mapping[str, NfType],
    points: Iterable[PointSetting],
    measured: Iterable[MeasuredPoint],
) -> str | None:
    """Why a fit of all these would refuse a model of the NF type. One that is only measured alone has assumed drops."""
    of_before = (one.setting for one in measured if one.counts_with(ask, nf_types))
    settings = {setting_key(setting): setting for setting in (*points, *of_before)}.values()
    own = [setting for setting in settings if setting.subject.nf_type == ask.nf_type]
    one_node = len(inventory.nodes) == 1
    sides = {setting.local for setting in own if setting.purpose is PointPurpose.IDEAL}
    if not one_node and len(sides) == 1:
        return "its throughput alone on a remote node cannot be measured: free a core of another node first"
    plain = [setting for setting in own if setting.purpose in OF_A_MODEL]
    if not plain:
        return None
    return too_few(
        plain,
        one_node=one_node,
        most_beside=most_beside(inventory),
        most_elsewhere=most_elsewhere(inventory),
        why={},
    )


def _shuffled(points: Iterable[PointSetting], seed: int) -> tuple[PointSetting, ...]:
    """Drops are relative to ideals: these first."""
    found = list(points)
    random.Random(seed).shuffle(found)  # noqa: S311 - an order, not a secret
    return tuple(sorted(found, key=lambda point: point.purpose is not PointPurpose.IDEAL))


def _types_in(setting: PointSetting) -> set[str]:
    return {nf.nf_type for nf in (*setting.chain, *setting.downstream, *setting.others)}


def seconds_a_sample(point: PointSetting, ask: ProfilingAsk, inventory: HostInventory) -> float:
    """Of a point on a quiet host."""
    if inventory.driver == OPENNETVM:
        return OPENNETVM_START_S + (OPENNETVM_BESIDE_S if point.others else max(ask.seconds, OPENNETVM_SAMPLE_S))
    pairs = ProfileRequest.model_fields["pairs"].default
    return START_S + (pairs * PAIR_S if point.others else ask.seconds)


def seconds_of(request: ProfileRequest) -> float:
    """What a point takes on a quiet host if it needs all its samples."""
    of_sample = request.pairs * PAIR_S if request.mode is ProfileMode.COLOCATION else request.seconds
    return request.max_samples * (START_S + of_sample)


def _total(seconds: Sequence[float], samples: Sequence[float]) -> float:
    return sum(one * number for one, number in zip(seconds, samples, strict=True))
