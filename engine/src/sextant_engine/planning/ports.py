"""Where a chain's packets enter and leave a host; the plan names both, so nothing is left to the agent."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from sextant_domain.chains.chain import ChainSpec, Egress, Ingress
from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.hosts.host import HostInventory, Port

from sextant_engine.host_state import HostState
from sextant_engine.planning.line_rate import offered_mbps

UNKNOWN_MBPS = 10_000
"""What a port of unknown speed, as the testbed's own source, is reckoned to carry when ports are compared."""


@dataclass(frozen=True, slots=True)
class Route:
    """A way through a host: port names, and the node that is local for it."""

    host: str
    arrive: str | None
    """None on a host without ports."""
    leave: str | None
    node: int
    """The node the packets arrive on."""

    @property
    def entry(self) -> str:
        """For a person: 'port src0'."""
        return f"port {self.arrive}" if self.arrive else "the NIC"

    def ingress(self, spec: ChainSpec) -> Ingress:
        """The chain's ingress with host and port filled in."""
        return spec.ingress.model_copy(update={"host": self.host, "port": self.arrive})

    def egress(self) -> Egress:
        """The chain's egress with host and port filled in."""
        return Egress(host=self.host, port=self.leave)


def routes_of(spec: ChainSpec, host: HostState) -> tuple[Route, ...] | str:
    """Ports named or chosen: one way for each node that packets may arrive on, lowest node first; a text that says
    what the host lacks where there is none.

    Of several ports on a node the one of least load is taken. Packets leave by the port they came by unless the chain
    names another or it only receives: then by one on the same node if there is one.
    """
    arrive, leave = spec.ingress.port, spec.egress.port
    if {arrive, leave} - {None, *(port.name for port in host.inventory.ports)}:
        return _routes(host, arrive, leave)  # not kept: a host is held for long, and there is no end of wrong names
    return host.derive(_routes, arrive, leave)


def least_loaded(spec: ChainSpec, host: HostState, route: Route) -> Route | None:
    """The same way with the port of its node that is the least full once this chain enters by it, too: others may
    have been seated since the way was chosen, and None where they took the last."""
    if route.arrive is None:
        return route
    there = [port for port in _open(host) if port.node == route.node]
    if spec.ingress.port is not None:
        return route if any(port.name == spec.ingress.port for port in there) else None
    if not there:
        return None
    arrive = _emptiest(host, there, offered_mbps(spec))
    leave = route.leave if spec.egress.port else _exit_name(arrive, _usable(host.inventory, "source"))
    return replace(route, arrive=arrive.name, leave=leave)


def takes_one_more(host: HostState, port: str | None) -> bool:
    """Whether one more chain can enter there; on a host without ports any can."""
    return port is None or any(one.name == port for one in _open(host))


def load_of(host: HostState, port: str | None) -> float:
    """What is offered at a port, of what its line carries: 0.6 at 10 Gbit/s are 6 Gbit/s on the wire."""
    return 0.0 if port is None else _offered(host)[port] / host.derive(_speeds).get(port, UNKNOWN_MBPS)


def _offered(host: HostState) -> dict[str, float]:
    """Mbit/s on the wire by ingress port, as offered."""
    return host.derive(_sum_offered)


def _sum_offered(host: HostState) -> dict[str, float]:
    sums = {port.name: 0.0 for port in host.inventory.ports}
    for _, chain in sorted(host.chains.items()):
        if chain.ingress.port in sums:
            sums[chain.ingress.port] += offered_mbps(chain)
    return sums


def _speeds(host: HostState) -> dict[str, int]:
    return {nic.name: nic.speed_mbps for nic in host.inventory.nics if nic.speed_mbps}


def _emptiest(host: HostState, ports: Iterable[Port], more_mbps: float = 0.0) -> Port:
    offered, speeds = _offered(host), host.derive(_speeds)
    return min(
        ports,
        key=lambda port: ((offered[port.name] + more_mbps) / speeds.get(port.name, UNKNOWN_MBPS), port.name),
    )


def _usable(inventory: HostInventory, without: str) -> list[Port]:
    return sorted((port for port in inventory.ports if port.kind != without), key=lambda port: port.name)


def _open(host: HostState) -> list[Port]:
    """Ports by which one more chain can enter."""
    held = Counter(chain.ingress.port for chain in host.chains.values())
    return [port for port in _usable(host.inventory, "sink") if port.chains is None or held[port.name] < port.chains]


def _routes(host: HostState, arrive: str | None, leave: str | None) -> tuple[Route, ...] | str:
    inventory = host.inventory
    entries, exits = _usable(inventory, "sink"), _usable(inventory, "source")
    entry = _named(arrive, entries, inventory, "packets do not arrive there")
    if isinstance(entry, str):
        return entry
    way_out = _named(leave, exits, inventory, "packets do not leave there")
    if isinstance(way_out, str):
        return way_out
    usable = [port for port in _open(host) if entry is None or port == entry]
    if entries and not usable:
        return _full(entry, host)
    if not usable:
        node = default_node(inventory)
        return (Route(host.name, None, leave if way_out else _nearest(exits, node), node),)
    by_node = {node: [port for port in usable if port.node == node] for node in sorted({port.node for port in usable})}
    chosen = [_emptiest(host, ports) for ports in by_node.values()]
    return tuple(
        Route(host.name, port.name, way_out.name if way_out else _exit_name(port, exits), port.node) for port in chosen
    )


def _full(entry: Port | None, host: HostState) -> str:
    held = ", ".join(f"{chain.ingress.port}: {name}" for name, chain in sorted(host.chains.items()))
    whose = f"port '{entry.name}' takes" if entry else "its ports take"
    return f"{whose} no more chains ({held})"


def _exit_name(arrive: Port, exits: list[Port]) -> str | None:
    return arrive.name if arrive in exits else _nearest(exits, arrive.node)


def _nearest(exits: list[Port], node: int) -> str | None:
    return min(exits, key=lambda port: port.node != node).name if exits else None


def _named(name: str | None, usable: list[Port], inventory: HostInventory, why_not: str) -> Port | str | None:
    if name is None:
        return None
    for port in usable:
        if port.name == name:
            return port
    if any(port.name == name for port in inventory.ports):
        return f"port '{name}': {why_not}"
    return f"it has no port '{name}'"


def default_node(inventory: HostInventory) -> int:
    """The local node of a host without ports: a NIC's, else the lowest."""
    nics = [nic.node for nic in inventory.nics if nic.node is not None]
    return min(nics or [node.id for node in inventory.nodes], default=0)


def ingress_node(chain: DesiredChain, inventory: HostInventory) -> int:
    """The local node of a chain that was placed before."""
    for port in inventory.ports:
        if port.name == chain.ingress.port:
            return port.node
    return default_node(inventory)
