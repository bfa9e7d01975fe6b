"""The paper's server on the twin: OpenNetVM's threads and pool on the node with the NICs, chains on any node.

State stays in the memory of that node wherever an NF runs, as in the paper (Sec. II-C: each VNF uses memory attached
to the local node), so that a move copies nothing.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sextant_domain.chains.traffic import FCS_BYTES, wire_gbps
from sextant_domain.studies.numasfp import NumasfpScenario
from sextant_domain.studies.scenario import BadScenario
from sextant_twin import calibration
from sextant_twin._core import Fleet, Host
from sextant_twin.errors import BadTwinInput
from sextant_twin.points import BURST, opennetvm, with_thread_cores
from sextant_twin.world import TwinWorld

HOST = "server"
STARTING_S = 5
"""Until all processes run and rings are filled; not counted."""
TICK_S = 0.1
MIN_SHARE = 0.1
"""Of memory bandwidth: MBA throttles no further."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A chain, where its NFs stand and what they are given."""

    name: str
    nfs: tuple[str, ...]
    nodes: tuple[int, ...]
    gbps: float
    masks: tuple[int | None, ...] = ()
    """LLC ways of each NF; none given: all may fill all."""
    shares: tuple[float, ...] = ()
    """Of memory bandwidth, of each NF; none given: 1."""


class NumasfpTwin:
    """The machine of a scenario, every prior at its centre."""

    def __init__(self, scenario: NumasfpScenario) -> None:
        """Raises BadScenario for a machine that the twin has no data of, or that has not two nodes."""
        self._scenario = scenario
        self._world = TwinWorld(calibration.load())
        try:
            self.own = self._world.machine(scenario.machine)
        except BadTwinInput as error:
            raise BadScenario("machine", error.message) from error
        if self.own.nodes < 2 or not self.own.nics:
            raise BadScenario("machine", f"{self.own.name} has not two nodes and a NIC, so nothing is remote there")
        self._machine = with_thread_cores(self.own)
        self.local = self.own.nics[0].node
        self.remote = next(node for node in range(self.own.nodes) if node != self.local)

    @cached_property
    def _core_json(self) -> str:
        return self._machine.core_json(calibration.load())

    @cached_property
    def _host(self) -> Host:
        return Host(self._core_json)

    def pps(self, gbps: float) -> float:
        """Packets a second of a rate on the wire."""
        return 1e6 * gbps / wire_gbps(1.0, self._scenario.frame_bytes - FCS_BYTES)

    def gbps(self, pps: float) -> float:
        """A rate on the wire."""
        return wire_gbps(pps / 1e6, self._scenario.frame_bytes - FCS_BYTES)

    def node(self, name: str) -> int:
        """Of `local` or `remote`."""
        return self.local if name == "local" else self.remote

    def core(self, node: int, place: int) -> int:
        """The `place`-th core of a node for NFs and their neighbours. Raises BadScenario."""
        if node >= self.own.nodes or place >= self.own.cores_per_node:
            size = f"{self.own.nodes} nodes of {self.own.cores_per_node} cores"
            raise BadScenario("run", f"asks for core {place} of node {node}; {self.own.name} has {size}")
        return node * self._machine.cores_per_node + place

    def setting(self, chains: Sequence[Placed]) -> dict[str, Any]:
        """As the core takes it. Every chain has cores of its own on each node. Raises BadScenario."""
        nfs, instances, given, place = {}, [], [], 0
        for number, chain in enumerate(chains):
            for index, (nf, node) in enumerate(zip(chain.nfs, chain.nodes, strict=True)):
                nfs[nf] = self._nf(nf)
                share = chain.shares[index] if chain.shares else 1.0
                instances.append(
                    {
                        "id": f"{chain.name}.{index}",
                        "nf": nf,
                        "core": self.core(node, place + index),
                        "memory_node": self.local,
                        "ways": chain.masks[index] if chain.masks else None,
                        "mba": 1 - max(MIN_SHARE, share),
                    }
                )
            given.append(self._chain(number, chain))
            place += len(chain.nfs)
        return {"nfs": nfs, "instances": instances, "chains": given, "neighbours": []}

    def _nf(self, name: str) -> dict[str, Any]:
        try:
            return self._world.nf(name)
        except BadTwinInput as error:
            raise BadScenario("run", error.message) from error

    def _chain(self, number: int, chain: Placed) -> dict[str, Any]:
        frames = [{"bytes": float(self._scenario.frame_bytes), "share": 1.0}]
        traffic = {"rate_pps": self.pps(chain.gbps), "frames": frames, "flows": self._scenario.flows}
        return {
            "id": chain.name,
            "stages": [f"{chain.name}.{index}" for index in range(len(chain.nfs))],
            "traffic": traffic,
            "nic": number % len(self.own.nics),
            "burst": BURST,
            **opennetvm(self.own, "one", number),
        }

    def carried(self, setting: Mapping[str, Any]) -> list[float]:
        """Gbps of each chain in steady state."""
        outcome = json.loads(self._host.steady(json.dumps(setting)))
        return [self.gbps(chain["delivered_pps"]) for chain in outcome["chains"]]

    def clock(self, courses: Mapping[str, Sequence[tuple[float, float]]]) -> "TwinClock":
        """The same second by second; `courses`: (second, Gbps) of each chain, by rising time."""
        return TwinClock(self, self._core_json, courses)


class TwinClock:
    """Time that passes on the server."""

    def __init__(self, twin: NumasfpTwin, core_json: str, courses: Mapping[str, Sequence[tuple[float, float]]]) -> None:
        self._twin = twin
        self._fleet = Fleet()
        self._fleet.add(HOST, core_json, seed=0, tick_s=TICK_S)
        self._arrivals = {name: _replay(twin, course) for name, course in courses.items()}
        self._setting: dict[str, Any] | None = None

    def order(self, setting: dict[str, Any]) -> None:
        """From now on; the first order waits until all of it runs."""
        first = self._setting is None
        if setting == self._setting:
            return
        self._setting = setting
        self._fleet.order(HOST, json.dumps({"setting": setting, "arrivals": self._arrivals}))
        if first:
            self._fleet.step(STARTING_S)

    def step(self, seconds: float) -> dict[str, tuple[float, float]]:
        """Gbps that came and that were delivered meanwhile, by chain."""
        before = self._counts()
        self._fleet.step(seconds)
        after = self._counts()
        return {
            name: (
                self._twin.gbps((offered - before[name][0]) / seconds),
                self._twin.gbps((delivered - before[name][1]) / seconds),
            )
            for name, (offered, delivered) in after.items()
        }

    def _counts(self) -> dict[str, tuple[int, int]]:
        chains: list[dict[str, Any]] = json.loads(self._fleet.report(HOST))["chains"]
        return {chain["id"]: (chain["offered"], chain["delivered"]) for chain in chains}


def _replay(twin: NumasfpTwin, course: Sequence[tuple[float, float]]) -> dict[str, Any]:
    points = [(at + STARTING_S if at > 0 else 0.0, twin.pps(gbps)) for at, gbps in course]
    return {"shape": {"kind": "replay", "points": points}}


def mask(first: int, count: int) -> int:
    """`count` ways from way `first` on."""
    return ((1 << count) - 1) << first
