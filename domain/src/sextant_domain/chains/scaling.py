"""A chain in more or fewer lanes than it is in: what each lane asks for then.

Of a chain over several hosts the first lane is its parts; each further lane is an ordinary chain, with the NFs of all
parts on one host.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sextant_domain.chains.chain import ChainSpec, NfSpec, free_name
from sextant_domain.chains.cpu_bounds import QuotaBounds
from sextant_domain.chains.lane import lane_name
from sextant_domain.chains.traffic import Traffic

ANYWHERE: Mapping[str, str] = {}


def lanes_among(specs: Iterable[ChainSpec], chain: str) -> tuple[ChainSpec, ...]:
    """The lanes of `chain`, by number, with all parts of the first; itself alone where it is in none."""
    return tuple(sorted((spec for spec in specs if _is_lane_of(spec, chain)), key=_place))


def _is_lane_of(spec: ChainSpec, chain: str) -> bool:
    lane = spec.traffic.lane
    if lane is not None:
        return lane.of == chain
    return chain == (spec.name if spec.part is None else spec.part.of)


def _place(spec: ChainSpec) -> tuple[int, int]:
    return 1 if spec.traffic.lane is None else spec.traffic.lane.number, 1 if spec.part is None else spec.part.number


def _is_further_part(spec: ChainSpec) -> bool:
    return spec.part is not None and not spec.part.enters


def why_not_scalable(lanes: Sequence[ChainSpec], chain: str) -> str | None:
    """What keeps these lanes from being divided anew: the first bears its name, and each number is there once."""
    if not lanes or lanes[0].name != chain:
        return f"no chain {chain} is the first of its lanes"
    first = lanes[0]
    if first.part is not None:
        missing = [name for name in first.part.names if name not in {spec.name for spec in lanes}]
        if missing:
            return f"{chain} passes several hosts, and its part {missing[0]} is not there"
    numbers = [_place(spec)[0] for spec in lanes if not _is_further_part(spec)]
    if numbers != list(range(1, len(numbers) + 1)):
        listed = ", ".join(str(number) for number in numbers)
        return f"lanes are numbered from 1, each once, and those of {chain} are {listed}"
    return None


def scaled(
    lanes: Sequence[ChainSpec], weights: tuple[int, ...], hosts: Mapping[str, str] = ANYWHERE
) -> tuple[ChainSpec, ...]:
    """The lanes of these weights, by number. `lanes`: those that there are, all of them (`why_not_scalable`). What all
    of them ask for together is divided by weight; whatever else was set of a lane stays, and new ones are like the
    first, each pinned to its host of `hosts` (by name; none: as the first is, and wherever there is room where that
    passes several).

    Raises pydantic.ValidationError where there cannot be such a lane (too long a name, a capture)."""
    parts = [spec for spec in lanes if _is_further_part(spec)]
    own = [spec for spec in lanes if not _is_further_part(spec)]
    rate = sum(lane.traffic.rate_mpps for lane in own)
    one = on_one_host([own[0], *parts]) if parts else own[0]
    whole = one.with_settings(
        one.settings.model_copy(update={"traffic": one.traffic.model_copy(update={"rate_mpps": rate, "lane": None})})
    )
    names = [lane_name(one.name, number) for number in range(1, len(weights) + 1)]
    wanted = whole.in_lanes(weights, [hosts.get(name) for name in names])
    first, *others = (
        lane.with_settings(lane.settings.model_copy(update={"traffic": _traffic(lane, then)}))
        for lane, then in zip(own, wanted, strict=False)
    )
    along = (part.with_settings(part.settings.of_whole(first.settings)) for part in parts)
    return (first, *along, *others, *wanted[1 + len(others) :])


def _traffic(lane: ChainSpec, then: ChainSpec) -> Traffic:
    return lane.traffic.model_copy(update={"rate_mpps": then.traffic.rate_mpps, "lane": then.traffic.lane})


def on_one_host(parts: Sequence[ChainSpec]) -> ChainSpec:
    """What a chain over several hosts asks for where one host has all its NFs: any host. What its parts were promised
    holds for all of it, so of their quota bounds the lowest latency, within which any of them may go.

    Raises pydantic.ValidationError where one host cannot do what the parts ask for together."""
    first, last = parts[0], parts[-1]
    asked = first.model_dump()
    asked["nfs"] = list(_nfs_of(parts))
    asked["ingress"] |= {"host": None}
    asked["egress"] = last.egress.model_dump() | {"host": None}
    asked["slo"] = last.slo.model_dump()  # how long packets took is known where they leave
    asked["execution"] = first.execution if len({part.execution for part in parts}) == 1 else "isolated"
    asked["share_bounds"] = next((part.share_bounds for part in parts if part.share_bounds is not None), None)
    asked["quota_bounds"] = _within_all([part.quota_bounds for part in parts if part.quota_bounds is not None])
    asked["anti_affinity"] = next((part.anti_affinity for part in parts if part.anti_affinity is not None), None)
    return ChainSpec.model_validate(asked | {"part": None})


def _nfs_of(parts: Sequence[ChainSpec]) -> Iterator[NfSpec]:
    """Those of all parts, in order; a name that an earlier part has is numbered."""
    taken: set[str] = set()
    for nf in (nf for part in parts for nf in part.nfs):
        name = free_name(nf.name, taken)
        taken.add(name)
        yield nf.model_copy(update={"name": name})


def _within_all(bounds: Sequence[QuotaBounds]) -> QuotaBounds | None:
    """Ways and bandwidth are given where any of the parts has them."""
    if not bounds:
        return None
    return QuotaBounds(
        max_p95_us=min(one.max_p95_us for one in bounds),
        least_percent=min(one.least_percent for one in bounds),
        most_percent=max(one.most_percent for one in bounds),
        least_ways=min((one.least_ways for one in bounds if one.least_ways is not None), default=None),
        most_ways=max((one.most_ways for one in bounds if one.most_ways is not None), default=None),
        least_bandwidth_percent=min(
            (one.least_bandwidth_percent for one in bounds if one.least_bandwidth_percent is not None), default=None
        ),
    )
