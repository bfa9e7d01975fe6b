"""What a pool of packet buffers for each chain costs in cache, beside one for all."""

import json
from collections.abc import Iterator

import page
from sextant_domain.profiling.profile import ProfiledNf, ProfileTraffic
from sextant_twin._core import Host
from sextant_twin.anchor import OVERLOAD_PPS
from sextant_twin.points import Managers, PointChain, opennetvm, setting_of, with_ports, with_thread_cores
from sextant_twin.world import TwinWorld

MACHINE, NF = "xeon-e5-2650-v4", "octans-router"
FIRST_CORE = 6
"""Of Octans' testbed: those before it are taken."""
LINE_PPS = 14.88e6
BESIDE = (1, 2, 3, 4, 5)
POOLS: tuple[tuple[Managers, int], ...] = (
    ("one", 32767),
    ("per-chain", 32767),
    ("per-chain", 8191),
    ("per-chain", 4095),
)


def cost(world: TwinWorld) -> Iterator[str]:
    """Octans' Fig. 5 by who has which pool: % that a router loses beside others, each chain one NF."""
    yield from page.head("managers", "buffers a pool", *(f"{count} beside: drop %" for count in BESIDE))
    for managers, packets in POOLS:
        alone = _room_pps(world, managers, packets, 0)
        drops = [100 * (1 - _room_pps(world, managers, packets, count) / alone) for count in BESIDE]
        name = "one for all chains" if managers == "one" else "one a chain"
        yield page.line(name, f"{packets:,}", *(f"{drop:.1f}" for drop in drops))


def _room_pps(world: TwinWorld, managers: Managers, packets: int, others: int) -> float:
    """What the router could take beside so many others that are offered what a port of 10 Gb/s brings."""
    own = world.machine(MACHINE)
    host = Host(json.dumps(with_ports(with_thread_cores(own).core(world.calibration))))
    traffic = ProfileTraffic(packet_bytes=64, flows=1000)
    rates = [OVERLOAD_PPS, *[LINE_PPS] * others]
    routers = (ProfiledNf(nf_type=NF, core=FIRST_CORE + place, traffic=traffic) for place in range(len(rates)))
    chains = [PointChain((router,), rate) for router, rate in zip(routers, rates, strict=True)]
    setting = setting_of(chains, world.nf, lambda chain: {**opennetvm(own, managers, chain), "pool_packets": packets})
    return float(json.loads(host.steady(json.dumps(setting)))["instances"][0]["capacity_pps"])
