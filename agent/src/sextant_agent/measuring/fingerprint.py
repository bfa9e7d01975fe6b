"""What distinguishes one machine, and one start of it, from another."""

import re
from pathlib import Path

from sextant_domain.profiling.calibration import MachineFingerprint


def read_fingerprint(root: Path) -> MachineFingerprint:
    """From procfs and sysfs under `root`; what is not there is 'unknown'."""
    cpuinfo = _text(root / "proc/cpuinfo")
    return MachineFingerprint(
        cpu_model=_field(cpuinfo, "model name") or _field(cpuinfo, "CPU part") or "unknown",
        microcode=_field(cpuinfo, "microcode") or "unknown",
        hypervisor=_hypervisor(root, cpuinfo),
        boot_id=_text(root / "proc/sys/kernel/random/boot_id").strip() or "unknown",
    )


def _hypervisor(root: Path, cpuinfo: str) -> str:
    """The kernel's name for it, the firmware's, or the CPU's bare flag."""
    named = _text(root / "sys/hypervisor/type").strip()
    flags = _field(cpuinfo, "flags").split()
    if named or "hypervisor" not in flags:
        return named
    return _text(root / "sys/class/dmi/id/sys_vendor").strip() or "unnamed"


def _field(text: str, name: str) -> str:
    match = re.search(rf"^{re.escape(name)}\s*:\s*(.+)$", text, re.MULTILINE)
    return match.group(1).strip() if match else ""


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
