"""Rows of ResQ (NSDI'18): NFs alone in few ways, beside competitors, isolated, beside memory hogs."""

from typing import Any, NamedTuple

from rows import Row
from setting import GAP, chain, frame_of, hog, instance, mask, traffic
from world import World, steady

FLOWS = 100_000
QUEUES = 12
"""Of NFs on a socket, whether all run or not, dealt out to its cards; each is offered its queue's part of a card."""
TABLE_1 = ["resq-efficuts", "resq-endre", "resq-firewall", "resq-ipsec", "resq-lpm", "resq-mazunat", "resq-snort"]
NFS = [*TABLE_1, "resq-stats", "resq-suricata"]
DESCRIPTORS = 1024
OWN_WAYS, HOG_WAYS = 6, 2


class Side(NamedTuple):
    """An NF on a core, and the ways it may fill."""

    nf: str
    ways: int | None = None


class Bench(NamedTuple):
    """What is common to the NFs of a run."""

    machine: str
    frame: float
    descriptors: int = DESCRIPTORS


def run(world: World, bench: Bench, sides: list[Side], hogs: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Each of `sides` on a core and a queue of its own, from core 0 on."""
    offered = [_offered(world, bench, index) for index in range(len(sides))]
    cards = len(world.machine(bench.machine).nics)
    queues = {"rx_descriptors": bench.descriptors, "tx_descriptors": bench.descriptors}
    setting = {
        "nfs": {side.nf: world.nf(side.nf) for side in sides},
        "instances": [instance(f"i{index}", side.nf, index, side.ways) for index, side in enumerate(sides)],
        "chains": [
            chain(f"c{index}", [f"i{index}"], each, nic=index % cards, **queues) for index, each in enumerate(offered)
        ],
        "neighbours": hogs or [],
    }
    return steady(world.host(bench.machine), setting)


def _offered(world: World, bench: Bench, queue: int) -> dict[str, Any]:
    """What comes to a queue: its part of its card's rate, the same beside others as alone."""
    nics = world.machine(bench.machine).nics
    card = queue % len(nics)
    sharing = len(range(card, QUEUES, len(nics)))
    return traffic(nics[card].rate / sharing / 8 / (bench.frame + GAP), bench.frame, FLOWS)


def first_pps(outcome: dict[str, Any]) -> float:
    """Packets a second that the first NF delivers."""
    delivered: float = outcome["chains"][0]["delivered_pps"]
    return delivered


def drop(alone: float, beside: float) -> float:
    """% lost of the throughput alone."""
    return 100 * (1 - beside / alone)


def ways_alone(row: Row, world: World) -> list[float]:
    """% of its throughput with all ways that an NF has in x of them."""
    bench = Bench(row.setting["machine"], 64)
    nf = row.setting["nf"]
    ways = world.machine(bench.machine).llc.ways
    best = first_pps(run(world, bench, [Side(nf, mask(0, ways))]))
    return [100 * first_pps(run(world, bench, [Side(nf, mask(0, int(count)))])) / best for count in row.xs]


def competitors(row: Row, world: World) -> list[float]:
    """% that each NF loses beside 11 others of one kind, the worst kind."""
    bench = Bench(row.setting["machine"], frame_of(row.setting["frame"]))
    return [_worst(world, bench, Side(nf), row.setting["competitors"], None) for nf in row.xs]


def _worst(world: World, bench: Bench, target: Side, others: int, ways: int | None) -> float:
    alone = first_pps(run(world, bench, [target]))
    return max(drop(alone, first_pps(run(world, bench, [target] + [Side(other, ways)] * others))) for other in NFS)


def isolated(row: Row, world: World) -> list[float]:
    """% that any NF loses at most beside 11 others of one kind, ways parted and rings small."""
    given = row.setting
    own, others = mask(0, OWN_WAYS), mask(OWN_WAYS, 18 - OWN_WAYS)
    found = []
    for frame in row.xs:
        bench = Bench(given["machine"], frame_of(frame), given["descriptors"])
        found.append(max(_worst(world, bench, Side(nf, own), given["competitors"], others) for nf in NFS))
    return found


def memory_hog(row: Row, world: World) -> list[float]:
    """% that any NF loses at most in ways of its own beside cores that copy through memory."""
    bench = Bench(row.setting["machine"], frame_of(row.setting["frame"]))
    hogs = [hog(f"hog-{core}", core, mask(HOG_WAYS, 18 - HOG_WAYS)) for core in range(1, 1 + row.setting["hogs"])]

    def lost(nf: str) -> float:
        target = Side(nf, mask(0, HOG_WAYS))
        return drop(first_pps(run(world, bench, [target])), first_pps(run(world, bench, [target], hogs)))

    return [max(lost(nf) for nf in NFS)]
