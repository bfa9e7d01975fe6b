"""A chain in more or fewer lanes than it is in: what each lane asks for then."""

from collections.abc import Iterable, Mapping, Sequence

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.lane import lane_name
from sextant_domain.chains.traffic import Traffic

ANYWHERE: Mapping[str, str] = {}


def lanes_among(specs: Iterable[ChainSpec], chain: str) -> tuple[ChainSpec, ...]:
    """The lanes of `chain`, by number; itself alone where it is in none."""
    found = [spec for spec in specs if _is_lane_of(spec, chain)]
    return tuple(sorted(found, key=lambda spec: 1 if spec.traffic.lane is None else spec.traffic.lane.number))


def _is_lane_of(spec: ChainSpec, chain: str) -> bool:
    lane = spec.traffic.lane
    return spec.name == chain if lane is None else lane.of == chain


def why_not_scalable(lanes: Sequence[ChainSpec], chain: str) -> str | None:
    """What keeps these lanes from being divided anew: the first bears its name, and each number is there once."""
    if not lanes or lanes[0].name != chain:
        return f"no chain {chain} is the first of its lanes"
    if lanes[0].part is not None:
        return f"{chain} passes several hosts, and such a chain is in no lanes yet"
    numbers = [1 if spec.traffic.lane is None else spec.traffic.lane.number for spec in lanes]
    if numbers != list(range(1, len(lanes) + 1)):
        listed = ", ".join(str(number) for number in numbers)
        return f"lanes are numbered from 1, each once, and those of {chain} are {listed}"
    return None


def scaled(
    lanes: Sequence[ChainSpec], weights: tuple[int, ...], hosts: Mapping[str, str] = ANYWHERE
) -> tuple[ChainSpec, ...]:
    """The lanes of these weights, by number. `lanes`: those that there are, all of them (`why_not_scalable`). What all
    of them ask for together is divided by weight; whatever else was set of a lane stays, and new ones are like the
    first, each pinned to its host of `hosts` (by name; none: as the first is).

    Raises pydantic.ValidationError where there cannot be such a lane (too long a name, a capture)."""
    first, rate = lanes[0], sum(lane.traffic.rate_mpps for lane in lanes)
    whole = first.with_settings(
        first.settings.model_copy(
            update={"traffic": first.traffic.model_copy(update={"rate_mpps": rate, "lane": None})}
        )
    )
    names = [lane_name(first.name, number) for number in range(1, len(weights) + 1)]
    wanted = whole.in_lanes(weights, [hosts.get(name) for name in names])
    kept = tuple(
        lane.with_settings(lane.settings.model_copy(update={"traffic": _traffic(lane, then)}))
        for lane, then in zip(lanes, wanted, strict=False)
    )
    return (*kept, *wanted[len(kept) :])


def _traffic(lane: ChainSpec, then: ChainSpec) -> Traffic:
    return lane.traffic.model_copy(update={"rate_mpps": then.traffic.rate_mpps, "lane": then.traffic.lane})
