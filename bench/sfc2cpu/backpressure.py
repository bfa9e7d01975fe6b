"""What backpressure saves on the twin: packets dropped at the entry, or at the ring that has no room for them."""

from collections.abc import Iterator
from statistics import mean

import page
from drawing import SETTINGS
from gates import asked_of
from intervals import of_mean, shown
from on_twin import TwinMachine
from sextant_lab.school.on_twin import assigned

ASSIGNERS = ("rr", "min_max")


def table() -> Iterator[str]:
    """Part of the packets that is served, and of VNFs' cycles that went into packets which were lost later; means over
    instances."""
    yield from page.head(
        "cores", "assigner", "instances", "served: dropped at rings", "at the entry", "more at the entry, 95 %",
        "work lost, %: dropped at rings", "at the entry",
    )  # fmt: skip
    twin, given = TwinMachine(), SETTINGS["twin"]
    for cores in given["cores"]:
        asked = [asked_of(twin, cores, number) for number in range(given["instances"])]
        for name in ASSIGNERS:
            at = [assigned(one, assigner=name) for one in asked]
            rings, entry = (
                [twin.run(one, where, backpressure=on) for one, where in zip(asked, at, strict=True)]
                for on in (False, True)
            )
            more = [100 * (held.served / free.served - 1) for held, free in zip(entry, rings, strict=True)]
            yield page.line(
                str(cores), f"`{name}`", str(len(asked)),
                *(f"{mean(one.served for one in ran):.4f}" for ran in (rings, entry)), shown(of_mean(more)),
                *(f"{100 * mean(one.wasted for one in ran):.2f}" for ran in (rings, entry)),
            )  # fmt: skip
