"""A study's server: its nodes and free cores as the engine sees them, and the twin that judges what is put on it."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from sextant_domain.chains.match import IPV6
from sextant_domain.chains.nf import NfType
from sextant_domain.hosts.host import (
    PROFILING,
    PROFILING_CHAINS,
    PROFILING_COLOCATION,
    Capability,
    Core,
    HostInventory,
    LlcInfo,
    NumaNode,
    Port,
    ReservedFor,
)
from sextant_domain.profiling.profile import ProfiledNf, ProfileTraffic
from sextant_domain.studies.scenario import BadScenario, PlacementScenario, StudyNf, StudyTraffic
from sextant_engine.problem import Placement
from sextant_engine.profiling.cores import FreeCores, free_cores
from sextant_engine.profiling.requests import BUBBLE, REPORTER, UPSTREAM
from sextant_twin import calibration
from sextant_twin._core import Host
from sextant_twin.errors import BadTwinInput
from sextant_twin.machines import Machine
from sextant_twin.points import PointChain, opennetvm, setting_of, with_thread_cores
from sextant_twin.world import TwinWorld

Known = TypeVar("Known")
NODE_MEMORY_BYTES = 64 * 2**30
"""Nothing here fills memory."""
TOOLS = (BUBBLE, REPORTER, UPSTREAM)
"""NFs that profiling puts beside or in front of others."""


class TwinServer:
    """One draw of the twin's priors, or their centre: machine, NFs, and the cores that NFs may take."""

    def __init__(self, scenario: PlacementScenario, draw: int | None) -> None:
        """Raises BadScenario for a machine or NF that the twin has no data of, or for too few cores."""
        self.scenario = scenario
        self._world = TwinWorld(calibration.load(), draw)
        own = _known("server.machine", partial(self._world.machine, scenario.server.machine))
        self.cores_a_node = own.cores_per_node
        """Of the machine itself."""
        self._threads = scenario.server.io == "threads"
        self._own = own
        self.machine: Machine = with_thread_cores(own) if self._threads else own
        self.core_json = self.machine.core_json(calibration.load())
        """As the twin's core takes it, with the ports that the machine has."""
        self._host = Host(self.core_json)
        self.inventory = _inventory(self.machine, self.cores_a_node, scenario)
        self.free: FreeCores = free_cores(self.inventory)
        self.local = self.machine.nics[0].node if self.machine.nics else 0
        self.nf_types: Mapping[str, NfType] = {nf.name: _nf_type(nf.name) for nf in scenario.nf} | {
            name: _nf_type(name) for name in TOOLS
        }
        tools = {UPSTREAM: scenario.profiling.upstream, REPORTER: scenario.profiling.reporter}
        self._specs = {name: StudyNf(name=name, like=like) for name, like in tools.items()} | {
            nf.name: nf for nf in scenario.nf
        }
        fields = {UPSTREAM: "profiling.upstream", REPORTER: "profiling.reporter"}
        for name in self.nf_types:
            _known(fields.get(name, f"nf {name}"), partial(self.nf_core, name))
        self._check_room()

    def io(self, chain: int) -> Mapping[str, Any]:
        """As `Io`."""
        if not self._threads:
            return {}
        return opennetvm(self._own, self.scenario.server.managers, chain)

    def nf_core(self, name: str) -> dict[str, Any]:
        """As `NfCore`."""
        spec = self._specs.get(name, StudyNf(name=name))
        core = self._world.nf(spec.like or spec.name)
        core["compute_cycles"] += spec.extra_cycles
        return core

    def carried_mpps(self, chains: Sequence[Sequence[str]], placement: Placement) -> dict[str, float]:
        """What each chain of a placement delivers in steady state; chains by their position, as text."""
        setting, names = self.setting(chains, placement)
        outcome = json.loads(self._host.steady(json.dumps(setting)))
        return {name: found["delivered_pps"] / 1e6 for name, found in zip(names, outcome["chains"], strict=True)}

    def setting(self, chains: Sequence[Sequence[str]], placement: Placement) -> tuple[dict[str, Any], list[str]]:
        """The core's setting, and which chain each of its chains is. NFs of a node take its free cores in turn; ports
        are taken in turn, too."""
        traffic = self.scenario.traffic
        cores = {node: iter(free) for node, free in self.free.items()}
        names = sorted(placement, key=int)
        placed = [
            PointChain(
                tuple(
                    _placed(name, next(cores[int(node)]), traffic)
                    for name, node in zip(chains[int(chain)], placement[chain], strict=True)
                ),
                traffic.mpps * 1e6,
            )
            for chain in names
        ]
        setting = setting_of(placed, self.nf_core, self.io)
        for number, chain in enumerate(setting["chains"]):
            chain["nic"] = number % len(self.machine.nics)
        return setting, names

    def _check_room(self) -> None:
        room = sum(map(len, self.free.values()))
        for one in self.scenario.set:
            if one.nfs > room:
                raise BadScenario(f"set {one.name}", f"{one.nfs} NFs, and {room} cores are free on this server")


def _known(field: str, read: Callable[[], Known]) -> Known:
    """What the twin has data of; BadScenario with the scenario's field where it has none."""
    try:
        return read()
    except BadTwinInput as error:
        raise BadScenario(field, error.message) from error


def _placed(name: str, core: int, traffic: StudyTraffic) -> ProfiledNf:
    return ProfiledNf(
        nf_type=name, core=core, traffic=ProfileTraffic(packet_bytes=traffic.packet_bytes, flows=traffic.flows)
    )


def _nf_type(name: str) -> NfType:
    """All that a simulated NF is lies in its data file, so that it has no configuration but what a point gives it."""
    return NfType(name=name, version=1, short_name=name[:8], summary=name, library="none", config_schema={})


def _inventory(machine: Machine, size: int, scenario: PlacementScenario) -> HostInventory:
    """`size`: cores of a node of the machine itself; what is beyond is reserved."""
    if not machine.nics:
        raise BadScenario("server.machine", f"{machine.name} has no NIC, so nothing is local there")
    local = machine.nics[0].node
    holders = _holders(machine, size, scenario, local)
    llc = LlcInfo(size_bytes=int(machine.llc.size), ways_shared_with_nic=machine.llc.ddio_ways)
    able = (PROFILING, PROFILING_COLOCATION, PROFILING_CHAINS, IPV6, "perf-counters")
    return HostInventory(
        host_id="server",
        hostname="server",
        host_model=f"{machine.name} (simulated), {machine.nodes} x {size} cores",
        driver="twin",
        kernel="none: simulated",
        agent_version="none",
        nodes=tuple(
            NumaNode(id=node, socket=node, memory_bytes=NODE_MEMORY_BYTES, llc=llc) for node in range(machine.nodes)
        ),
        cores=tuple(
            Core(
                id=core,
                node=core // machine.cores_per_node,
                socket=core // machine.cores_per_node,
                physical_core=core,
                slots=0 if core in holders else 1,
                reserved_for=ReservedFor.SYSTEM if core in holders else None,
            )
            for core in range(machine.nodes * machine.cores_per_node)
        ),
        ports=tuple(Port(name=f"nic{index}", node=nic.node, kind="nic") for index, nic in enumerate(machine.nics)),
        capabilities=tuple(Capability(name=name, available=True, reason="the twin computes it") for name in able),
    )


def _holders(machine: Machine, size: int, scenario: PlacementScenario, local: int) -> set[int]:
    """Cores that no NF may take."""
    asked, stride = scenario.server, machine.cores_per_node
    if asked.reserved >= size:
        raise BadScenario("server.reserved", f"{asked.reserved} of {size} cores: leave one for NFs")
    held = {node * stride + core for node in range(machine.nodes) for core in range(size, stride)}
    held |= set(range(local * stride, local * stride + asked.reserved))
    if asked.free_remote is not None:
        if asked.free_remote > size:
            raise BadScenario("server.free_remote", f"{asked.free_remote} of {size} cores: there are not so many")
        for node in set(range(machine.nodes)) - {local}:
            held |= set(range(node * stride + asked.free_remote, node * stride + size))
    return held
