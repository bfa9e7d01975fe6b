"""Options of OpenNetVM's manager and NFs. Source: OpenNetVM v21.10, `onvm_mgr` and `onvm_nflib`.

Every process of one prefix has an EAL lcore id of its own: two that share one would share a cache of the packet pool.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

BASE_ADDRESS = "0x7f000000000"
FIRST_SPARE_LCORE = 64
"""Beyond every id that OpenNetVM's mask of NF cores can name."""
LAST_LCORE = 127
"""DPDK's RTE_MAX_LCORE of 128."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What must be given alike to all processes of one manager."""

    prefix: str
    """Of its shared files."""
    huge_dir: str

    @property
    def options(self) -> list[str]:
        """For EAL."""
        return [f"--base-virtaddr={BASE_ADDRESS}", f"--file-prefix={self.prefix}", f"--huge-dir={self.huge_dir}"]


def manager_options(
    shared: Shared, cpus: Sequence[int], nf_cpus: Sequence[int], *,
    memory_mb: int, port_mask: int, shares_cores: bool, eal: Sequence[str] = (),
) -> list[str]:  # fmt: skip
    """Its folder must be one beside `onvm_web`, which it writes `../onvm_web/*` into.

    `-v 3` writes cumulative figures; `-z 1` is also the period of its control loop: with a larger one every NF starts
    and stops more slowly.
    """
    lcores = ",".join(f"{lcore}@{cpu}" for lcore, cpu in zip(manager_lcores(len(cpus)), cpus, strict=True))
    return [
        "--lcores", lcores, "-n", "4", "--proc-type=primary", *shared.options, "-m", str(memory_mb), *eal, "--",
        "-p", f"{port_mask:x}", "-n", f"{sum(1 << cpu for cpu in nf_cpus):x}", "-s", "web", "-v", "3",
        "-z", "1", *(["-c"] if shares_cores else []),
    ]  # fmt: skip


def nf_options(
    shared: Shared, own: Sequence[str], *, lcore: int, cpu: int, service: int, instance: int | None = None
) -> list[str]:
    """`-m` where the lcore's id is the CPU: OpenNetVM then takes that core, and pins the NF's packet thread to it.
    Otherwise it takes whichever it likes, and who starts it moves the thread.

    `-s` always: else the manager holds a core for an NF that was killed, for ever. Without an `instance` the manager
    gives one.
    """
    number = [] if instance is None else ["-n", str(instance)]
    manual = ["-m"] if lcore == cpu else []
    return [
        "--lcores", f"{lcore}@{cpu}", "-n", "3", "--proc-type=secondary", *shared.options,
        "--no-pci", "--", "-r", str(service), *number, *manual, "-s", "--", *own,
    ]  # fmt: skip


def manager_lcores(threads: int) -> tuple[int, ...]:
    """Of the manager's threads: the highest ids there are."""
    return tuple(range(LAST_LCORE - threads + 1, LAST_LCORE + 1))


def free_lcore(threads: int, cpu: int, taken: Iterable[int]) -> int | None:
    """The CPU's own number, where no other NF of a manager with so many threads has it; None where all are taken."""
    held = set(taken)
    spare = range(FIRST_SPARE_LCORE, manager_lcores(threads)[0])
    return next((lcore for lcore in (cpu, *spare) if lcore not in held), None)
