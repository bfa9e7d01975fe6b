"""How many NFs can stand where while an NF is profiled."""

from collections.abc import Mapping
from dataclasses import dataclass

from sextant_domain.hosts.host import HostInventory
from sextant_domain.profiling.job import ProfilingAsk
from sextant_domain.profiling.profile import MAX_OTHERS

from sextant_engine.profiling.cores import FreeCores, free_cores
from sextant_engine.profiling.requests import CannotProfile


def local_node(inventory: HostInventory) -> int:
    """The node that packets arrive on."""
    first = min((node.id for node in inventory.nodes), default=0)
    return next((port.node for port in inventory.ports if port.kind != "sink"), first)


def most_beside(inventory: HostInventory) -> int:
    """Competitors that there is room for beside a local NF, when nothing else runs; 0 without a core for any NF."""
    return min(max(0, len(free_cores(inventory).get(local_node(inventory), ())) - 1), _most_at_once(inventory))


def most_elsewhere(inventory: HostInventory) -> int:
    """NFs that there is room for on one node other than that of the packets, when nothing else runs; 0 on one node."""
    local = local_node(inventory)
    room = max((len(cores) for node, cores in free_cores(inventory).items() if node != local), default=0)
    return min(room, _most_at_once(inventory) + 1)


def _most_at_once(inventory: HostInventory) -> int:
    """Competitors that one measurement of this host can have."""
    return MAX_OTHERS if inventory.most_competitors is None else min(inventory.most_competitors, MAX_OTHERS)


@dataclass(frozen=True, slots=True)
class ProfilingRoom:
    """Free cores of the node that packets arrive on, and of the others; the remote node is that with most of them."""

    local: int
    remote: int | None
    seats: Mapping[int, int]
    """Free cores by node."""
    most: int
    """Competitors at once."""

    @classmethod
    def of(cls, ask: ProfilingAsk, inventory: HostInventory, free: FreeCores) -> "ProfilingRoom":
        """Raises CannotProfile where the local node has no free core."""
        nodes, local = sorted(node.id for node in inventory.nodes), local_node(inventory)
        if not free.get(local):
            raise CannotProfile(
                "host",
                f"{inventory.host_id} has no free core on node {local}, where packets arrive: move NFs away from it, "
                "or choose another host",
            )
        others = [node for node in nodes if node != local and free.get(node)]
        remote = max(others, key=lambda node: (len(free[node]), -node), default=None)
        able = _most_at_once(inventory)
        most = able if ask.most_competitors is None else min(ask.most_competitors, able)
        return cls(local, remote, {node: len(free.get(node, ())) for node in nodes}, most)

    @property
    def near(self) -> int:
        """Most competitors beside a local NF."""
        return min(self.seats[self.local] - 1, self.most)

    def near_remote(self, chain: int = 1) -> int:
        """Most competitors beside a chain of that length on the remote node."""
        return 0 if self.remote is None else max(0, min(self.seats[self.remote] - chain, self.most))

    def elsewhere(self, node: int, upstream: int = 0) -> list[int]:
        """Nodes of the seats on other nodes than that of the NF, turn by turn from the remote one on. `upstream`: NFs
        of its chain that stand on the remote node."""
        free = {other: number for other, number in self.seats.items() if other != node}
        if self.remote in free:
            free[self.remote] -= upstream
        nodes = sorted(free, key=lambda other: (other != self.remote, other))
        turns = range(max(free.values(), default=0))
        return [other for turn in turns for other in nodes if turn < free[other]][: self.most]
