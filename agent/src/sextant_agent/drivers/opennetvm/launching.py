"""Command lines of managers and NFs of an installation; pure."""

from collections.abc import Sequence
from pathlib import Path

from sextant_domain.opennetvm.launch import Shared, manager_options, nf_options

from sextant_agent.drivers.opennetvm.installation import ManagerPlace, OpenNetVmInstallation


def manager_command(installation: OpenNetVmInstallation, place: ManagerPlace) -> list[str]:
    """Of the manager."""
    options = manager_options(
        _shared(installation, place), place.cpus, place.nf_cpus,
        memory_mb=place.memory_mb, port_mask=place.port_mask, shares_cores=place.shared, eal=place.eal,
    )  # fmt: skip
    return [str(installation.manager_path), *options]


def nf_command(
    installation: OpenNetVmInstallation, place: ManagerPlace, binary: Path, own: Sequence[str], *,
    lcore: int, cpu: int, instance: int, service: int,
) -> list[str]:  # fmt: skip
    """Of one NF, with its own arguments."""
    shared = _shared(installation, place)
    return [str(binary), *nf_options(shared, own, lcore=lcore, cpu=cpu, service=service, instance=instance)]


def _shared(installation: OpenNetVmInstallation, place: ManagerPlace) -> Shared:
    return Shared(place.prefix, str(installation.huge_dir))
