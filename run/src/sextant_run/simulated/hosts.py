"""Which hosts are simulated, as data: the machines of published measurements."""

PATTERN = "sim-*"
LABELS = {"zone": "demo"}
MACHINES = ("xeon-e5-2650-v4", "xeon-e5-2650-v4", "xeon-e5-2650-v4", "epyc-7301")
"""Of sim-1, sim-2 ...: three as in Octans' testbed (two NUMA nodes, NICs on node 0), one with many small nodes."""
MOST_DEMO_HOSTS = len(MACHINES)


def names(count: int) -> tuple[str, ...]:
    """The ids that the console gives to so many hosts of the pattern."""
    return tuple(PATTERN.replace("*", str(number)) for number in range(1, count + 1))


def spec(count: int) -> str:
    """The same with their machines, as SEXTANT_AGENT_HOSTS has them."""
    return ",".join(f"{name}={machine}" for name, machine in zip(names(count), MACHINES, strict=False))


def in_words(count: int) -> str:
    """`4 hosts, sim-1 to sim-4`."""
    every = names(count)
    return every[0] if count == 1 else f"{count} hosts, {every[0]} to {every[-1]}"
