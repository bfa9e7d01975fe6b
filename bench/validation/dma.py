"""Rows about DMA: which share of a NIC's writes finds its line in the last-level cache (ddio-bench)."""

from rows import PublishedSeries
from setting import chain, frame_of, instance, rate_pps, traffic
from sextant_twin.world import TwinWorld
from world import steady

TX_RING = 1024
"""Buffers that a saturated core holds for transmission: the queue length of ddio-bench's forwarding."""


def dma_hit(row: PublishedSeries, world: TwinWorld) -> list[float]:
    """% of DMA writes that hit, by what the row varies."""
    return [_hit(world, {**row.setting, row.setting["vary"]: x}) for x in row.xs]


def _hit(world: TwinWorld, given: dict[str, int | str]) -> float:
    cores, frame = int(given["cores"]), frame_of(str(given["frame"]))
    offered = traffic(rate_pps(str(given["offered"]), frame) / cores, frame, 4096)
    queues = {"rx_descriptors": given["descriptors"], "tx_descriptors": TX_RING}
    setting = {
        "nfs": {"forward": world.nf("fastclick-forward")},
        "instances": [instance(f"i{core}", "forward", core) for core in range(cores)],
        "chains": [chain(f"c{core}", [f"i{core}"], offered, **queues) for core in range(cores)],
    }
    host = world.host(str(given["machine"]), ddio_ways=int(given["ddio_ways"]))
    chains = steady(host, setting)["chains"]
    return 100 * sum(float(each["ddio_hit"]) for each in chains) / cores
