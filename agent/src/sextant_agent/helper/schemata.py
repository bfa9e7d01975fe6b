"""What resctrl's files say, as numbers: pure.

A schemata file has a line a resource, `L3:0=7ff;1=7ff` or `MB:0=100;1= 50`: masks in hexadecimal, the rest in decimal,
by the id of the cache, with blanks wherever the kernel lines them up. What is written ends with a line break.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sextant_agent.helper.refusal import Unusable
from sextant_agent.helper.resctrl_files import Resctrl

FULL_PERCENT = 100


@dataclass(frozen=True, slots=True)
class Schemata:
    """What a group may use, by cache id."""

    llc: Mapping[int, int] = field(default_factory=dict)
    """Masks of ways of L3; empty where they are not handed out."""
    bandwidth: Mapping[int, int] = field(default_factory=dict)
    """Percent of the memory bandwidth, or whatever else the hardware counts it in."""


@dataclass(frozen=True, slots=True)
class LlcAllocation:
    """What `info/L3` says."""

    mask: int
    """All ways there are."""
    least: int
    """Ways that a mask has at least; where the CPU takes empty ones (AMD), 1."""
    nic: int
    """Ways that hardware other than the CPU writes into: `shareable_bits`."""


@dataclass(frozen=True, slots=True)
class BandwidthInfo:
    """What `info/MB` says: percentages from `least` on that are multiples of `step`, and 100."""

    least: int
    step: int

    def takes(self, percent: int) -> bool:
        """Whether the kernel sets just that; it rounds others up to a multiple of `step`."""
        return percent == FULL_PERCENT or (self.least <= percent < FULL_PERCENT and percent % self.step == 0)


def read_schemata(text: str) -> Schemata:
    """Lines that it does not know are passed over: L2, L3CODE, SMBA."""
    lines = {name.strip(): rest for name, colon, rest in (line.partition(":") for line in text.splitlines()) if colon}
    return Schemata(_entries(lines.get("L3", ""), 16), _entries(lines.get("MB", ""), 10))


def llc_line(cache: int, mask: int) -> str:
    """Of one cache; the group keeps what it has of others."""
    return f"L3:{cache}={mask:x}\n"


def bandwidth_line(percents: Mapping[int, int]) -> str:
    """By cache id."""
    return "MB:" + ";".join(f"{cache}={percent}" for cache, percent in sorted(percents.items())) + "\n"


def read_llc(resctrl: Resctrl) -> LlcAllocation:
    """Raises Unusable, OSError."""
    if resctrl.options & {"cdp"}:
        raise Unusable("resctrl is mounted with cdp, ways for code and data apart: mount it without")
    try:
        mask = int(resctrl.read("info/L3/cbm_mask"), 16)
    except FileNotFoundError as error:
        raise Unusable("resctrl is mounted but has no info/L3: this CPU does not allocate ways of L3") from error
    least = max(1, int(resctrl.read("info/L3/min_cbm_bits")))
    return LlcAllocation(mask, least, int(resctrl.read("info/L3/shareable_bits"), 16))


def read_bandwidth(resctrl: Resctrl) -> BandwidthInfo:
    """Raises Unusable, OSError."""
    if "mba_MBps" in resctrl.options:
        raise Unusable("resctrl is mounted with mba_MBps, bandwidth in MB/s and not in percent: mount it without")
    try:
        info = BandwidthInfo(int(resctrl.read("info/MB/min_bandwidth")), int(resctrl.read("info/MB/bandwidth_gran")))
    except FileNotFoundError as error:
        raise Unusable("resctrl is mounted but has no info/MB: this CPU does not allocate memory bandwidth") from error
    most = max(read_schemata(resctrl.read("schemata")).bandwidth.values(), default=0)
    if info.least < 1 or info.step < 1 or most > FULL_PERCENT:
        raise Unusable("this CPU allocates memory bandwidth in steps of its own, not in percent")
    return info


def _entries(line: str, base: int) -> dict[int, int]:
    """`0=7ff;1=7ff`; empty for a group that has none (`uninitialized`)."""
    pairs = [entry.partition("=") for entry in line.split(";")]
    try:
        return {int(cache): int(value, base) for cache, equals, value in pairs if equals}
    except ValueError:
        return {}
