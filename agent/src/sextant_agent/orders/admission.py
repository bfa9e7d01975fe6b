"""Is an order possible on this host: pure, and before the ledger takes it."""

import json
from collections.abc import Iterator

from sextant_domain.chains.cpu_bounds import QUOTA_BOUNDS
from sextant_domain.chains.kernel_nf import unlimitable_nf
from sextant_domain.chains.lane import LANES
from sextant_domain.chains.match import IPV6
from sextant_domain.chains.part import OVER_HOSTS
from sextant_domain.hosts.desired import ChainResources, DesiredChain, DesiredNf, HostContent
from sextant_domain.hosts.host import MOST_SLOTS, SHARED_SLOTS, Core, NumaNode
from sextant_domain.problem import FieldError

from sextant_agent.contract.driver import HostOffer
from sextant_agent.contract.ordered_resources import NOTHING, request_of
from sextant_agent.orders.problems import ArtefactMissing, BadOrder

MAX_ERRORS = 20


def check_order(content: HostContent, offer: HostOffer) -> None:
    """Raises BadOrder naming every field that is wrong (the first 20)."""
    errors = [*_duplicates(content), *_chains(content, offer)]
    if errors:
        more = f" and {len(errors) - 1} more" if len(errors) > 1 else ""
        raise BadOrder(
            f"{errors[0].field}: {errors[0].message}{more}. Nothing changed.", errors=tuple(errors[:MAX_ERRORS])
        )


def check_files(named: frozenset[str], held: frozenset[str], field: str) -> None:
    """Raises ArtefactMissing where an order, or a measurement, names a file that is not on this host."""
    missing = sorted(named - held)
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        errors = tuple(FieldError(field=field, message=f"{digest} is not here") for digest in missing)
        raise ArtefactMissing(
            f"The order names {missing[0]}{more}, not on this host: send it, then the order. Nothing changed.",
            errors=errors[:MAX_ERRORS],
        )


def _duplicates(content: HostContent) -> Iterator[FieldError]:
    chains: set[str] = set()
    nfs: set[str] = set()
    seats: dict[tuple[int, int], str] = {}
    for i, chain in enumerate(content.chains):
        at = f"desired.content.chains.{i}"
        if chain.chain in chains:
            yield FieldError(field=f"{at}.chain", message=f"'{chain.chain}' stands twice in this order")
        chains.add(chain.chain)
        for j, nf in enumerate(chain.nfs):
            if nf.nf_id in nfs:
                yield FieldError(field=f"{at}.nfs.{j}.nf_id", message=f"'{nf.nf_id}' stands twice in this order")
            nfs.add(nf.nf_id)
            taken = seats.setdefault((nf.core, nf.slot), nf.nf_id)
            if taken != nf.nf_id:
                message = f"slot {nf.slot} of core {nf.core} is already {taken}'s"
                yield FieldError(field=f"{at}.nfs.{j}.slot", message=message)


def _chains(content: HostContent, offer: HostOffer) -> Iterator[FieldError]:
    cores = {core.id: core for core in offer.host.cores}
    entries = {port.name for port in offer.host.ports if port.kind != "sink"}
    exits = {port.name for port in offer.host.ports if port.kind != "source"}
    for i, chain in enumerate(content.chains):
        at = f"desired.content.chains.{i}"
        if not chain.nfs and chain.path is None:
            yield FieldError(field=f"{at}.nfs", message="a chain needs at least one NF")
        yield from _state(chain, at, offer)
        yield from _ends(chain, at, offer.host.host_id, entries, exits)
        for j, nf in enumerate(chain.nfs):
            yield from _nf(nf, chain.chain, f"{at}.nfs.{j}", cores, offer)
        if chain.resources is not None:
            yield from _of_chain(chain, chain.resources, f"{at}.resources", cores, offer)
    yield from _classes(content, offer)


def _state(chain: DesiredChain, at: str, offer: HostOffer) -> Iterator[FieldError]:
    if chain.path is not None:
        yield from _needs(f"{at}.path", OVER_HOSTS, offer)
    if chain.execution != "isolated":
        yield from _needs(f"{at}.execution", "run-to-completion", offer)
        for j, nf in enumerate(chain.nfs):
            for field, what in _OF_A_PROCESS.items():
                if getattr(nf, field) is not None:
                    message = f"NFs that share a process share its {what}; ask for it in an isolated chain"
                    yield FieldError(field=f"{at}.nfs.{j}.{field}", message=message)
    if chain.paused:
        yield from _needs(f"{at}.paused", "pause", offer)
    if chain.quota_bounds is not None:
        yield from _needs(f"{at}.quota_bounds", QUOTA_BOUNDS, offer)
    if chain.traffic.lane is not None:
        yield from _needs(f"{at}.traffic.lane", LANES, offer)
    if chain.ingress.match.version == 6:
        yield from _needs(f"{at}.ingress.match.src_prefix", IPV6, offer)


def _ends(chain: DesiredChain, at: str, host_id: str, entries: set[str], exits: set[str]) -> Iterator[FieldError]:
    for name, end, ports in (("ingress", chain.ingress, entries), ("egress", chain.egress, exits)):
        if end.host is not None and end.host != host_id and chain.path is None:
            message = f"'{end.host}' is another host; this one cannot take packets from it or send them there"
            yield FieldError(field=f"{at}.{name}.host", message=message)
        elif end.port is not None and end.port not in ports:
            message = f"there is no port '{end.port}' here; there are {', '.join(sorted(ports))}"
            yield FieldError(field=f"{at}.{name}.port", message=message)


def _nf(nf: DesiredNf, chain: str, at: str, cores: dict[int, Core], offer: HostOffer) -> Iterator[FieldError]:
    if not nf.nf_id.startswith(f"{chain}."):
        yield FieldError(field=f"{at}.nf_id", message=f"'{nf.nf_id}' does not belong to chain '{chain}'")
    if offer.nf_types is not None and nf.runs not in offer.nf_types:
        field = "nf_type" if nf.implementation is None else "implementation"
        message = f"'{nf.runs}' is not an NF type of this host; it has {', '.join(sorted(offer.nf_types))}"
        yield FieldError(field=f"{at}.{field}", message=message)
    yield from unlimitable_nf(nf, nf.runs, at)
    try:
        json.dumps(nf.config, allow_nan=False)
    except ValueError:
        yield FieldError(field=f"{at}.config", message="holds a number that JSON cannot carry (NaN or infinite)")
    core = cores.get(nf.core)
    if core is None or core.slots == 0 or core.reserved_for is not None:
        offered = ", ".join(str(other.id) for other in cores.values() if other.slots and not other.reserved_for)
        why = f"is reserved for {core.reserved_for}" if core and core.reserved_for else "is not offered"
        yield FieldError(field=f"{at}.core", message=f"core {nf.core} {why}; offered are {offered}")
    elif nf.slot >= (slots := _slots(core, offer)):
        yield FieldError(field=f"{at}.slot", message=f"core {nf.core} has slots 0 to {slots - 1}")
    for field, capability in _NEEDS.items():  # cpu_share is not one: the chain runs without it, and reports that
        if getattr(nf, field) is not None:
            yield from _needs(f"{at}.{field}", capability, offer)
    if core is not None:
        yield from _resources(nf, at, _node(offer, core))


def _slots(core: Core, offer: HostOffer) -> int:
    """How many NFs share a core is set by operators, on the console, where the driver lets them."""
    return MOST_SLOTS if offer.host.why_not(SHARED_SLOTS) is None else core.slots


def _of_chain(
    chain: DesiredChain, shared: ChainResources, at: str, cores: dict[int, Core], offer: HostOffer
) -> Iterator[FieldError]:
    """What all its NFs have together: they stand on one node, and none of them has any of its own."""
    for field, capability in _NEEDS.items():
        if getattr(shared, field) is not None:
            yield from _needs(f"{at}.{field}", capability, offer)
    own = next((nf for nf in chain.nfs if request_of(_alone(chain), nf) != NOTHING), None)
    if own is not None:
        message = (
            f"{own.nf_id} has LLC ways or memory bandwidth of its own, and a thread is in one group: give either back"
        )
        yield FieldError(field=at, message=message)
    standing = [cores[nf.core] for nf in chain.nfs if nf.core in cores]
    nodes = sorted({core.node for core in standing})
    if len(nodes) > 1:
        message = (
            f"its NFs stand on nodes {' and '.join(map(str, nodes))}; ways and bandwidth of a chain are of one node"
        )
        yield FieldError(field=at, message=message)
    elif standing:
        yield from _resources(shared, at, _node(offer, standing[0]))


def _classes(content: HostContent, offer: HostOffer) -> Iterator[FieldError]:
    """The kernel counts classes of service for the whole host."""
    most = offer.host.resource_groups
    owners: dict[str, str] = {}
    for i, chain in enumerate(content.chains):
        for j, nf in enumerate(chain.nfs):
            request = request_of(chain, nf)
            if request.of_chain:
                owners.setdefault(chain.chain, f"desired.content.chains.{i}.resources")
            elif request != NOTHING:
                owners[nf.nf_id] = f"desired.content.chains.{i}.nfs.{j}"
    if most is not None and len(owners) > most:
        owner, at = list(owners.items())[most]
        message = (
            f"{len(owners)} NFs and chains have LLC ways or memory bandwidth of their own, and this host has "
            f"{most + 1} classes of service, one of which all others share: {owner} gets none"
        )
        yield FieldError(field=at, message=message)


def _alone(chain: DesiredChain) -> DesiredChain:
    return chain.model_copy(update={"resources": None})


def _node(offer: HostOffer, core: Core) -> NumaNode | None:
    return next((node for node in offer.host.nodes if node.id == core.node), None)


def _resources(nf: DesiredNf | ChainResources, at: str, node: NumaNode | None) -> Iterator[FieldError]:
    """What no host of this kind could give; whether there is room beside other NFs shows when it is applied."""
    ways = node.llc.ways if node and node.llc else None
    if nf.llc_ways is not None and ways is not None and not 1 <= nf.llc_ways < ways:
        message = f"its core's cache has {ways} ways, one at least for all others: ask for 1 to {ways - 1}"
        yield FieldError(field=f"{at}.llc_ways", message=message)
    steps = node.memory_bandwidth_steps_percent if node else ()
    percent = nf.memory_bandwidth_percent
    if percent is not None and steps and percent not in steps:
        message = f"this host has the steps {', '.join(map(str, steps))} %"
        yield FieldError(field=f"{at}.memory_bandwidth_percent", message=message)


def _needs(field: str, capability: str, offer: HostOffer) -> Iterator[FieldError]:
    found = next((item for item in offer.host.capabilities if item.name == capability), None)
    if found is None or not found.available:
        reason = found.reason if found else "this driver does not offer it"
        yield FieldError(field=field, message=f"cannot be set here: {reason}")


_OF_A_PROCESS = {
    "cpu_share": "CPU time",
    "cpu_quota_percent": "CPU time",
    "llc_ways": "cache ways",
    "memory_bandwidth_percent": "memory bandwidth",
}
_NEEDS = {"llc_ways": "resctrl-cat", "memory_bandwidth_percent": "resctrl-mba"}
