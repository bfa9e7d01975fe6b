"""Packets lost while a chain is carried in two lanes and in one again, again and again, and packets flow all the time.

A whole action is what hosts are ordered (decision 105): the new lane starts, with processes of its own, before the
others' flows are moved to it; back, flows move first, and the lane goes once it is empty. Most of its time is that of
processes that start and end, so the one step in which packets could lose their way, flows that move from lane to lane,
is done by itself as well, as often as chains are led elsewhere (reroutes.py).

What was sent and what came out are counters of sources and sinks; of a lane that goes, as its host counted them last.
"""

import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from lane_places import PLACES, Place, Standing, lane_orders
from lone_host import put_first, wait_for
from pace import Pace, judged
from page import head, line
from setting import NotMeasured
from sextant_agent.control.ordered_source import source_of
from sextant_agent.kit.line_client import LineAnswer, LineClient
from ways import spread

from agent.tests.srv6_host import DAEMON, host_program, srv6_hosts, why_not

EVERY_S = 0.005
"""From one move of flows to the next, as of reroutes."""
FLOWING_S = 0.02
"""Packets flow so long in both lanes."""
APART = ((3, 1), (1, 3))
"""Weights of the lanes between which flows move."""
GONE = re.compile(r"removed \S+: of (\d+) packets (\d+) came out(?:, (\d+) ended in its NFs)?(?:, \d+ were lost)?$")


@dataclass
class Passed:
    """Packets, and why some did not come out."""

    sent: int = 0
    came_out: int = 0
    why: Counter[str] = field(default_factory=Counter)

    @property
    def lost(self) -> int:
        """Of all that were sent."""
        return self.sent - self.came_out

    @property
    def text(self) -> str:
        """For the table."""
        causes = ", ".join(f"{count} {cause}" for cause, count in sorted(self.why.items()) if count)
        return f"{self.lost}" + (f" ({causes or 'no cause was counted'})" if self.lost else "")


def scaling(pace: Pace) -> Iterator[str]:
    """Three rows a place: nothing at all, whole actions, and the move of flows alone. NFs drop what has waited long,
    so other work of the machine may lose packets, too."""
    if reason := why_not():
        raise NotMeasured(reason)
    if missing := [path for path in (DAEMON, host_program("nf")) if not path.exists()]:
        raise NotMeasured(f"{missing[0]} is not built: make setup")
    yield from head("what is done", "actions", "packets", "lost (goal 0)", "ms an action", "")
    for place in PLACES:
        with standing(place) as there:
            yield _row(f"nothing, {place.name}", there, _rest(pace.within_s / 12))
        with standing(place) as there:
            yield _row(f"a lane comes, or goes, {place.name}", there, _turns(there, pace.actions, pace.within_s / 3))
        with standing(place) as there:
            moves = _moves(there, pace.actions, pace.within_s / 2)
            yield _row(f"flows move between two lanes, {place.name}", there, moves)


@contextmanager
def standing(place: Place) -> Iterator[Standing]:
    """In one lane, packets flowing; gone afterwards."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sextant-bench-")))
        hosts = stack.enter_context(srv6_hosts(folder, *place.hosts))
        there = stack.enter_context(Standing.on(place, hosts, folder))
        there.order(lane_orders(place, (1,))[::-1])  # where packets leave first
        put_first()
        wait_for("packets", lambda: there.counted()[0][1] > 1000)
        yield there


def _row(what: str, there: Standing, took: Iterator[tuple[float, Sequence[str]]]) -> str:
    refused, passed, seconds = there.refused(), Passed(), []
    for took_s, done in took:
        seconds.append(took_s)
        count_gone(passed, done)
    count_gone(passed, there.order(lane_orders(there.place, (1,))))
    there.order(lane_orders(there.place, (1,), paused=True))
    wait_for("what was sent to come out", there.is_still)
    for sent, came_out, ended in there.counted():
        passed.sent += sent
        passed.came_out += came_out
        passed.why["dropped by NFs"] += ended
    passed.why.update({cause: count - refused[cause] for cause, count in there.refused().items()})
    return line(
        what, f"{len(seconds):,}", f"{passed.sent:,}", passed.text,
        spread([1e3 * one for one in seconds], 1) if seconds else "-",
        judged(passed.lost == 0) if seconds else "",
    )  # fmt: skip


def count_gone(passed: Passed, done: Sequence[str]) -> None:
    """What left with a lane."""
    for one in done:
        if one.startswith("removed "):
            found = GONE.match(one)
            if found is None:
                raise NotMeasured(f"a lane went uncounted: {one}")
            passed.sent += int(found[1])
            passed.came_out += int(found[2])
            passed.why["dropped by NFs"] += int(found[3] or 0)


def _rest(seconds: float) -> Iterator[tuple[float, Sequence[str]]]:
    """Packets flow, and nobody does anything."""
    time.sleep(seconds)
    yield from ()


def _turns(there: Standing, actions: int, within_s: float) -> Iterator[tuple[float, Sequence[str]]]:
    """How long each took, and what was done."""
    end = time.monotonic() + within_s
    for number in range(actions):
        began = time.monotonic()
        if began > end:
            return
        done = there.order(lane_orders(there.place, (1,) if number % 2 else (1, 1)))
        yield time.monotonic() - began, done
        put_first()  # the new lane's processes, too
        time.sleep(FLOWING_S)


def _moves(there: Standing, actions: int, within_s: float) -> Iterator[tuple[float, Sequence[str]]]:
    """By the same verb as orders; whoever gets flows gets them first, so that each has a lane all the time."""
    there.order(lane_orders(there.place, APART[0]))
    put_first()
    sources = {chain: LineClient(socket, chain) for chain, socket in there.sources().items()}
    asked = [{one.chain: source_of(one) for one in there.entering(weights)} for weights in APART]
    end = time.monotonic() + within_s
    for number in range(1, actions + 1):
        began = time.monotonic()
        if began > end:
            return
        turn = number % 2
        for chain in sorted(sources, reverse=turn == 1):
            sources[chain].ask(LineAnswer, "set_source", source=asked[turn][chain])
        took = time.monotonic() - began
        yield took, ()
        time.sleep(max(0.0, EVERY_S - took))
