"""When packets stand still that should not: readings once a second, with their CPU times written out; no process."""

from collections.abc import Mapping

import pytest
from sextant_agent.drivers.opennetvm.figures import InstanceFigures, ManagerFigures, PortFigures
from sextant_agent.drivers.opennetvm.standstill import NfReading, Reading, Standstill
from sextant_agent.machine.thread_time import ThreadTime

RX, TX, MASTER = 101, 102, 100
BUSY = {RX: 1.0, TX: 1.0}
"""Share of a CPU of the manager's threads that poll."""


def reading(
    at: int, received: int, *, waiting: int = 0, worked: int = 0, missed: int = 0, cpu: float = 1.0, state: str = "R",
    polling: Mapping[int, float] = BUSY,
) -> Reading:  # fmt: skip
    """`waiting`: in the ring of the only NF, which has had `cpu` of each second."""
    nf = InstanceFigures(1, 1, waiting + worked, worked, 0, 0, 0, 0, worked)
    threads = {thread: ThreadTime("R", share * at, 0.0) for thread, share in polling.items()}
    threads[MASTER] = ThreadTime("S", 0.01 * at, 0.0)
    return Reading(
        float(at), at, ManagerFigures({1: nf}, {0: PortFigures(received, 0)}), missed, threads,
        {1: NfReading("web.router", 7, ThreadTime(state, cpu * at, 0.0))},
    )  # fmt: skip


def first_reported(standstill: Standstill, readings: list[Reading]) -> int | None:
    """The second at which it is called stuck."""
    for one in readings:
        standstill.take(one)
        if standstill.why is not None:
            return round(one.at_s)
    return None


def test_an_nf_that_works_nothing_off_is_reported_once_it_has_had_three_seconds_of_a_cpu() -> None:
    """65 packets wait from second 0 on. With all of a CPU it has had 3 s at 3, with a fifth at 15; 64 are too few."""
    assert first_reported(Standstill(), [reading(at, 65, waiting=65) for at in range(20)]) == 3
    assert first_reported(Standstill(), [reading(at, 65, waiting=65, cpu=0.2) for at in range(20)]) == 15
    assert first_reported(Standstill(), [reading(at, 64, waiting=64) for at in range(20)]) is None
    slow = [reading(at, 65 + at // 3, waiting=65, worked=at // 3) for at in range(20)]
    assert first_reported(Standstill(), slow) is None, "a packet every three seconds is none too few"


@pytest.mark.parametrize("state", ["T", "t"])
def test_while_an_nf_is_held_by_a_signal_or_a_debugger_nothing_is_stuck(state: str) -> None:
    readings = [reading(at, 100, missed=100 * at, waiting=65, state=state) for at in range(20)]
    assert first_reported(Standstill(), readings) is None


def test_a_card_that_misses_packets_which_nobody_takes() -> None:
    """Misses are seen at 1 and 2 s, and three seconds are over at 3; one that missed some at once is idle,
    and one whose packets are taken is overloaded."""
    assert first_reported(Standstill(), [reading(at, 100, missed=50 * at) for at in range(20)]) == 3
    assert first_reported(Standstill(), [reading(at, 100, missed=50 * (at > 0)) for at in range(20)]) is None
    assert first_reported(Standstill(), [reading(at, 100 * at, missed=50 * at) for at in range(20)]) is None


def test_a_manager_whose_rx_thread_gets_no_cpu_is_not_stuck() -> None:
    """It has had 0.05 of each second: a second of CPU is over after 20."""
    starved = [reading(at, 100, missed=50 * at, polling={RX: 0.05, TX: 1.0}) for at in range(19)]
    assert first_reported(Standstill(), starved) is None


def test_after_the_death_of_an_nf_nothing_may_stand_still_that_moved() -> None:
    """Packets came until second 4, an NF was found dead at 5."""
    moved = [reading(at, 1000 * at) for at in range(5)]
    for received, reported in ((4000, 7), (4000 + 40_000, None)):
        standstill = Standstill()
        assert first_reported(standstill, moved) is None
        standstill.nf_died(5.0)
        standstill.take(reading(5, received))
        still = [reading(at, received) for at in range(6, 20)]
        assert first_reported(standstill, still) == reported, "more came than there are buffers: they were given back"


def test_a_death_while_nothing_moved_is_no_reason() -> None:
    standstill = Standstill()
    standstill.take(reading(0, 900))
    standstill.take(reading(1, 1000))
    for at in range(2, 10):
        standstill.take(reading(at, 1000))
    standstill.nf_died(10.0)
    assert first_reported(standstill, [reading(at, 1000) for at in range(10, 30)]) is None


def test_it_is_over_when_something_moves_again() -> None:
    standstill = Standstill()
    assert first_reported(standstill, [reading(at, 100, missed=50 * at) for at in range(10)]) == 3
    standstill.take(reading(11, 200, missed=600))
    assert standstill.why is None
