"""Lanes come and go while packets flow, and nothing that was sent is lost; what is within a chain comes out before it
is taken apart."""

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sextant_agent.drivers.srv6.draining import ANSWER_S, LONGEST_S, STILL_S, Passage, drain
from sextant_agent.drivers.srv6.driver import Srv6Driver
from sextant_domain.chains.lane import Lane, lane_name
from sextant_domain.hosts.desired import DesiredChain

from .orders import chain, content, nf
from .srv6_host import new_driver, srv6_host, why_not
from .waiting import wait_for

here = pytest.mark.skipif((reason := why_not()) is not None, reason=f"not here: {reason}")
MPPS = 0.004
TURNS = 8


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Srv6Driver]:
    with srv6_host(tmp_path) as host:
        driver = new_driver(host, tmp_path)
        yield driver
        driver.apply(content())
        driver.close()


def lanes(count: int) -> list[DesiredChain]:
    return [_lane(number, count) for number in range(1, count + 1)]


def _lane(number: int, count: int) -> DesiredChain:
    name = lane_name("web", number)
    made = chain(name, nf(name, "simple-forward", core=0, slot=number), rate_mpps=MPPS / count)
    lane = Lane(of="web", number=number, weights=(1,) * count) if count > 1 else None
    return made.model_copy(update={"traffic": made.traffic.model_copy(update={"lane": lane})})


def apply_all(driver: Srv6Driver, *chains: DesiredChain) -> list[str]:
    """Until nothing is left to do: a lane that has to wait for another is found again."""
    done: list[str] = []
    while True:
        report = driver.apply(content(*chains))
        assert not report.failures, report.failures
        if not report.done:
            return done
        done += report.done


def entry_of(folder: Path, name: str) -> dict[str, Any]:
    """What the driver has written down of a chain."""
    entry: dict[str, Any] = json.loads((folder / "state/srv6/record.json").read_text())["chains"][name]
    return entry


def process_of(folder: Path, name: str, which: str) -> int:
    """Pid of a chain's source or sink."""
    return int(entry_of(folder, name)[which]["pid"])


@here
def test_no_packet_is_lost_while_lanes_come_and_go(driver: Srv6Driver) -> None:
    """What an NF drops for want of time, on a machine that does much else, is said apart from what was lost."""
    apply_all(driver, *lanes(1))
    for count in [2, 3, 2, 1] * (TURNS // 4):
        done = apply_all(driver, *lanes(count))
        for number in range(2, count + 1):
            name = lane_name("web", number)
            wait_for("the lane's packets", lambda: driver.sample().chains[name].delivered > 20)  # noqa: B023 - at once
        assert not [one for one in done if one.startswith("removed") and ("were lost" in one or "came out" not in one)]
    paused = lanes(1)[0].model_copy(update={"paused": True})
    apply_all(driver, paused)

    def all_came_out() -> bool:
        found = driver.sample()
        drops = sum(one.drops for one in found.nfs.values())
        return found.chains["web"].sent == found.chains["web"].delivered + drops

    wait_for("all that the first lane sent came out", all_came_out)


@here
def test_a_lane_is_not_taken_apart_while_packets_wait_in_it(driver: Srv6Driver, tmp_path: Path) -> None:
    """From when it begins to go its sink stands still, for longer than anybody waits for one answer."""
    apply_all(driver, *lanes(2))
    name = lane_name("web", 2)
    wait_for("packets", lambda: driver.sample().chains[name].delivered > 100)
    sink = process_of(tmp_path, name, "sink")

    def stand_still() -> None:
        with suppress(KeyError, ProcessLookupError):  # it was quicker
            while entry_of(tmp_path, name)["structure"]:
                time.sleep(0.001)
            os.kill(sink, signal.SIGSTOP)
            time.sleep(1.8 * ANSWER_S)
            os.kill(sink, signal.SIGCONT)

    standing = threading.Thread(target=stand_still)
    standing.start()
    try:
        (removed,) = [one for one in apply_all(driver, *lanes(1)) if one.startswith("removed")]
    finally:
        standing.join()
    assert removed.startswith(f"removed {name}: of ") and "were lost" not in removed, removed


@here
def test_a_chain_whose_source_has_died_goes_all_the_same(driver: Srv6Driver, tmp_path: Path) -> None:
    apply_all(driver, *lanes(1))
    os.kill(process_of(tmp_path, "web", "packet_source"), signal.SIGKILL)
    wait_for("it is seen", lambda: driver.sample().chains["web"].fingerprint is None)
    assert apply_all(driver) == ["removed web"]


def counted(*found: Passage | None) -> Callable[[], Passage | None]:
    """One after the other, the last again and again."""
    left = list(found)
    return lambda: left.pop(0) if len(left) > 1 else left[0]


def test_it_waits_until_nothing_is_within() -> None:
    """Also where nobody answers for a while, and while more may enter although all came out."""
    first = Passage(entered=8, came_out=8, ended=0, enters=True)
    last = Passage(entered=12, came_out=9, ended=3)
    assert drain(counted(None, first, Passage(12, 5, 1), last)) == last
    assert last.text == "of 12 packets 9 came out, 3 ended in its NFs"


def test_what_does_not_move_any_more_is_lost() -> None:
    stuck = Passage(entered=12, came_out=9, ended=1)
    assert drain(counted(Passage(12, 8, 1), stuck)) == stuck
    assert stuck.text == "of 12 packets 9 came out, 1 ended in its NFs, 2 were lost"


def test_it_does_not_wait_for_ever() -> None:
    """Neither for who never answers nor for what never ends."""
    assert drain(lambda: None) is None
    numbers = iter(range(10**9))
    endless = drain(lambda: Passage(entered=10**9, came_out=next(numbers), ended=0))
    assert endless is not None and endless.within > 0
    assert STILL_S < LONGEST_S
