"""What fits and their views need of other modules: the versions that NF types are at, and what machines there are."""

from collections import Counter
from dataclasses import dataclass

from sextant_domain.hosts.host import HostInventory
from sextant_engine.parameters import REFERENCE_CORES
from sextant_engine.profiling.room import most_beside, most_elsewhere
from sqlalchemy import select
from sqlalchemy.orm import Session

from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.nfs import types


def nf_versions(session: Session) -> dict[str, int]:
    """The version that every NF type is at."""
    return {nf_type.name: nf_type.version for nf_type in types.every(session)}


@dataclass(frozen=True)
class MachineShape:
    """Of the machines of a host model."""

    nodes: int | None
    """None where no host of it is enrolled any more."""
    cores_a_node: int
    most_beside: int | None
    """Competitors that its hosts have room for beside a local NF, when nothing else runs; None as `nodes`."""
    most_elsewhere: int | None
    """NFs that its hosts have room for on one remote node, when nothing else runs; None as `nodes`."""


def shape(session: Session, host_model: str) -> MachineShape:
    """As the hosts of that model say."""
    found = session.scalars(select(Host.inventory).where(Host.inventory["host_model"].as_string() == host_model))
    inventories = [HostInventory.model_validate(one) for one in found]
    if not inventories:
        return MachineShape(None, REFERENCE_CORES, None, None)
    cores = (Counter(core.node for core in inventory.cores) for inventory in inventories)
    return MachineShape(
        nodes=max(len(inventory.nodes) for inventory in inventories),
        cores_a_node=max((max(one.values(), default=1) for one in cores), default=1),
        most_beside=max(most_beside(inventory) for inventory in inventories),
        most_elsewhere=max(most_elsewhere(inventory) for inventory in inventories),
    )
