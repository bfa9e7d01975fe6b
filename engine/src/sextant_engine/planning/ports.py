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


def routes_of(spec: ChainSpec, host: HostDraft) -> tuple[Route, ...] | str:
    """Ports named or chosen: one way for each node that packets may arrive on, lowest node first; a text that says
    what the host lacks where there is none.

    Of several ports on a node the first by name is taken; an unnamed egress port is on the same node if there is one.
    """
    arrive, leave = spec.ingress.port, spec.egress.port
    return host.remember(("routes", arrive, leave), lambda: _routes(arrive, leave, host))


def _routes(arrive: str | None, leave: str | None, host: HostDraft) -> tuple[Route, ...] | str:
    inventory = host.inventory
    entries = sorted((port for port in inventory.ports if port.kind != "sink"), key=lambda port: port.name)
    exits = sorted((port for port in inventory.ports if port.kind != "source"), key=lambda port: port.name)
    entry = _named(arrive, entries, inventory, "packets do not arrive there")
    if isinstance(entry, str):
        return entry
    way_out = _named(leave, exits, inventory, "packets do not leave there")
    if isinstance(way_out, str):
        return way_out
    by_node: dict[int, str | None] = {}
    for port in [entry] if entry else entries:
        by_node.setdefault(port.node, port.name)
    if not by_node:
        by_node[default_node(inventory)] = None
    return tuple(
        Route(host.name, name, _exit_name(way_out, exits, node), node) for node, name in sorted(by_node.items())
    )


def _exit_name(named: Port | None, exits: list[Port], node: int) -> str | None:
    if named is not None or not exits:
        return named.name if named else None
    return min(exits, key=lambda port: port.node != node).name


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
