"""Where the NFs of an ordered chain go: under which manager, as which programs, on which lcores; pure.

A manager's packets enter service 1, so that a manager feeds one chain; and packets go from NF to NF within a manager
only, so that a chain has one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.opennetvm.launch import free_lcore
from sextant_domain.opennetvm.programs import MAX_SERVICE

from sextant_agent.contract.errors import DriverError
from sextant_agent.drivers.opennetvm.installation import ManagerPlace, OpenNetVmInstallation
from sextant_agent.drivers.opennetvm.programs import NfProgram, program_of, way_out

WAY_OUT_ID = "way-out"
"""NF id of what sends packets back to their port; an ordered NF's has a dot."""


class PlacementRefused(DriverError):
    """Only another order, or another opennetvm.toml, fixes it."""

    def __init__(self, message: str) -> None:
        super().__init__(message, permanent=True)


@dataclass(frozen=True, slots=True)
class ChainPosition:
    """What runs at one place of a chain."""

    nf_id: str
    nf_type: str
    """The built-in type; empty for the way out."""
    cpu: int
    program: NfProgram


def manager_of(chain: DesiredChain, installation: OpenNetVmInstallation, held: Mapping[str, str]) -> ManagerPlace:
    """That of its port; without one, the first that is free, if possible one that may use all of its cores.

    `held`: other chains by the name of the manager that feeds them. Raises PlacementRefused.
    """
    port = chain.ingress.port
    if port is not None:
        place = next((one for one in installation.manager if one.port == port), None)
        if place is None:
            ports = ", ".join(one.port for one in installation.manager)
            raise PlacementRefused(f"no manager of opennetvm.toml has the port {port} (there are {ports})")
        if place.name in held:
            raise PlacementRefused(
                f"all packets of port {port} enter {held[place.name]}: OpenNetVM's default chain is one; let this chain"
                " enter by another port"
            )
        return place
    free = [one for one in installation.manager if one.name not in held]
    if not free:
        raise PlacementRefused(
            f"every port has a chain ({', '.join(sorted(held.values()))}): OpenNetVM gives a port to one"
        )
    cpus = {nf.core for nf in chain.nfs}
    return next((one for one in free if cpus <= set(one.nf_cpus)), free[0])


def places_of(chain: DesiredChain, installation: OpenNetVmInstallation, manager: ManagerPlace) -> list[ChainPosition]:
    """In order, with the way out where it is needed. Raises what cannot be run here before anything is started."""
    held: dict[int, str] = {}
    places: list[ChainPosition] = []
    for number, nf in enumerate(chain.nfs):
        check_cpu(nf.nf_id, nf.core, manager)
        if nf.core in held and not manager.shared:
            raise PlacementRefused(
                f"{nf.nf_id} and {held[nf.core]} shall have core {nf.core}: NFs of manager {manager.name} poll, with a"
                " core each; `shared = true` in opennetvm.toml lets them share one"
            )
        held[nf.core] = nf.nf_id
        program = program_of(nf, installation, last=number == len(chain.nfs) - 1)
        places.append(ChainPosition(nf.nf_id, nf.runs, nf.core, program))
    if not places[-1].program.sends_out:
        cpu = manager.cpus[0] if manager.way_out_cpu is None else manager.way_out_cpu
        places.append(ChainPosition(WAY_OUT_ID, "", cpu, way_out(installation)))
    if len(places) > MAX_SERVICE:
        raise PlacementRefused(
            f"{chain.chain}: {len(places)} NFs, with the way out: OpenNetVM has {MAX_SERVICE} services"
        )
    return places


def lcores_of(places: Sequence[ChainPosition], manager: ManagerPlace) -> list[int]:
    """Of each place. Raises PlacementRefused."""
    lcores: list[int] = []
    for place in places:
        lcores.append(lcore_of(place.nf_id, place.cpu, manager, lcores))
    return lcores


def lcore_of(nf_id: str, cpu: int, manager: ManagerPlace, taken: Iterable[int]) -> int:
    """Raises PlacementRefused. The way out may be on a CPU that OpenNetVM gives no NFs: it never has that number."""
    lcore = free_lcore(len(manager.cpus), cpu, {*taken, *([cpu] if nf_id == WAY_OUT_ID else [])})
    if lcore is None:
        raise PlacementRefused(f"EAL has no lcore ids left under the manager of {manager.port}")
    return lcore


def check_cpu(nf_id: str, cpu: int, manager: ManagerPlace) -> None:
    """Raises PlacementRefused."""
    if cpu not in manager.nf_cpus:
        cpus = ", ".join(map(str, manager.nf_cpus))
        raise PlacementRefused(
            f"{nf_id}: core {cpu} is not one of the manager of port {manager.port} (it has {cpus}): packets go from NF"
            " to NF within a manager only"
        )
