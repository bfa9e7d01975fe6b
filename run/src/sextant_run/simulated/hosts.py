"""Which hosts are simulated, as data: the machines of published measurements."""

from dataclasses import dataclass

from sextant_domain.hosts.demo import DEMO_LABELS, DEMO_PATTERN

MACHINES = ("xeon-e5-2650-v4", "xeon-e5-2650-v4", "xeon-e5-2650-v4", "epyc-7301-1p")
"""Of sim-1, sim-2 ...: three as in Octans' testbed (two NUMA nodes, NICs on node 0), one with four small nodes."""
MOST_DEMO_HOSTS = len(MACHINES)
_DEMO_MACHINE = "xeon-gold-6126"
"""It has cache and memory bandwidth allocation both."""


@dataclass(frozen=True)
class Group:
    """Hosts that one process serves and one token lets in."""

    pattern: str
    count: int
    spec: str
    """With their machines, as SEXTANT_AGENT_HOSTS has them."""
    labels: tuple[tuple[str, str], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The ids that the console gives to so many hosts of the pattern."""
        width = len(str(self.count))
        return tuple(self.pattern.replace("*", f"{number:0{width}}") for number in range(1, self.count + 1))

    def __str__(self) -> str:
        """`4 hosts, sim-1 to sim-4`."""
        every = self.names
        return every[0] if self.count == 1 else f"{self.count} hosts, {every[0]} to {every[-1]}"


def beside(count: int) -> Group:
    """Those that `make up` lets stand beside this machine, 1 to MOST_DEMO_HOSTS."""
    spec = ",".join(f"sim-{number}={machine}" for number, machine in enumerate(MACHINES[:count], start=1))
    return Group("sim-*", count, spec, tuple(DEMO_LABELS.items()))


def demonstration(count: int) -> Group:
    """Those of `sextant demo`, 1 to 1000."""
    return Group(DEMO_PATTERN, count, f"{DEMO_PATTERN}:{count}={_DEMO_MACHINE}", tuple(DEMO_LABELS.items()))
