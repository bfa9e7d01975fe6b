"""`--quota-bounds`: within which a host sets CPU quotas of a chain's NFs by how long packets say that they had them."""

from typing import Annotated

import typer

from sextant_cli.errors import Exit, error

FORM = "P95_US:LEAST:MOST, in microseconds and percent of the core, as 5000:10:80"
QuotaBounds = Annotated[
    str | None,
    typer.Option(
        "--quota-bounds",
        metavar="P95_US:LEAST:MOST",
        help="Let the host set CPU quotas of its NFs by itself, in tens of milliseconds, by what packets say: an NF "
        "that has 5 of 100 packets for longer than P95_US is given more, LEAST to MOST percent of its core "
        "(5000:10:80). For hosts of measured packets. 'none' takes them away.",
    ),
]


def quota_bounds(text: str) -> dict[str, float] | None:
    """`5000:10:80` as {'max_p95_us': 5000, 'least_percent': 10, 'most_percent': 80}."""
    if text == "none":
        return None
    p95, _, percents = text.partition(":")
    least, _, most = percents.partition(":")
    try:
        max_p95_us = float(p95)
    except ValueError:
        max_p95_us = 0.0
    if not (0 < max_p95_us < float("inf") and least.isdecimal() and most.isdecimal()):
        raise error("bad-option", "--quota-bounds cannot be read", f"'{text}' is not {FORM}", Exit.BAD_INPUT)
    return {"max_p95_us": max_p95_us, "least_percent": int(least), "most_percent": int(most)}
