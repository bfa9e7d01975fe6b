"""What was given to a simulated host, as the twin's order: pure.

Chains and NFs bear the instance of their chain in the twin (`web.router#3`): a chain that is added again has nothing to
do with the one before, neither its packets nor its counters.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from sextant_domain.hosts.desired import DesiredChain, DesiredNf
from sextant_domain.hosts.host import ReservedFor
from sextant_twin.backpressure import Backpressure
from sextant_twin.machines import Machine
from sextant_twin.points import BURST, DESCRIPTORS, RING_PACKETS, nf_key, nf_of

from sextant_agent.contract.fingerprint import Fingerprint, fingerprint
from sextant_agent.contract.ordered_resources import NOTHING, normal
from sextant_agent.contract.sample import NfResources
from sextant_agent.control.cpu_requests import share_of
from sextant_agent.drivers.twin.inventory import classes_of, nic_of, reserved_core
from sextant_agent.drivers.twin.traffic import arrivals_of, traffic_of
from sextant_agent.drivers.twin.ways import Held, NodeWays, WayRequest, masks_of

NF_TYPES = frozenset(
    {"basic-monitor", "bubble", "dpi", "firewall", "load-balancer", "nat", "nids", "router", "simple-forward", "vpn"}
)
"""Of the catalogue; the twin's other NFs are those of papers."""
QUOTA_PERIOD_S = 0.01
"""As the root helper sets it."""
NOTHING_HELD: Held = MappingProxyType({})


class NfRequest(NamedTuple):
    """What an NF is to have of the memory hierarchy."""

    instance: str
    """Its id in the twin."""
    core: int
    owner: str
    """Whose ways they are: the NF's id, or the chain's name."""
    wish: NfResources

    @property
    def throttle(self) -> float:
        """Of its requests to memory, as the twin has it."""
        percent = self.wish.memory_bandwidth_percent
        return 0.0 if percent is None else 1 - percent / 100


@dataclass(frozen=True)
class ChainLife:
    """A chain as it was last given, and which of its lives it is in."""

    chain: DesiredChain
    instance: int
    pauses: int = 0
    """How often it was paused since it was added."""

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """Of the chain; kept, since it is reported once a second."""
        return fingerprint(self.chain)

    @cached_property
    def requests(self) -> tuple["NfRequest", ...]:
        """Of its NFs, in their order."""
        shared = self.chain.resources
        ways, percent = (None, None) if shared is None else (shared.llc_ways, shared.memory_bandwidth_percent)
        return self.requests_with(normal(ways, percent, of_chain=True))

    def requests_with(self, together: NfResources) -> tuple["NfRequest", ...]:
        """The same, where all NFs have that together; of NOTHING, each has its own."""
        chain = self.chain
        if together != NOTHING:
            return tuple(NfRequest(self.id_of(nf.nf_id), nf.core, chain.chain, together) for nf in chain.nfs)
        return tuple(
            NfRequest(self.id_of(nf.nf_id), nf.core, nf.nf_id, normal(nf.llc_ways, nf.memory_bandwidth_percent))
            for nf in chain.nfs
        )

    def id_of(self, name: str) -> str:
        """Of the chain or one of its NFs, in the twin."""
        return f"{name}#{self.instance}"


def order_of(
    given: Iterable[ChainLife],
    machine: Machine,
    masks: Held | None = None,
    *,
    backpressure: Backpressure = Backpressure.NONE,
) -> dict[str, Any]:
    """The twin's order. `masks`: of LLC ways, by `way_masks`; None: where nobody holds any yet. `backpressure`: of all
    chains. Raises TooFewWays."""
    every = list(given)
    masks = way_masks(requests_of(every), machine, NOTHING_HELD) if masks is None else masks
    chains = [each for each in every if each.chain.nfs]
    shared = _shared_cores(chains)
    placed = [pair for each in chains for pair in zip(each.chain.nfs, each.requests, strict=True)]
    kinds = {nf_key(nf.runs, nf.config): nf for nf, _ in placed}
    ends = reserved_core(machine, ReservedFor.RX), reserved_core(machine, ReservedFor.TX)
    arrivals = {each.id_of(each.chain.chain): arrivals_of(each.chain.traffic) for each in chains}
    return {
        "setting": {
            "nfs": {key: _nf_of(nf.runs, nf.config) for key, nf in kinds.items()},
            "instances": [_instance(nf, request, _mask_of(request, masks, machine), shared) for nf, request in placed],
            "chains": [_chain(each, machine, ends) | {"backpressure": backpressure.value} for each in chains],
        },
        "arrivals": {name: shape for name, shape in arrivals.items() if shape is not None},
        "paused": [each.id_of(each.chain.chain) for each in chains if each.chain.paused],
    }


def requests_of(given: Iterable[ChainLife]) -> list[NfRequest]:
    """Of all NFs."""
    return [request for each in given for request in each.requests]


def resources_of(requests: Iterable[NfRequest], machine: Machine, masks: Held) -> list[dict[str, Any]]:
    """What NFs have of the memory hierarchy, as the twin is given it."""
    return [
        {"id": request.instance, "ways": _mask_of(request, masks, machine), "mba": request.throttle}
        for request in requests
    ]


def _nf_of(nf_type: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """Raises KeyError for a type that is not of the catalogue."""
    if nf_type not in NF_TYPES:
        raise KeyError(nf_type)
    return nf_of(nf_type, config)


def way_masks(given: Iterable[NfRequest], machine: Machine, held: Held) -> Held:
    """By owner and node; empty where nobody has ways of its own, and so where there is no CAT. Raises TooFewWays."""
    requests: dict[tuple[str, int], WayRequest] = {}
    for _, core, owner, wish in given:
        node = machine.node_of(core)
        if (owner, node) not in requests:  # of a chain, once for all its NFs there
            limited = wish.memory_bandwidth_percent is not None
            requests[owner, node] = WayRequest(owner, node, wish.llc_ways, limited=limited)
    llc = machine.llc
    given_out = NodeWays(llc.ways, nic=llc.ddio_ways, classes=classes_of(machine))
    return masks_of(list(requests.values()), given_out, held)


def _mask_of(request: NfRequest, masks: Held, machine: Machine) -> int | None:
    found = masks.get((request.owner, machine.node_of(request.core)))
    return found.mask if found else None


def _shared_cores(given: Iterable[ChainLife]) -> frozenset[int]:
    """Cores with several processes: there NFs sleep while nothing comes, elsewhere they poll."""
    holders: dict[int, set[str]] = {}
    for each in given:
        for nf in each.chain.nfs:
            together = each.chain.execution == "run-to-completion"
            holders.setdefault(nf.core, set()).add(each.chain.chain if together else nf.nf_id)
    return frozenset(core for core, names in holders.items() if len(names) > 1)


def _instance(nf: DesiredNf, request: NfRequest, mask: int | None, shared: frozenset[int]) -> dict[str, Any]:
    quota = nf.cpu_quota_percent
    return {
        "id": request.instance,
        "nf": nf_key(nf.runs, nf.config),
        "core": nf.core,
        "ways": mask,
        "mba": request.throttle,
        "weight": share_of(nf),
        "quota": None if quota is None else {"share": quota / 100, "period_s": QUOTA_PERIOD_S},
        "polling": nf.core not in shared,
    }


def _chain(given: ChainLife, machine: Machine, ends: tuple[int | None, int | None]) -> dict[str, Any]:
    """`ends`: cores that receive packets and send them."""
    chain, (rx_core, tx_core) = given.chain, ends
    return {
        "id": given.id_of(chain.chain),
        "stages": [given.id_of(nf.nf_id) for nf in chain.nfs],
        "execution": chain.execution.replace("-", "_"),
        "traffic": traffic_of(chain.traffic),
        "nic": nic_of(machine, chain.ingress.port) or 0,
        "rx_core": rx_core,
        "tx_core": tx_core,
        "ring_packets": RING_PACKETS,
        "rx_descriptors": DESCRIPTORS,
        "tx_descriptors": DESCRIPTORS,
        "burst": BURST,
    }
