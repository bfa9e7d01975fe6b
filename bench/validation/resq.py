"""Rows of ResQ (NSDI'18): NFs alone in few ways, beside competitors, isolated, beside memory hogs."""

from typing import Any, NamedTuple

from rows import PublishedSeries
from setting import GAP, chain, frame_of, hog, instance, mask, traffic
from sextant_twin.world import TwinWorld
from world import steady

FLOWS = 100_000
TABLE_1 = ["resq-efficuts", "resq-endre", "resq-firewall", "resq-ipsec", "resq-lpm", "resq-mazunat", "resq-snort"]
NFS = [*TABLE_1, "resq-stats", "resq-suricata"]
NETMAP = {"resq-snort", "resq-suricata"}
"""The NFs whose packets do not come by DPDK (Table 1)."""
DESCRIPTORS = 2048
"""Of each queue (Sec. 4.3)."""
OWN_WAYS = 1
"""5 % of the LLC are the target's own, 95 % the others' (Sec. 4.1)."""
HOG_LINES = 12.7
"""Lines that a hog has under way: a core alone draws 12 GB/s (Sec. 4.2)."""
SMALL = 64
"""Bytes of the smaller frames."""
FAST_PORT, FIRST_PORT = 0, 1
"""Of the machine's ports: the one of 40 Gb/s, and the first of those of 10 Gb/s, one an NF."""


class Side(NamedTuple):
    """An NF on a core, and the ways it may fill."""

    nf: str
    ways: int | None = None


class Bench(NamedTuple):
    """What is common to the NFs of a run."""

    machine: str
    frame: float
    descriptors: int = DESCRIPTORS


def run(world: TwinWorld, bench: Bench, sides: list[Side], hogs: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Each of `sides` on a core and a port of its own, from core 0 on."""
    ports = [_port(bench, index, side) for index, side in enumerate(sides)]
    queues = {"rx_descriptors": bench.descriptors, "tx_descriptors": bench.descriptors}
    setting = {
        "nfs": {side.nf: world.nf(side.nf) for side in sides},
        "instances": [instance(f"i{index}", side.nf, index, side.ways) for index, side in enumerate(sides)],
        "chains": [
            chain(f"c{index}", [f"i{index}"], _line_rate(world, bench, port), nic=port, **queues)
            for index, port in enumerate(ports)
        ],
        "neighbours": hogs or [],
    }
    return steady(world.host(bench.machine), setting)


def _port(bench: Bench, index: int, side: Side) -> int:
    """Which port an NF has: 40 Gb/s for the target with large frames if it is on DPDK, 10 Gb/s for all else."""
    fast = index == 0 and bench.frame > SMALL and side.nf not in NETMAP
    return FAST_PORT if fast else FIRST_PORT + index


def _line_rate(world: TwinWorld, bench: Bench, port: int) -> dict[str, Any]:
    """All that the port carries: cores are saturated if that can saturate them (Sec. 2)."""
    rate = world.machine(bench.machine).nics[port].rate
    return traffic(rate / 8 / (bench.frame + GAP), bench.frame, FLOWS)


def first_pps(outcome: dict[str, Any]) -> float:
    """Packets a second that the first NF delivers."""
    delivered: float = outcome["chains"][0]["delivered_pps"]
    return delivered


def drop(alone: float, beside: float) -> float:
    """% lost of the throughput alone."""
    return 100 * (1 - beside / alone)


def ways_alone(row: PublishedSeries, world: TwinWorld) -> list[float]:
    """% of its throughput with all ways that an NF has in x of them."""
    bench = Bench(row.setting["machine"], SMALL)
    nf = row.setting["nf"]
    ways = world.machine(bench.machine).llc.ways
    best = first_pps(run(world, bench, [Side(nf, mask(0, ways))]))
    return [100 * first_pps(run(world, bench, [Side(nf, mask(0, int(count)))])) / best for count in row.xs]


def competitors(row: PublishedSeries, world: TwinWorld) -> list[float]:
    """% that each NF loses beside 11 others of one kind, the worst kind."""
    bench = Bench(row.setting["machine"], frame_of(row.setting["frame"]))
    return [_worst(world, bench, Side(nf), row.setting["competitors"], None) for nf in row.xs]


def _worst(world: TwinWorld, bench: Bench, target: Side, others: int, ways: int | None) -> float:
    alone = first_pps(run(world, bench, [target]))
    return max(drop(alone, first_pps(run(world, bench, [target] + [Side(other, ways)] * others))) for other in NFS)


def isolated(row: PublishedSeries, world: TwinWorld) -> list[float]:
    """% that any NF loses at most beside 11 others of one kind, ways parted and rings small."""
    given = row.setting
    own, others = _parted(world, given["machine"])
    found = []
    for frame in row.xs:
        bench = Bench(given["machine"], frame_of(frame), given["descriptors"])
        found.append(max(_worst(world, bench, Side(nf, own), given["competitors"], others) for nf in NFS))
    return found


def memory_hog(row: PublishedSeries, world: TwinWorld) -> list[float]:
    """% that any NF loses at most in ways of its own beside cores that go over memory as fast as they can."""
    bench = Bench(row.setting["machine"], frame_of(row.setting["frame"]))
    own, others = _parted(world, bench.machine)
    hogs = [hog(f"hog-{core}", core, others, mlp=HOG_LINES) for core in range(1, 1 + row.setting["hogs"])]

    def lost(nf: str) -> float:
        target = Side(nf, own)
        return drop(first_pps(run(world, bench, [target])), first_pps(run(world, bench, [target], hogs)))

    return [max(lost(nf) for nf in NFS)]


def _parted(world: TwinWorld, machine: str) -> tuple[int, int]:
    """The target's ways, and all others'; DDIO's are among these."""
    return mask(0, OWN_WAYS), mask(OWN_WAYS, world.machine(machine).llc.ways - OWN_WAYS)
