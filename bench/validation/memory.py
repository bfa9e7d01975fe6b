"""Rows about memory: latency when idle and loaded, bandwidth here and on the other socket."""

from typing import Any

from rows import PublishedSeries
from setting import chain, instance, traffic
from sextant_twin.world import TwinWorld
from world import steady

CHASED = 1000
"""Lines a packet of the NF that chases pointers."""
BUFFER = 1e11
"""Bytes, far beyond any cache."""
MLP = 40.0
"""Reads of a core under way at once, prefetching included: enough that cores never limit bandwidth."""


def idle_latency(row: PublishedSeries, world: TwinWorld) -> list[float]:
    """ns of a dependent load by one core: what a packet's 1000 loads take beyond a packet without them."""
    return [_idle_ns(world, machine, remote=row.setting["remote"]) for machine in row.xs]


def _idle_ns(world: TwinWorld, machine: str, *, remote: bool) -> float:
    def seconds(accesses: float) -> float:
        walk = _walk(accesses)
        setting = {
            "nfs": {"walk": walk},
            "instances": [instance("walk", "walk", 0, memory_node=int(remote))],
            "chains": [chain("walk", ["walk"], traffic(1000.0, 64, 1))],
        }
        service: float = steady(world.host(machine), setting)["instances"][0]["service_s"]
        return service

    return (seconds(CHASED) - seconds(0)) / CHASED * 1e9


def _walk(accesses: float) -> dict[str, Any]:
    stream = {"name": "buffer", "kind": "random", "bytes": BUFFER, "bytes_per_flow": 0, "accesses": accesses}
    return {
        "compute_cycles": 0,
        "cycles_per_byte": 0,
        "instructions": 0,
        "instructions_per_byte": 0,
        "streams": [stream | {"accesses_per_byte": 0, "write_share": 0, "mlp": 1, "popularity": []}],
        "packet": {"header_lines": 0, "payload_read": 0, "payload_written": 0, "mlp": 1},
        "pass": 1,
    }


def _reader(core: int, node: int | None, accesses: float | None = None) -> dict[str, Any]:
    read = {"kind": "passing", "bytes": BUFFER, "mlp": MLP, "write_share": 0.0}
    return {"id": f"reader-{core}", "core": core, "memory_node": node, "accesses_s": accesses, **read}


def _readers(neighbours: list[dict[str, Any]]) -> dict[str, Any]:
    return {"nfs": {}, "instances": [], "chains": [], "neighbours": neighbours}


def loaded_latency(row: PublishedSeries, world: TwinWorld) -> list[float]:
    """ns of a load while all cores of both sockets read x GB/s in all from their own memory."""
    machine = world.machine(row.setting["machine"])
    cores = machine.nodes * machine.cores_per_node
    return [_loaded_ns(world, machine.name, cores, total) for total in row.xs]


def _loaded_ns(world: TwinWorld, machine: str, cores: int, total: float) -> float:
    """ns while the first `cores` read `total` GB/s in all, each from its own memory."""
    readers = [_reader(core, None, total * 1e9 / 64 / cores) for core in range(cores)]
    latency: float = steady(world.host(machine), _readers(readers))["nodes"][0]["memory_latency_s"]
    return latency * 1e9


def access_speed(row: PublishedSeries, world: TwinWorld) -> list[float]:
    """Idle latency over that while all cores of a socket read x % of what they can from their own memory."""
    machine = world.machine(row.setting["machine"])
    most = gigabytes(world, machine.name, remote=False)

    def ns(percent: float) -> float:
        return _loaded_ns(world, machine.name, machine.cores_per_node, most * percent / 100)

    return [ns(0) / ns(percent) for percent in row.xs]


def bandwidth(row: PublishedSeries, world: TwinWorld) -> list[float]:
    """GB/s that all cores of a socket read at most, from its own memory or the other socket's."""
    return [gigabytes(world, machine, remote=row.setting["remote"]) for machine in row.xs]


def gigabytes(world: TwinWorld, machine: str, *, remote: bool) -> float:
    """The same of one machine."""
    node = int(remote)
    readers = [_reader(core, node) for core in range(world.machine(machine).cores_per_node)]
    read: float = steady(world.host(machine), _readers(readers))["nodes"][node]["memory_bytes_s"]
    return read / 1e9


def remote_over_local(row: PublishedSeries, world: TwinWorld) -> list[float]:
    """Bandwidth of the other socket's memory over that of the own."""
    return [gigabytes(world, name, remote=True) / gigabytes(world, name, remote=False) for name in row.xs]
