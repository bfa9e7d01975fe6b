"""Quantities as data files write them: a number and its unit, read into SI base units.

A number without a unit, a unit of another dimension, a negative or an infinite one is refused.
"""

import re
from math import isfinite
from typing import Annotated

from pydantic import BeforeValidator

UNITS: dict[str, dict[str, float]] = {
    "time": {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0},
    "size": {"B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30},
    "bandwidth": {"MB/s": 1e6, "GB/s": 1e9},
    "bit rate": {"Mbps": 1e6, "Gbps": 1e9},
    "frequency": {"MHz": 1e6, "GHz": 1e9},
    "packet rate": {"pps": 1.0, "kpps": 1e3, "Mpps": 1e6},
    "cycles": {"cycles": 1.0},
    "cycles a byte": {"cycles/B": 1.0},
    "share": {"%": 1e-2},
}
"""By dimension, what a unit is in base units; GB/s and Gbps are decimal, KiB to GiB binary."""

_QUANTITY = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,15})?(?:e-?[0-9]{1,2})?) ?([A-Za-z%/]{1,8})")


def parse(text: object, dimension: str) -> float:
    """A quantity such as "81.4 ns" in base units. Raises ValueError with cause and next step."""
    units = UNITS[dimension]
    hint = f"write a {dimension} such as '1.5 {next(iter(units))}' ({', '.join(units)})"
    if not isinstance(text, str):
        raise ValueError(f"has no unit: {hint}")
    if text.lstrip().startswith("-"):
        raise ValueError(f"is negative: {hint}")
    match = _QUANTITY.fullmatch(text)
    if match is None:
        raise ValueError(f"is no quantity: {hint}")
    number, unit = match.groups()
    if unit not in units:
        raise ValueError(f"{unit!r} is no unit of {dimension}: {hint}")
    value = float(number) * units[unit]
    if not isfinite(value):
        raise ValueError(f"is too large: {hint}")
    return value


def _of(dimension: str) -> BeforeValidator:
    return BeforeValidator(lambda text: parse(text, dimension))


def _exact_size(text: object) -> int:
    size = parse(text, "size")
    if size != int(size):
        raise ValueError("is no whole number of bytes: write it in a smaller unit")
    return int(size)


Seconds = Annotated[float, _of("time")]
Bytes = Annotated[int, BeforeValidator(_exact_size)]
BytesPerSecond = Annotated[float, _of("bandwidth")]
BitsPerSecond = Annotated[float, _of("bit rate")]
Hertz = Annotated[float, _of("frequency")]
PacketsPerSecond = Annotated[float, _of("packet rate")]
Cycles = Annotated[float, _of("cycles")]
CyclesPerByte = Annotated[float, _of("cycles a byte")]
Share = Annotated[float, _of("share")]
