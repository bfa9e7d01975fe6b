"""What assigners that know loads alone serve on the twin: all of them on the gates' instances, beside each other."""

from collections.abc import Iterator
from statistics import mean

import page
from drawing import SETTINGS
from gates import asked_of
from ideal import ASSIGNERS
from intervals import of_mean, shown
from on_twin import TwinMachine
from sextant_lab.school.on_twin import Ran, assigned

BESIDE = "min_max"


def table() -> Iterator[str]:
    """A row an assigner: part of the packets that is served, means over instances; then all rows of the gates together,
    paired; median of their time in ms."""
    twin, given = TwinMachine(), SETTINGS["twin"]
    yield from page.head(
        "assigner", *(f"{cores} cores" for cores in given["cores"]), f"all, more than `{BESIDE}`",
        *(f"p50, ms: {cores}" for cores in given["cores"]),
    )  # fmt: skip
    asked = {cores: [asked_of(twin, cores, number) for number in range(given["instances"])] for cores in given["cores"]}
    ran = {
        name: {cores: [twin.run(one, assigned(one, assigner=name)) for one in found] for cores, found in asked.items()}
        for name in ASSIGNERS
    }
    beside = _served(ran[BESIDE])
    for name, by_cores in ran.items():
        more = [100 * (one / other - 1) for one, other in zip(_served(by_cores), beside, strict=True)]
        yield page.line(
            f"`{name}`",
            *(f"{mean(one.served for one in found):.4f}" for found in by_cores.values()),
            "-" if name == BESIDE else shown(of_mean(more)),
            *(f"{1000 * mean(one.p50_s for one in found):.3f}" for found in by_cores.values()),
        )


def _served(by_cores: dict[int, list[Ran]]) -> list[float]:
    return [one.served for found in by_cores.values() for one in found]
