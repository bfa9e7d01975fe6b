"""`--quota-bounds`: within which a host sets CPU quotas, LLC ways and memory bandwidth of a chain's NFs by how long
packets say that they had them."""

import re
from typing import Annotated

import typer

from sextant_cli.errors import Exit, error

FORM = (
    "P95_US:LEAST:MOST[:ways=LEAST-MOST][:bandwidth=LEAST], in microseconds, percent of the core, ways of the LLC and "
    "percent of the memory bandwidth, as 5000:10:80 or 5000:10:80:ways=2-6:bandwidth=20"
)
_READ = re.compile(
    r"(?P<p95>[^:]+):(?P<least>\d+):(?P<most>\d+)(:ways=(?P<from>\d+)-(?P<to>\d+))?(:bandwidth=(?P<mb>\d+))?"
)
QuotaBounds = Annotated[
    str | None,
    typer.Option(
        "--quota-bounds",
        metavar="P95_US:LEAST:MOST[:ways=LEAST-MOST][:bandwidth=LEAST]",
        help="Let the host set CPU quotas of its NFs by itself, in tens of milliseconds, by what packets say: an NF "
        "that has 5 of 100 packets for longer than P95_US is given more, LEAST to MOST percent of its core "
        "(5000:10:80); where the host has resctrl and it is said, LLC ways of its own after that, and memory bandwidth "
        "down to LEAST percent for one that needs no more (:ways=2-6:bandwidth=20). For hosts of measured packets. "
        "'none' takes them away.",
    ),
]


def quota_bounds(text: str) -> dict[str, float] | None:
    """`5000:10:80` as {'max_p95_us': 5000, 'least_percent': 10, 'most_percent': 80}."""
    if text == "none":
        return None
    found = _READ.fullmatch(text)
    max_p95_us = _positive(found["p95"]) if found is not None else None
    if found is None or max_p95_us is None:
        raise error("bad-option", "--quota-bounds cannot be read", f"'{text}' is not {FORM}", Exit.BAD_INPUT)
    bounds = {"max_p95_us": max_p95_us, "least_percent": int(found["least"]), "most_percent": int(found["most"])}
    if found["from"] is not None:
        bounds |= {"least_ways": int(found["from"]), "most_ways": int(found["to"])}
    if found["mb"] is not None:
        bounds["least_bandwidth_percent"] = int(found["mb"])
    return bounds


def _positive(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 < value < float("inf") else None
