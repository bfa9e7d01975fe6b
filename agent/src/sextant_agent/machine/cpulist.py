"""The kernel's CPU list format: `0-3,8,10-11`."""

from collections.abc import Iterable

MAX_CPUS = 8192
"""The kernel's own largest NR_CPUS; a list beyond it is nonsense."""


def parse_cpulist(text: str) -> tuple[int, ...]:
    """CPU numbers, rising. Raises ValueError naming the part that is wrong."""
    cpus: set[int] = set()
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise ValueError(f"'{part}' is neither a CPU number nor a range such as 2-5")
        low, high = int(first), int(last) if dash else int(first)
        if low > high or high >= MAX_CPUS:
            raise ValueError(f"'{part}' is not a range of CPU numbers below {MAX_CPUS}")
        cpus.update(range(low, high + 1))
    return tuple(sorted(cpus))


def format_cpulist(cpus: tuple[int, ...]) -> str:
    """The comma-separated form without ranges: `0,1,2`."""
    return ",".join(str(cpu) for cpu in cpus)


def ranges(cpus: Iterable[int]) -> str:
    """The kernel's own form: `1-2,4`."""
    parts: list[list[int]] = []
    for cpu in sorted(cpus):
        if parts and cpu == parts[-1][-1] + 1:
            parts[-1].append(cpu)
        else:
            parts.append([cpu])
    return ",".join(f"{part[0]}-{part[-1]}" if len(part) > 1 else str(part[0]) for part in parts)
