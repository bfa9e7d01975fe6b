"""Which manager each NF of a measurement has; pure."""

from collections.abc import Mapping, Sequence

from sextant_domain.profiling.profile import ProfiledNf

from sextant_agent.drivers.opennetvm.installation import ManagerPlace, OpenNetVmInstallation
from sextant_agent.drivers.opennetvm.profiling.rig import profiling_places


def most_competitors(installation: OpenNetVmInstallation) -> int:
    """That can be measured beside an NF at once."""
    return len(installation.manager) - 1


def places_for(
    installation: OpenNetVmInstallation, nfs: Sequence[ProfiledNf], node_of: Mapping[int, int]
) -> tuple[ManagerPlace, ...] | None:
    """One for each of `nfs`, whose first is the one that is measured: it has the manager that its core belongs to. A
    competitor has that of its own core where nobody has it yet, else one on the node of its core, else any. None where
    there are fewer managers than NFs. `node_of`: by CPU."""
    free = list(profiling_places(installation))
    found = []
    for nf in nfs:
        if not free:
            return None
        place = min(free, key=lambda one: (nf.core not in one.nf_cpus, node_of.get(one.cpus[-1]) != node_of[nf.core]))
        free.remove(place)
        found.append(place.model_copy(update={"nf_cpus": (nf.core,)}))
    return tuple(found)
