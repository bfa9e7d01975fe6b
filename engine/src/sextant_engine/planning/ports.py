"""Where a chain's packets enter and leave a host; the plan names both, so nothing is left to the agent."""

from dataclasses import dataclass

from sextant_domain.chain import ChainSpec, Egress, Ingress
from sextant_domain.desired import DesiredChain
from sextant_domain.host import HostInventory, Port

from sextant_engine.fleet import HostDraft


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


def route_of(spec: ChainSpec, host: HostDraft) -> Route | str:
    """Ports named or chosen; a text that says what the host lacks where there is no way.

    An unnamed ingress port is the one on the node with the most room (ties by name), an unnamed egress port one on
    the same node if there is one (ties by name).
    """
    arrive, leave = spec.ingress.port, spec.egress.port
    return host.remember(("route", arrive, leave), lambda: _route(arrive, leave, host))


def _route(arrive: str | None, leave: str | None, host: HostDraft) -> Route | str:
    inventory = host.inventory
    entries = sorted((port for port in inventory.ports if port.kind != "sink"), key=lambda port: port.name)
    exits = sorted((port for port in inventory.ports if port.kind != "source"), key=lambda port: port.name)
    entry = _named(arrive, entries, inventory, "packets do not arrive there")
    if isinstance(entry, str):
        return entry
    if entry is None and entries:
        entry = max(entries, key=lambda port: host.room(port.node, last_choice=False))
    node = entry.node if entry else default_node(inventory)
    way_out = _named(leave, exits, inventory, "packets do not leave there")
    if isinstance(way_out, str):
        return way_out
    if way_out is None and exits:
        way_out = min(exits, key=lambda port: port.node != node)
    return Route(host.name, entry.name if entry else None, way_out.name if way_out else None, node)


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
