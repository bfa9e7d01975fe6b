"""Cards that `eal` of opennetvm.toml names: there, on the node they are said to be on, bound to what DPDK drives."""

import os
from collections.abc import Iterator
from pathlib import Path

from sextant_agent.doctor.finding import DoctorFinding, ok, problem, warning
from sextant_agent.doctor.sight import CAP_IPC_LOCK
from sextant_agent.drivers.opennetvm.doctor.world import ExaminedHost
from sextant_agent.drivers.opennetvm.eal_options import cards
from sextant_agent.drivers.opennetvm.installation import ManagerPlace

VFIO = "vfio-pci"
DEVICES = Path("/dev/vfio")
BIFURCATED = frozenset({"mlx4_core", "mlx5_core", "mana"})
"""Drivers that DPDK shares a card with: nothing is bound again."""
UIO = frozenset({"igb_uio", "uio_pci_generic"})


def check_ports(world: ExaminedHost) -> Iterator[DoctorFinding]:
    """Every manager's, then what all of them need of this process."""
    bound_by_vfio = False
    for place in world.installation.manager:
        named = cards(place.eal)
        for address in named:
            yield from _card(world, place, address)
            bound_by_vfio |= _driver(world, address) == VFIO
        if not named:
            yield _unnamed(world, place)
    if bound_by_vfio:
        yield _memlock(world)


def _unnamed(world: ExaminedHost, place: ManagerPlace) -> DoctorFinding:
    check = f"port {place.port}"
    if any(word.partition("=")[0] == "--vdev" for word in place.eal):
        return ok(check, "a virtual device")
    if len(world.installation.manager) == 1 and "--no-pci" not in place.eal:
        bound = world.sight.root / "sys/bus/pci/drivers" / VFIO
        bound_cards = sorted(link.name for link in bound.glob("*:*:*.*"))
        if bound_cards:
            return ok(
                check, f"no network card is named: the manager takes all that {VFIO} has ({', '.join(bound_cards)})"
            )
    return problem(
        check,
        "no network card is named for it",
        'name one in opennetvm.toml: eal = ["-a", "0000:3b:00.0"]; `lspci` lists them',
    )


def _device(address: str) -> str:
    return f"sys/bus/pci/devices/{address}"


def _driver(world: ExaminedHost, address: str) -> str | None:
    link = world.sight.root / _device(address) / "driver"
    return link.resolve().name if link.exists() else None


def _card(world: ExaminedHost, place: ManagerPlace, address: str) -> Iterator[DoctorFinding]:
    check = f"port {place.port}"
    if not (world.sight.root / _device(address)).is_dir():
        yield problem(check, f"there is no card at {address}", "`lspci -D` lists what there is")
        return
    node = world.sight.number(f"{_device(address)}/numa_node")
    if node is not None and node != place.node:
        yield warning(
            f"node of {place.port}",
            f"card {address} is on NUMA node {node}, its manager {place.name} is set up for node {place.node}",
            f"node = {node}, and cpus of that node, in opennetvm.toml",
        )  # fmt: skip
    yield _binding(world, check, address)


def _binding(world: ExaminedHost, check: str, address: str) -> DoctorFinding:
    driver = _driver(world, address)
    if driver in BIFURCATED:
        return ok(check, f"card {address} uses {driver}, which shares the card with DPDK")
    if driver in UIO:
        return warning(
            check, f"card {address} is bound to {driver}: no IOMMU protection, and root only",
            f"dpdk-devbind.py --bind={VFIO} {address}, with the IOMMU on",
        )  # fmt: skip
    if driver != VFIO:
        by = f"is bound to the kernel driver {driver}, which takes its packets" if driver else "has no driver"
        return problem(
            check, f"card {address} {by}", f"as root: modprobe {VFIO} && dpdk-devbind.py --bind={VFIO} {address}"
        )
    return _group(world, check, address)


def _group(world: ExaminedHost, check: str, address: str) -> DoctorFinding:
    link = world.sight.root / _device(address) / "iommu_group"
    if not link.exists():
        return problem(
            check, f"card {address} is bound to {VFIO}, but has no IOMMU group: only root may use it,"
            " without memory protection",
            "turn the IOMMU on in the firmware and by intel_iommu=on iommu=pt on the kernel's command line",
        )  # fmt: skip
    group = DEVICES / link.resolve().name
    for device in (DEVICES / "vfio", group):
        if not world.sight.may(device, os.R_OK | os.W_OK):
            user = world.sight.user.uid
            return problem(
                check, f"user {user} may not open {device} of card {address}",
                f"as root: chown {user} {device} (at every boot: a rule of udev)",
            )  # fmt: skip
    return ok(check, f"card {address} is bound to {VFIO}, and {group} may be opened")


def _memlock(world: ExaminedHost) -> DoctorFinding:
    """VFIO has the kernel lock every page that a card may write to."""
    wanted = max(place.memory_mb for place in world.installation.manager)
    user = world.sight.user
    if user.memlock_bytes is None or CAP_IPC_LOCK in user.capabilities:
        return ok("locked memory", f"no limit; a manager locks up to {wanted} MiB for its card")
    held = user.memlock_bytes // 1024**2
    what = f"{held} MiB may be locked; a manager locks up to {wanted} MiB for its card"
    if user.memlock_bytes >= wanted * 1024**2:
        return ok("locked memory", what)
    return problem("locked memory", what, "LimitMEMLOCK=infinity in the agent's unit, or memlock in limits.conf")
