"""Where a chain's packets enter and leave a host; the plan names both, so nothing is left to the agent."""

from collections.abc import Callable
from dataclasses import dataclass

from sextant_domain.chain import ChainSpec, Egress, Ingress
from sextant_domain.desired import DesiredChain
from sextant_domain.host import HostInventory, Port


@dataclass(frozen=True, slots=True)
class Route:
    """A chain's way through a host."""

    ingress: Ingress
    egress: Egress
    node: int
    """The node its packets arrive on: local for this chain."""

    @property
    def entry(self) -> str:
        """For a person: 'port src0'."""
        return f"port {self.ingress.port}" if self.ingress.port else "the NIC"


def route_of(spec: ChainSpec, inventory: HostInventory, room: Callable[[int], int]) -> Route | str:
    """Ports named or chosen; a text that says what the host lacks where there is no way.

    An unnamed ingress port is the one on the node with the most room (ties by name), an unnamed egress port one on
    the same node if there is one (ties by name).
    """
    arrive = sorted((port for port in inventory.ports if port.kind != "sink"), key=lambda port: port.name)
    leave = sorted((port for port in inventory.ports if port.kind != "source"), key=lambda port: port.name)
    entry = _named(spec.ingress.port, arrive, inventory, "packets do not arrive there")
    if isinstance(entry, str):
        return entry
    if entry is None and arrive:
        entry = max(arrive, key=lambda port: room(port.node))
    node = entry.node if entry else default_node(inventory)
    way_out = _named(spec.egress.port, leave, inventory, "packets do not leave there")
    if isinstance(way_out, str):
        return way_out
    if way_out is None and leave:
        way_out = min(leave, key=lambda port: port.node != node)
    return Route(
        ingress=spec.ingress.model_copy(update={"host": inventory.host_id, "port": entry.name if entry else None}),
        egress=Egress(host=inventory.host_id, port=way_out.name if way_out else None),
        node=node,
    )


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
