"""Equal shares of a core beside shares by rate and cost on the digital twin (Fig. 4): what the former lose."""

from collections.abc import Iterator
from statistics import fmean

import page
from drawing import SETTINGS
from intervals import of_any, shown
from on_twin import TwinMachine
from sextant_lab.school.on_twin import assigned


def table() -> Iterator[str]:
    """A row a number of cores, rule, and what VNFs do without packets: means of instances, Mpps. The paper does not say
    on how many cores it was."""
    given = SETTINGS["schedulers"]
    yield from page.head(
        "cores", "assigner", "VNFs without packets", "instances", "by rate and cost", "equal shares",
        "equal shares serve more, 95 %", f"as published, within {given['points']} points",
    )  # fmt: skip
    twin = TwinMachine()
    for cores in SETTINGS["twin"]["cores"]:
        for name in given["percent"]:
            for polling in (False, True):
                yield _line(twin, cores, name, polling)


def _line(twin: TwinMachine, cores: int, name: str, polling: bool) -> str:
    given = SETTINGS["schedulers"]
    pairs, published = list(_pairs(twin, cores, name, polling)), given["percent"][name]
    more = of_any(pairs, lambda some: 100 * (fmean(equal for _, equal in some) / fmean(by for by, _ in some) - 1))
    near = abs(more.figure - published) <= given["points"]
    return page.line(
        str(cores), f"`{name}`", "poll" if polling else "sleep", str(len(pairs)), f"{fmean(by for by, _ in pairs):.2f}",
        f"{fmean(equal for _, equal in pairs):.2f}", shown(more, 1),
        f"{published:+.0f} %: {'passed' if near else '**failed**'}",
    )  # fmt: skip


def _pairs(twin: TwinMachine, cores: int, assigner: str, polling: bool) -> Iterator[tuple[float, float]]:
    """Mpps by rate and cost, and with equal shares, instance by instance."""
    given, offered = SETTINGS["schedulers"], SETTINGS["schedulers"]["system_pps"]
    for number in range(given["instances"]):
        asked = twin.question(cores, number, SETTINGS["twin"]["kinds"], offered)
        at = assigned(asked, assigner=assigner)
        by_cost, equal = (twin.run(asked, at, equally=equally, polling=polling) for equally in (False, True))
        yield by_cost.served * offered / 1e6, equal.served * offered / 1e6
