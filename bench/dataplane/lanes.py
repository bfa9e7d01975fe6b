"""Lanes that come, get other weights and go under load: how many such changes a second, and whether a packet is lost.

A change is one order to the runner: a lane is added, gets another weight, or is removed, as the agent orders it. Two
lanes carry all flows; a third comes and takes its part, weights go to 3 : 1 : 1, the third leaves. It is removed while
it still sends: its source stops first, and what its rings hold then has to arrive.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import quantiles
from typing import Any

from page import head, line
from runner import KINDS, Runner, source
from setting import NotMeasured, Setting, verdict

RATE_MPPS = 0.1
"""Of all lanes together."""
FLOWS = 1000
PLAIN = {name: value for name, value in source(0.0).items() if name not in {"rate_mpps", "flows"}}
NF = "basic-monitor"
EQUAL, HEAVIER, TWO = (1, 1, 1), (3, 1, 1), (1, 1)
THIRD = 3
KINDS_OF_CHANGE = ("added", "weight changed", "removed")
DRAINED_S = 10.0


@dataclass
class _Books:
    """What was done, and what became of the packets."""

    took_s: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """By kind of change, from the order to its answer."""
    lost: int = 0
    """Of lanes that were removed; of those that stay, what was sent and did not arrive."""
    held_back: int = 0
    """Packets that a source could not send in time, because its chain was full."""
    misordered: int = 0
    offered: int = 0
    """Of the lanes that stay."""
    delivered: int = 0

    @property
    def changes(self) -> int:
        return sum(map(len, self.took_s.values()))

    def timed(self, kind: str, order: Callable[[], Any]) -> Any:
        """The order's answer; its time goes into the books."""
        began = time.monotonic()
        answer = order()
        self.took_s[kind].append(time.monotonic() - began)
        return answer


def lanes(setting: Setting) -> Iterator[str]:
    """A row for each kind of change, and one of all with their packets."""
    most = setting.changes if setting.changes is not None else setting.pick(10_000, 100)
    yield from setting.preface("lanes", "every packet offered is sent and delivered, in order within its flow")
    yield from head(
        "lane changes", "number", "a second", "p50, ms", "p99, ms", "offered", "delivered", "lost", "held back",
        "misordered", "goal",
    )  # fmt: skip
    books = _Books()
    with Runner(setting.other_core, setting.cores) as runner:
        began = time.monotonic()
        _lanes_come_and_go(runner, setting, books, most, began + setting.within_s)
        seconds = time.monotonic() - began
        _settle(runner, books)
    for kind in KINDS_OF_CHANGE:
        took = books.took_s[kind]
        yield line(kind, f"{len(took)}", f"{len(took) / sum(took):.0f}", *_quantiles(took), *[""] * 6)
    met = books.changes >= most and not books.lost and not books.held_back and not books.misordered
    packets = (books.offered, books.delivered, books.lost, books.held_back, books.misordered)
    told = [f"{count}" for count in packets]
    count = f"{books.changes} of {most}" if books.changes < most else f"{books.changes}"
    yield line("all", count, f"{books.changes / seconds:.0f}", "", "", *told, verdict(met))


def _lanes_come_and_go(runner: Runner, setting: Setting, books: _Books, most: int, until: float) -> None:
    """Nine changes a round, whole rounds; the first two lanes stay."""
    for number in (1, 2):
        runner.call("add_chain", **_chain(setting, number, TWO))
    time.sleep(0.5)
    while books.changes < most and time.monotonic() < until:
        books.timed("added", lambda: runner.call("add_chain", **_chain(setting, THIRD, EQUAL)))
        for weights in (EQUAL, HEAVIER):
            _divide(runner, books, weights)
        _divide(runner, books, TWO)
        _read(runner, books, THIRD)
        answer = books.timed("removed", lambda: runner.call("remove_chain", chain=_name(THIRD)))
        books.lost += int(answer["lost_packets"])


def _divide(runner: Runner, books: _Books, weights: tuple[int, ...]) -> None:
    for number in range(1, len(weights) + 1):
        wanted = _source(number, weights)
        books.timed("weight changed", lambda: runner.call("set_source", chain=_name(number), source=wanted))  # noqa: B023 - called at once


def _settle(runner: Runner, books: _Books) -> None:
    """The two that stay send no more, and their rings run empty. Raises NotMeasured where they do not."""
    for number in (1, 2):
        runner.call("set_source", chain=_name(number), source={**PLAIN, "flows": FLOWS, "rate_mpps": 0.0})
    deadline = time.monotonic() + DRAINED_S
    while any(nf["ring_used"] for nf in runner.call("query")["nfs"]):
        if time.monotonic() > deadline:
            raise NotMeasured(f"rings hold packets {DRAINED_S:g} s after the sources stopped")
        time.sleep(0.05)
    time.sleep(0.2)
    for number in (1, 2):
        found = _read(runner, books, number)
        books.offered += found["offered"]
        books.delivered += found["delivered"]
        books.lost += found["sent"] - found["delivered"]


def _read(runner: Runner, books: _Books, number: int) -> dict[str, Any]:
    """One lane's counters, and those that are to stay 0 into the books."""
    found: dict[str, Any] = next(one for one in runner.call("query")["chains"] if one["chain"] == _name(number))
    books.held_back += found["source_drops"]
    books.misordered += found["misordered"]
    return found


def _chain(setting: Setting, number: int, weights: tuple[int, ...]) -> dict[str, Any]:
    name = _name(number)
    nf = {"nf": f"{name}.0", "type": NF, "config": KINDS[NF], "core": setting.nf_core}
    return {"chain": name, "nfs": [nf], "source": _source(number, weights), "execution": "isolated"}


def _source(number: int, weights: tuple[int, ...]) -> dict[str, Any]:
    rate = RATE_MPPS * weights[number - 1] / sum(weights)
    return {**PLAIN, "rate_mpps": rate, "flows": FLOWS, "lane": {"number": number, "weights": list(weights)}}


def _name(number: int) -> str:
    return f"lane-{number}"


def _quantiles(took: list[float]) -> tuple[str, str]:
    cuts = quantiles([1000 * one for one in took], n=100, method="inclusive")
    return f"{cuts[49]:.2f}", f"{cuts[98]:.2f}"
