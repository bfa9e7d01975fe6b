"""What an order says of a host against what the host was found to run: pure, and not trusting the word 'converged'."""

from collections.abc import Iterator

from sextant_domain.chains.chain import DEFAULT_CPU_SHARE
from sextant_domain.hosts.desired import (
    QUOTA_STEP_PERCENT,
    ActualNf,
    ActualState,
    ChainResources,
    DesiredChain,
    DesiredHostConfig,
    DesiredNf,
    NfState,
    ResourceBounds,
)
from sextant_domain.plans.resources import RESOURCES, SEAT_RESOURCES, resource_text

_IN_FULL = {"cpu_share": DEFAULT_CPU_SHARE, "memory_bandwidth_percent": 100, "chain_memory_bandwidth_percent": 100}
"""Values that are the same as none at all."""
_OF_MEMORY = ("llc_ways", "memory_bandwidth_percent")
"""Of an NF alone."""


def differences(wanted: DesiredHostConfig, actual: ActualState) -> list[str]:
    """What is not as ordered, a line each; empty when all is."""
    if actual.applied_generation != wanted.generation:
        return [f"generation {actual.applied_generation} is applied, not {wanted.generation}"]
    found = {nf.nf_id: nf for nf in actual.nfs}
    faults: list[str] = []
    for chain, nf in _nfs(wanted):
        there = found.pop(nf.nf_id, None)
        if there is None:
            faults.append(f"{nf.nf_id} is missing")
        elif there.state is not NfState.RUNNING:
            faults.append(f"{nf.nf_id} is {there.state.value}" + (f": {there.last_error}" if there.last_error else ""))
        elif there.core != nf.core:
            faults.append(f"{nf.nf_id} is on core {there.core}, not {nf.core}")
        else:
            faults.extend(_resource_differences(chain, nf, there))
    return faults + [f"{nf_id} should not be there" for nf_id in found]


def unreported(wanted: DesiredHostConfig, actual: ActualState) -> list[str]:
    """Resources that were ordered and that the host cannot read of any NF: 'LLC ways', 'CPU quota'."""
    known = {field for nf in actual.nfs for field in _reported(nf)}
    return [
        name
        for field, name in SEAT_RESOURCES.items()
        if field not in known and any(_wanted(chain, nf)[field] is not None for chain, nf in _nfs(wanted))
    ]


def _nfs(wanted: DesiredHostConfig) -> Iterator[tuple[DesiredChain, DesiredNf]]:
    return ((chain, nf) for chain in wanted.content.chains for nf in chain.nfs)


def _resource_differences(chain: DesiredChain, wanted: DesiredNf, found: ActualNf) -> Iterator[str]:
    for field, has, shall in resource_differences(chain, wanted, found):
        name, has_text, wanted_text = SEAT_RESOURCES[field], resource_text(field, has), resource_text(field, shall)
        yield f"{wanted.nf_id} has {name} {has_text}, not {wanted_text}"


def resource_differences(
    chain: DesiredChain, wanted: DesiredNf, found: ActualNf
) -> Iterator[tuple[str, float | None, float | None]]:
    """(field of a seat, what it has, what it shall have), of what the host can read. None: no value of its own. What
    lies within the chain's bounds counts as ordered: its host's agent sets it."""
    ordered = _wanted(chain, wanted)
    for field, value in _reported(found).items():
        has, shall = _value(field, value), ordered[field]
        if not (_equal(has, shall) or _within(chain.bounds, field, value) or _of_agent(chain, wanted, field, value)):
            yield field, has, shall


def _within(bounds: ResourceBounds | None, field: str, value: float | None) -> bool:
    """A chain with bounds always has ways of its own; a host that names no limit of bandwidth gives all of it."""
    if bounds is None:
        return False
    if field == "chain_llc_ways":
        return value is not None and bounds.least_ways <= value <= bounds.most_ways
    percent = _IN_FULL[field] if value is None and field in _IN_FULL else value
    return (
        field == "chain_memory_bandwidth_percent"
        and percent is not None
        and bounds.least_percent <= percent <= bounds.most_percent
    )


def _of_agent(chain: DesiredChain, wanted: DesiredNf, field: str, value: float | None) -> bool:
    """Whether it is a CPU share, a quota, or something of cache and memory that the host's agent may have set."""
    bounds = chain.quota_bounds
    if bounds is not None and field == "cpu_quota_percent":
        return bounds.hold(value)
    if bounds is not None and field in _OF_MEMORY:
        hold = bounds.hold_ways if field == "llc_ways" else bounds.hold_bandwidth
        return hold(None if value is None else int(value), getattr(wanted, field))
    return field == "cpu_share" and chain.share_bounds is not None and chain.share_bounds.hold(int(value or 0))


def _wanted(chain: DesiredChain, nf: DesiredNf) -> dict[str, float | None]:
    """Field of a seat -> what was ordered."""
    own = {field: getattr(nf, field) for field in RESOURCES}
    shared = {f"chain_{field}": value for field, value in chain.resources or ChainResources()}
    return {field: _value(field, value) for field, value in (own | shared).items()}


def _reported(nf: ActualNf) -> dict[str, float | None]:
    """Field of a seat -> what was found."""
    parts = (part for part in (nf.cpu, nf.memory) if part is not None)
    return {field: value for part in parts for field, value in part}


def _value(field: str, value: float | None) -> float | None:
    return None if value == _IN_FULL.get(field) else value


def _equal(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) < QUOTA_STEP_PERCENT
