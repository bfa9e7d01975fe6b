"""Ordered faults in the twin's words, and back: pure."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, assert_never

from sextant_domain.hosts.fault import ActiveFault, Fault, HostDown, NfCrash, NicFlap, NoisyNeighbour
from sextant_twin.machines import Machine

from sextant_agent.contract.errors import FaultRefused
from sextant_agent.drivers.twin.inventory import nic_of, port_name
from sextant_agent.drivers.twin.orders import ChainLife


def fault_of(fault: Fault, given: Mapping[str, ChainLife], machine: Machine) -> dict[str, Any]:
    """Raises FaultRefused where it names what is not there."""
    match fault:
        case NfCrash(nf_id=nf_id):
            return {"kind": "nf_crash", "instance": instance_of(nf_id, given)}
        case NicFlap(port=port, seconds=seconds):
            nic = nic_of(machine, port)
            if nic is None:
                known = ", ".join(port_name(index) for index in range(len(machine.nics)))
                raise FaultRefused("port", f"there is no port '{port}' here; there are {known}")
            return {"kind": "nic_flap", "nic": nic, "for_s": seconds}
        case HostDown(seconds=seconds):
            return {"kind": "host_down", "for_s": seconds}
        case NoisyNeighbour(resource=resource, cores=cores, seconds=seconds):
            _refuse_taken(cores, given, machine)
            return {"kind": "noisy_neighbour", "resource": resource, "cores": list(cores), "for_s": seconds}
        case _:
            assert_never(fault)


def instance_of(nf_id: str, given: Mapping[str, ChainLife]) -> str:
    """The NF's id in the twin. Raises FaultRefused where it does not run here."""
    for each in given.values():
        if any(nf.nf_id == nf_id for nf in each.chain.nfs):
            return each.id_of(nf_id)
    raise FaultRefused("nf_id", f"'{nf_id}' does not run on this host")


def active_of(report: Mapping[str, Any]) -> tuple[ActiveFault, ...]:
    """Those that are not over, oldest first."""
    now, at = datetime.now(UTC), report["taken_ns"] / 1e9
    found = []
    for each in report["faults"]:
        until = each["until_s"]
        found.append(
            ActiveFault(
                fault=_fault_from(each["fault"]),
                since=now + timedelta(seconds=each["since_s"] - at),
                until=None if until is None else now + timedelta(seconds=until - at),
            )
        )
    return tuple(found)


def _fault_from(fault: Mapping[str, Any]) -> Fault:
    match fault["kind"]:
        case "nf_crash":
            return NfCrash(kind="nf-crash", nf_id=fault["instance"].partition("#")[0])
        case "nic_flap":
            return NicFlap(kind="nic-flap", port=port_name(fault["nic"]), seconds=fault["for_s"])
        case "host_down":
            return HostDown(kind="host-down", seconds=fault["for_s"])
        case _:
            return NoisyNeighbour(
                kind="noisy-neighbour",
                resource=fault["resource"],
                cores=tuple(fault["cores"]),
                seconds=fault["for_s"],
            )


def _refuse_taken(cores: tuple[int, ...], given: Mapping[str, ChainLife], machine: Machine) -> None:
    taken = {nf.core: nf.nf_id for each in given.values() for nf in each.chain.nfs}
    seen: set[int] = set()
    for index, core in enumerate(cores):
        if core not in machine.cores:
            raise FaultRefused(f"cores.{index}", f"core {core} is none of {len(machine.cores)}")
        if core in taken:
            raise FaultRefused(f"cores.{index}", f"core {core} runs {taken[core]}; name one without NFs")
        if core in seen:
            raise FaultRefused(f"cores.{index}", f"core {core} stands there twice")
        seen.add(core)
