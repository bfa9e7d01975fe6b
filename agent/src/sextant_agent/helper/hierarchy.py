"""Where this machine's cgroups are, found by looking: /proc/self/mountinfo says what is mounted, and how."""

from dataclasses import dataclass
from pathlib import Path

from sextant_agent.helper.refusal import Unusable


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The mounted cgroup file systems that hold the CPU controllers."""

    version: int
    """1 or 2."""
    cpu: Path
    cpuacct: Path | None
    """v1 only: where CPU time is counted; the same as `cpu` where both are mounted as one. None without it."""


def find_hierarchy(mountinfo: str) -> Hierarchy:
    """From the text of mountinfo. Raises Unusable where no CPU controller is mounted.

    A machine may have both versions mounted; a controller is in one of them, and v1's says so in its options.
    """
    v1: dict[str, Path] = {}
    v2: list[Path] = []
    for line in mountinfo.splitlines():
        before, dash, after = line.partition(" - ")
        fields, kinds = before.split(" "), after.split(" ")
        if not dash or len(fields) < 5 or len(kinds) < 3:
            continue
        place = Path(unescaped(fields[4]))
        if kinds[0] == "cgroup":
            for option in kinds[2].split(","):
                v1.setdefault(option, place)
        elif kinds[0] == "cgroup2":
            v2.append(place)
    if "cpu" in v1:
        return Hierarchy(version=1, cpu=v1["cpu"], cpuacct=v1.get("cpuacct"))
    for place in v2:
        if "cpu" in controllers(place):
            return Hierarchy(version=2, cpu=place, cpuacct=None)
    if v2:
        raise Unusable(f"cgroup v2 at {v2[0]} does not offer the cpu controller: give it to this machine or container")
    raise Unusable("no cgroup file system with the cpu controller is mounted: mount cgroup2 at /sys/fs/cgroup")


def controllers(place: Path) -> list[str]:
    """What a v2 cgroup may hand on; empty where it cannot be read."""
    try:
        return (place / "cgroup.controllers").read_text().split()
    except OSError:
        return []


def unescaped(text: str) -> str:
    """mountinfo writes space, tab, line break and backslash as octal."""
    for code, sign in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, sign)
    return text
