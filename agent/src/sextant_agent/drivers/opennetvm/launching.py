"""Command lines of managers and NFs; pure.

Every process of one prefix has an EAL lcore id of its own: two that share one would share a cache of the packet pool.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from sextant_agent.drivers.opennetvm.installation import Installation, ManagerPlace

BASE_ADDRESS = "0x7f000000000"
FIRST_SPARE_LCORE = 64
"""Beyond every id that OpenNetVM's mask of NF cores can name."""
LAST_LCORE = 127
"""DPDK's RTE_MAX_LCORE of 128."""


def manager_command(installation: Installation, place: ManagerPlace) -> list[str]:
    """Its folder must be one beside `onvm_web`, which it writes `../onvm_web/*` into.

    `-v 3` writes cumulative figures; `-z 1` is also the period of its control loop: with a larger one every NF starts
    and stops more slowly.
    """
    lcores = ",".join(f"{lcore}@{cpu}" for lcore, cpu in zip(manager_lcores(place), place.cpus, strict=True))
    return [
        str(installation.manager_path), "--lcores", lcores, "-n", "4", "--proc-type=primary",
        *_shared(installation, place), "-m", str(place.memory_mb), *place.eal, "--",
        "-p", f"{place.port_mask:x}", "-n", f"{sum(1 << cpu for cpu in place.nf_cpus):x}", "-s", "web", "-v", "3",
        "-z", "1", *(["-c"] if place.shared else []),
    ]  # fmt: skip


def nf_command(
    installation: Installation, place: ManagerPlace, binary: Path, own: Sequence[str], *,
    lcore: int, cpu: int, instance: int, service: int,
) -> list[str]:  # fmt: skip
    """`-m` where the lcore's id is the CPU: OpenNetVM then takes that core, and pins the NF's packet thread to it.
    Otherwise it takes whichever it likes, and the driver moves the thread.

    `-s` always: else the manager holds a core for an NF that was killed, for ever.
    """
    manual = ["-m"] if lcore == cpu else []
    return [
        str(binary), "--lcores", f"{lcore}@{cpu}", "-n", "3", "--proc-type=secondary", *_shared(installation, place),
        "--no-pci", "--", "-r", str(service), "-n", str(instance), *manual, "-s", "--", *own,
    ]  # fmt: skip


def manager_lcores(place: ManagerPlace) -> tuple[int, ...]:
    """Of the manager's threads: the highest ids there are."""
    return tuple(range(LAST_LCORE - len(place.cpus) + 1, LAST_LCORE + 1))


def free_lcore(place: ManagerPlace, cpu: int, taken: Iterable[int]) -> int | None:
    """The CPU's own number, where no other NF has it; None where all are taken."""
    held = set(taken)
    spare = range(FIRST_SPARE_LCORE, manager_lcores(place)[0])
    return next((lcore for lcore in (cpu, *spare) if lcore not in held), None)


def _shared(installation: Installation, place: ManagerPlace) -> list[str]:
    return [
        f"--base-virtaddr={BASE_ADDRESS}",
        f"--file-prefix={place.prefix}",
        f"--huge-dir={installation.huge_dir}",
    ]
