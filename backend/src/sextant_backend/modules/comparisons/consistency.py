"""What a snapshot from a file must be beyond its types: one thing a name, no name without its thing, and of a size that
the engine can hold. A file may come from anybody."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.nf import NfType
from sextant_domain.plans.snapshot import FleetSnapshot, HostSnapshot
from sextant_domain.problem import FieldError
from sextant_domain.profiling.assigner import PromotedNetwork
from sextant_domain.profiling.host_cost import FittedCost
from sextant_domain.profiling.model import PerformanceModel
from sextant_engine.errors import BadEngineInput

from sextant_backend.modules.networks import contents
from sextant_backend.modules.nfs.types import MAX_NF_TYPES

MAX_ERRORS = 50
MAX_HOSTS = 5_000
MAX_CHAINS = 50_000
MAX_MODELS = 20_000
MAX_KINDS = 32
"""Of a fit."""
MAX_NETWORKS = 64
MAX_CORES = 4_096
MAX_NODES = 64
MAX_NUMBER = 65_535
"""Highest number of a core, node or socket."""
MAX_GENERATION = 2**31
MAX_MPPS = 1e6
MAX_COEFFICIENT = 1e6
MAX_COST = 1e12
"""Of a coefficient of fitted costs, as the fit has it."""


def inconsistencies(snapshot: FleetSnapshot) -> list[FieldError]:
    """The first 50 things that are wrong, by the path of the field; empty where the engine can work with it."""
    sizes = list(_sizes(snapshot))
    if sizes:
        return sizes
    found = chain(
        _twice("hosts", (host.inventory.host_id for host in snapshot.hosts)),
        _twice("chains", (spec.name for spec in snapshot.chains)),
        _twice("nf_types", (nf_type.name for nf_type in snapshot.nf_types)),
        _models(snapshot.models),
        _twice("costs", (cost.host for cost in snapshot.costs)),
        _costs(snapshot.costs),
        _twice("networks", (str(network.cores) for network in snapshot.networks)),
        _networks(snapshot.networks),
        _chains(snapshot),
        chain.from_iterable(_host(index, host, snapshot) for index, host in enumerate(snapshot.hosts)),
    )
    return list(islice(found, MAX_ERRORS))


def without_schemas(snapshot: FleetSnapshot) -> FleetSnapshot:
    """The snapshot with nothing but the defaults in its NF types' schemas, and which settings are secrets: a stranger's
    could hold an expression that keeps a worker busy for ever, or a reference to another machine."""
    stripped = tuple(
        nf_type.model_copy(update={"config_schema": _defaults_only(nf_type)}) for nf_type in snapshot.nf_types
    )
    return snapshot.model_copy(update={"nf_types": stripped})


def _defaults_only(nf_type: NfType) -> dict[str, Any]:
    properties = nf_type.config_schema.get("properties")
    known = properties.items() if isinstance(properties, dict) else ()
    defaults = {
        name: {word: schema[word] for word in ("default", "writeOnly") if word in schema}
        for name, schema in known
        if isinstance(schema, dict) and "default" in schema
    }
    return {"type": "object", "properties": defaults}


def _error(field: str, message: str) -> FieldError:
    return FieldError(field=f"snapshot.{field}", message=message)


def _sizes(snapshot: FleetSnapshot) -> Iterator[FieldError]:
    for field, count, most in (
        ("hosts", len(snapshot.hosts), MAX_HOSTS),
        ("chains", len(snapshot.chains), MAX_CHAINS),
        ("nf_types", len(snapshot.nf_types), MAX_NF_TYPES),
        ("models", len(snapshot.models), MAX_MODELS),
        ("costs", len(snapshot.costs), MAX_HOSTS),
        ("networks", len(snapshot.networks), MAX_NETWORKS),
    ):
        if count > most:
            yield _error(field, f"at most {most} can be compared, not {count}")
    if not snapshot.hosts:
        yield _error("hosts", "there is none")


def _twice(field: str, names: Iterable[str]) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            yield _error(f"{field}.{index}", f"'{name}' is there twice")
        seen.add(name)


def _models(models: Iterable[PerformanceModel]) -> Iterator[FieldError]:
    for index, model in enumerate(models):
        if max(model.ideal_mpps.local, model.ideal_mpps.remote) > MAX_MPPS:
            yield _error(f"models.{index}.ideal_mpps", f"at most {MAX_MPPS:.0f} Mpps")
        numbers = [abs(value) for side in (model.local, model.remote) for value in (side.alpha, side.beta, side.c)]
        if max(numbers) > MAX_COEFFICIENT or not 1 / MAX_COEFFICIENT <= model.stalls <= MAX_COEFFICIENT:
            yield _error(f"models.{index}", f"coefficients and stalls are at most {MAX_COEFFICIENT:.0f}")


def _costs(costs: Iterable[FittedCost]) -> Iterator[FieldError]:
    for index, cost in enumerate(costs):
        kinds = len(cost.model.kinds)
        if kinds > MAX_KINDS or len(set(cost.model.kinds)) != kinds:
            yield _error(f"costs.{index}.model.kinds", f"at most {MAX_KINDS}, each once")
        for name, table in (("core", cost.model.core), ("socket", cost.model.socket)):
            if len(table) != kinds + 1 or any(len(row) != kinds + 1 for row in table):
                yield _error(f"costs.{index}.model.{name}", f"of {kinds} kinds and any other, as rows and columns")
            elif not all(0 <= value <= MAX_COST for row in table for value in row):
                yield _error(f"costs.{index}.model.{name}", f"numbers from 0 to {MAX_COST:.0e}")
        if not all(0 <= value <= MAX_COST for value in cost.model.hand_off.model_dump().values()):
            yield _error(f"costs.{index}.model.hand_off", f"numbers from 0 to {MAX_COST:.0e}")


def _networks(networks: Sequence[PromotedNetwork]) -> Iterator[FieldError]:
    for index, network in enumerate(networks):
        try:
            contents.read_weights(network.document, network.cores, network.weights)
        except BadEngineInput as error:
            yield _error(f"networks.{index}.document", str(error))


def _chains(snapshot: FleetSnapshot) -> Iterator[FieldError]:
    hosts = {host.inventory.host_id for host in snapshot.hosts}
    types = {nf_type.name for nf_type in snapshot.nf_types}
    for index, spec in enumerate(snapshot.chains):
        for position, nf in enumerate(spec.nfs):
            if nf.type not in types:
                yield _error(f"chains.{index}.nfs.{position}.type", f"there is no NF type '{nf.type}' in it")
        yield from _ends(index, spec, hosts)


def _ends(index: int, spec: ChainSpec, hosts: set[str]) -> Iterator[FieldError]:
    for end, host in (("ingress", spec.ingress.host), ("egress", spec.egress.host)):
        if host is not None and host not in hosts:
            yield _error(f"chains.{index}.{end}.host", f"there is no host '{host}' in it")


def _host(index: int, host: HostSnapshot, snapshot: FleetSnapshot) -> Iterator[FieldError]:
    inventory, at = host.inventory, f"hosts.{index}"
    if len(inventory.cores) > MAX_CORES or len(inventory.nodes) > MAX_NODES:
        yield _error(f"{at}.inventory", f"at most {MAX_CORES} cores and {MAX_NODES} NUMA nodes")
    numbers = [number for core in inventory.cores for number in (core.id, core.socket, core.physical_core)]
    numbers += [number for node in inventory.nodes for number in (node.id, node.socket)]
    if max(numbers, default=0) > MAX_NUMBER:
        yield _error(f"{at}.inventory", f"numbers of cores, nodes and sockets are at most {MAX_NUMBER}")
    if not 0 <= host.generation <= MAX_GENERATION:
        yield _error(f"{at}.generation", f"at least 0 and at most {MAX_GENERATION}")
    yield from _content(at, host, {nf_type.name for nf_type in snapshot.nf_types})


def _content(at: str, host: HostSnapshot, types: set[str]) -> Iterator[FieldError]:
    if host.content.host_id != host.inventory.host_id:
        yield _error(f"{at}.content.host_id", f"the inventory is that of '{host.inventory.host_id}'")
    slots = {core.id: core.slots for core in host.inventory.cores}
    taken: set[tuple[int, int]] = set()
    names = [running.chain for running in host.content.chains]
    yield from _twice(f"{at}.content.chains", names)
    for number, running in enumerate(host.content.chains):
        for position, nf in enumerate(running.nfs):
            where = f"{at}.content.chains.{number}.nfs.{position}"
            if nf.nf_type not in types:
                yield _error(f"{where}.nf_type", f"there is no NF type '{nf.nf_type}' in it")
            if nf.core not in slots or nf.slot >= slots[nf.core]:
                yield _error(f"{where}.core", f"the host has no core {nf.core} with a slot {nf.slot}")
            if (nf.core, nf.slot) in taken:
                yield _error(f"{where}.core", f"slot {nf.slot} of core {nf.core} is taken twice")
            taken.add((nf.core, nf.slot))
