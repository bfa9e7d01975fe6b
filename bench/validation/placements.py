"""Rows about where a chain runs on OpenNetVM: which node, and beside whom (NUMASFP, Octans)."""

from itertools import product
from typing import Any

from resq import drop, first_pps
from rows import PublishedSeries
from setting import chain, frame_of, hog, instance, mask, rate_pps, traffic
from sextant_twin.anchor import OPENNETVM
from sextant_twin.world import TwinWorld
from world import steady

FLOWS = 1000
RX_CORE, TX_CORE, MANAGER_CORE = 0, 1, 2


def _chain(world: TwinWorld, given: dict[str, Any], nodes: tuple[int, ...], ways: int | None = None) -> dict[str, Any]:
    """The setting of a chain whose i-th NF runs on node `nodes[i]`; pool, RX and TX are on node 0."""
    stages = given.get("chain") or [given["nf"]]
    frame = frame_of(given["frame"])
    per_node = world.machine(given["machine"]).cores_per_node
    cores = [node * per_node + MANAGER_CORE + 1 + index for index, node in enumerate(nodes)]
    threads = {"rx_core": RX_CORE, "tx_core": TX_CORE, "execution": "isolated", "pool_node": 0, **OPENNETVM}
    offered = traffic(rate_pps(given["offered"], frame), frame, FLOWS)
    return {
        "nfs": {name: world.nf(name) for name in stages},
        "instances": [
            instance(f"i{index}", name, cores[index], ways, memory_node=given.get("memory_node"))
            for index, name in enumerate(stages)
        ],
        "chains": [chain("chain", [f"i{index}" for index in range(len(stages))], offered, **threads)],
        "neighbours": [],
    }


def _placed(world: TwinWorld, given: dict[str, Any], nodes: tuple[int, ...]) -> float:
    return first_pps(steady(world.host(given["machine"]), _chain(world, given, nodes)))


def chain_drop(row: PublishedSeries, world: TwinWorld) -> list[float]:
    """% that a chain loses by its placement (nodes, as "1-0-1") against wholly local."""
    local = _placed(world, row.setting, (0,) * len(row.setting["chain"]))
    places = [tuple(int(node) for node in str(x).split("-")) for x in row.xs]
    return [drop(local, _placed(world, row.setting, nodes)) for nodes in places]


def worst_placement(row: PublishedSeries, world: TwinWorld) -> list[float]:
    """% between the best and the worst of all placements of a chain on two nodes."""
    reached = [_placed(world, row.setting, nodes) for nodes in product((0, 1), repeat=len(row.setting["chain"]))]
    return [drop(max(reached), min(reached))]


def neighbour(row: PublishedSeries, world: TwinWorld) -> list[float]:
    """% that an NF loses to memory hogs on all free cores of its node, unmanaged and with ways of its own."""
    given, machine = row.setting, world.machine(row.setting["machine"])
    free = range(MANAGER_CORE + 2, machine.cores_per_node)
    alone = _placed(world, given, (0,))

    def lost(own: int | None, others: int | None) -> float:
        setting = _chain(world, given, (0,), own)
        setting["neighbours"] = [hog(f"hog-{core}", core, others) for core in free]
        return drop(alone, first_pps(steady(world.host(machine.name), setting)))

    ways = given["ways"]
    parted = mask(0, ways), mask(ways, machine.llc.ways - ways)
    return [lost(*(parted if management == "LLC only" else (None, None))) for management in row.xs]
