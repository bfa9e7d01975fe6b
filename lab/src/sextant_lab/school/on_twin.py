"""Assignments on the digital twin of sfc2cpu's machine: what is served, how long packets take, what a packet costs.

The twin does not have the form of the model that networks are trained on, nor of costs that are fitted: caches, memory,
switches between NFs that share a core, what a process finds cold when it is back, rings and their bursts.
"""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sextant_engine.laws.sfc2cpu.solve import answer
from sextant_twin import calibration
from sextant_twin._core import Host
from sextant_twin.backpressure import Backpressure
from sextant_twin.points import BURST, FCS_BYTES, opennetvm, with_thread_cores
from sextant_twin.world import TwinWorld

from sextant_lab.school.instances import Drawing

Question = dict[str, Any]


class Ran(NamedTuple):
    """What the twin says of an assignment."""

    served: float
    """Part of the packets."""
    p50_s: float
    """Median of a chain, mean over chains by their packets."""
    cycles: tuple[float, ...]
    """Of a packet, by VNF."""
    wasted: float = 0.0
    """Of all cycles of VNFs, the part that went into packets for which a later ring had no room."""

    def beats(self, other: "Ran") -> bool:
        """More packets; of as many, shorter ones. A ten-thousandth is no difference."""
        if abs(self.served - other.served) > 1e-4:
            return self.served > other.served
        return self.p50_s < other.p50_s


@dataclass(frozen=True, slots=True)
class TwinTraffic:
    """Of a chain."""

    frame_bytes: int = 60
    flows: int = 10_000
    ring_packets: int = 4096


class TwinMachine:
    """The machine, every prior at its centre. Cores are those of one die after another, beside those of threads that
    move packets between the NIC and rings."""

    def __init__(self, machine: str, kinds: Sequence[str], traffic: TwinTraffic | None = None) -> None:
        """`kinds`: of the twin's catalogue."""
        world, fitted = TwinWorld(calibration.load()), calibration.load()
        self._own = world.machine(machine)
        self._machine = with_thread_cores(self._own)
        self._host = Host(self._machine.core_json(fitted))
        self._nfs = {kind: world.nf(kind) for kind in kinds}
        self._traffic = traffic or TwinTraffic()

    def numbered(self, drawing: Drawing, seed: int, cores: int, number: int, kinds: Sequence[str]) -> Question:
        """The same for the same seed, numbers and number of kinds."""
        dice = random.Random(f"{seed} kinds {cores} {number} {len(kinds)}")  # noqa: S311
        return self.of_kinds(drawing.numbered(seed, cores, number), dice, kinds)

    @property
    def cores(self) -> int:
        """That VNFs may have."""
        return self._own.cores_per_node * self._own.nodes

    def of_kinds(self, drawn: Question, dice: random.Random, kinds: Sequence[str]) -> Question:
        """A drawn instance, its VNFs of these kinds, with the cycles that the twin sees of each alone and its load no
        larger than a core."""
        vnfs = [{**vnf, "kind": dice.choice(kinds)} for vnf in drawn["vnfs"]]
        cores = [{"id": core, "socket": self._die(core)} for core in range(drawn["cores"])]
        asked = {**drawn, "vnfs": vnfs, "cores": cores}
        work = [vnf["cycles"] for vnf in vnfs]
        for index, vnf in enumerate(vnfs):
            vnf["cycles"] = self._alone(asked, work, index)
        return {**asked, "work": work}

    def run(
        self,
        asked: Question,
        at: Sequence[int],
        *,
        equally: bool = False,
        polling: bool = False,
        backpressure: Backpressure = Backpressure.STRICT,
    ) -> Ran:
        """In steady state, cores divided by rate and cost; `equally`: all VNFs of a core weigh the same; `polling`:
        they look for packets, and do not sleep, where there are none."""
        setting = self._setting(asked, asked["work"], at)
        for chain in setting["chains"]:
            chain["backpressure"] = backpressure.value
        for one in setting["instances"]:
            one["polling"] = polling
            if equally:
                one["weight"] = 1.0
        found = json.loads(self._host.steady(json.dumps(setting)))
        carried = [chain["delivered_pps"] for chain in found["chains"]]
        latency = [chain["latency"]["p50_s"] for chain in found["chains"]]
        offered = sum(chain["traffic"]["rate_pps"] for chain in setting["chains"])
        by_packets = sum(pps * seconds for pps, seconds in zip(carried, latency, strict=True)) / max(1.0, sum(carried))
        cycles = tuple(one["cycles"] for one in found["instances"])
        return Ran(sum(carried) / offered, by_packets, cycles, _wasted(asked["chains"], found["instances"]))

    def _alone(self, asked: Question, work: Sequence[float], index: int) -> float:
        vnf = asked["vnfs"][index]
        single = {**asked, "vnfs": [vnf], "chains": [[0]]}
        found = json.loads(self._host.steady(json.dumps(self._setting(single, [work[index]], [0]))))
        cycles: float = found["instances"][0]["cycles"]
        most: float = asked["clock_hz"] / vnf["rate_pps"]
        return min(cycles, most)

    def _die(self, core: int) -> int:
        return core // self._own.cores_per_node

    def _core(self, core: int) -> int:
        return self._die(core) * self._machine.cores_per_node + core % self._own.cores_per_node

    def _setting(self, asked: Question, work: Sequence[float], at: Sequence[int]) -> dict[str, Any]:
        vnfs = asked["vnfs"]
        return {
            "nfs": {
                f"nf{index}": {**self._nfs[vnf["kind"]], "compute_cycles": cycles}
                for index, (vnf, cycles) in enumerate(zip(vnfs, work, strict=True))
            },
            "instances": [
                {
                    "id": f"v{index}",
                    "nf": f"nf{index}",
                    "core": self._core(at[index]),
                    "weight": max(1.0, 1000 * cycles * vnf["rate_pps"] / asked["clock_hz"]),
                    "polling": False,
                }
                for index, (vnf, cycles) in enumerate(zip(vnfs, work, strict=True))
            ],
            "chains": [self._chain(number, chain, vnfs) for number, chain in enumerate(asked["chains"])],
            "neighbours": [],
        }

    def _chain(self, number: int, chain: Sequence[int], vnfs: Sequence[dict[str, Any]]) -> dict[str, Any]:
        given = self._traffic
        frames = [{"bytes": float(given.frame_bytes + FCS_BYTES), "share": 1.0}]
        return {
            "id": f"c{number}",
            "stages": [f"v{index}" for index in chain],
            "traffic": {"rate_pps": vnfs[chain[0]]["rate_pps"], "frames": frames, "flows": given.flows},
            "nic": number % len(self._own.nics),
            "burst": BURST,
            **opennetvm(self._own, "one", number),
            "ring_packets": given.ring_packets,
            "backpressure": Backpressure.STRICT.value,
        }


def assigned(asked: Question, **by: Any) -> list[int]:
    """Core of each VNF, by an assigner: `assigned(asked, assigner="lpt")`."""
    question = {key: value for key, value in asked.items() if key != "work"}
    found: list[int] = json.loads(answer("solve", json.dumps({**question, **by})))["cores"]
    return found


def _wasted(chains: Sequence[Sequence[int]], vnfs: Sequence[dict[str, Any]]) -> float:
    """Part of all cycles: each VNF has worked on what rings behind it drop."""
    spent = sum(vnf["taken_pps"] * vnf["cycles"] for vnf in vnfs)
    lost = sum(
        vnfs[one]["cycles"] * sum(vnfs[later]["dropped_pps"] for later in chain[place + 1 :])
        for chain in chains
        for place, one in enumerate(chain)
    )
    return float(lost / spent) if spent > 0 else 0.0
