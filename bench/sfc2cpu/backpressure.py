"""What backpressure saves on the twin: packets dropped at the ring that has no room for them, at the entry while a ring
is above its watermarks (NFVnice), or at the entry before any ring overflows (strict)."""

from collections.abc import Iterator
from statistics import mean

import page
from drawing import SETTINGS
from gates import asked_of
from intervals import of_mean, shown
from on_twin import TwinMachine
from sextant_lab.school.on_twin import assigned
from sextant_twin.backpressure import Backpressure

ASSIGNERS = ("rr", "min_max")


def table() -> Iterator[str]:
    """Part of the packets that is served, and of VNFs' cycles that went into packets which were lost later; means over
    instances."""
    yield from page.head(
        "cores", "assigner", "instances", "served: dropped at rings", "by watermarks", "strictly",
        "more by watermarks, 95 %", "more strictly, 95 %",
        "work lost, %: dropped at rings", "by watermarks", "strictly",
    )  # fmt: skip
    twin, given = TwinMachine(), SETTINGS["twin"]
    for cores in given["cores"]:
        asked = [asked_of(twin, cores, number) for number in range(given["instances"])]
        for name in ASSIGNERS:
            at = [assigned(one, assigner=name) for one in asked]
            free, marks, strict = (
                [twin.run(one, where, backpressure=way) for one, where in zip(asked, at, strict=True)]
                for way in Backpressure
            )
            more = [
                [100 * (held.served / none.served - 1) for held, none in zip(ran, free, strict=True)]
                for ran in (marks, strict)
            ]
            yield page.line(
                str(cores), f"`{name}`", str(len(asked)),
                *(f"{mean(one.served for one in ran):.4f}" for ran in (free, marks, strict)),
                *(shown(of_mean(one)) for one in more),
                *(f"{100 * mean(one.wasted for one in ran):.2f}" for ran in (free, marks, strict)),
            )  # fmt: skip
