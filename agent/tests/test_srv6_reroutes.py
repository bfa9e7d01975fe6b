"""Links of a diamond are cut while packets flow: edge-1 leads its chains over the other one, and back. A packet is sent
each 200 us."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.drivers.srv6.driver import Srv6Driver
from sextant_domain.hosts.chain_way import WayChangeKind, WayState

from .orders import content
from .srv6_diamond import MPPS, NORTH, RETURN_S, SOUTH, Diamond, Leading, diamond_of, first_part
from .srv6_host import shell, why_not
from .waiting import wait_for

pytestmark = pytest.mark.skipif((reason := why_not()) is not None, reason=f"not here: {reason}")

MOST_GAP_S = 1.0
"""On a machine that does much else; on a quiet one it takes some 10 ms."""
CUT, RETURNED, LOST, RESTORED = (
    WayChangeKind.CUT, WayChangeKind.RETURNED, WayChangeKind.LOST, WayChangeKind.RESTORED
)  # fmt: skip


@pytest.fixture
def diamond(tmp_path: Path) -> Iterator[Diamond]:
    with diamond_of(tmp_path) as diamond:
        yield diamond


@pytest.fixture
def leading(diamond: Diamond) -> Iterator[Leading]:
    leading = Leading(diamond)
    yield leading
    leading.loop.stop()


def kinds(leading: Leading, name: str = "web") -> list[WayChangeKind]:
    return [change.kind for change in leading.changes() if change.chain == name]


@pytest.mark.parametrize("far", [False, True], ids=["at-this-end", "at-the-far-end"])
def test_a_cut_link_is_left_for_the_other_and_gone_back_to_without_a_loss(
    diamond: Diamond, leading: Leading, far: bool
) -> None:
    """What is lost is what was sent within the gap; of the way back nothing is."""
    diamond.begin("web")
    preferred = leading.await_state(WayState.PREFERRED)
    assert (preferred.link, preferred.links, preferred.why) == (NORTH, (NORTH, SOUTH), None)
    assert diamond.lost() == 0
    diamond.set_link("down", far=far)
    other = leading.await_state(WayState.OTHER)
    assert (other.to, other.link, other.why) == ("web.simple-forward", SOUTH, f"{NORTH} has no carrier")
    diamond.await_packets()
    lost = diamond.lost()
    (change,) = leading.changes()
    assert (change.kind, change.before, change.after) == (CUT, NORTH, SOUTH)
    assert lost <= MOST_GAP_S * MPPS * 1e6
    print(f"lost {lost} packets, so a gap of {lost / MPPS / 1e3:.1f} ms; acted within {change.took_us / 1e3:.1f} ms")
    diamond.set_link("up", far=far)
    back = leading.await_state(WayState.PREFERRED)
    assert (back.link, back.why) == (NORTH, f"{NORTH} has been well for long enough")
    assert kinds(leading) == [CUT, RETURNED]
    apart = leading.changes()[1].at - change.at
    assert apart.total_seconds() >= RETURN_S
    diamond.await_packets()
    assert diamond.lost() == lost


def test_where_both_are_cut_it_is_said_and_packets_go_on_by_the_first_that_is_back(
    diamond: Diamond, leading: Leading
) -> None:
    diamond.begin("web")
    diamond.set_link("down", NORTH)
    leading.await_state(WayState.OTHER)
    diamond.set_link("down", SOUTH)
    cut = leading.await_state(WayState.CUT)
    assert (cut.link, cut.why) == (SOUTH, f"none of {NORTH}, {SOUTH} has a carrier")
    sample = leading.batch("web").chains[0]
    assert (sample.offered_mpps, sample.delivered_mpps, sample.drop_mpps) == (MPPS, 0, MPPS), "nothing is delivered"
    diamond.set_link("up", NORTH)
    assert leading.await_state(WayState.PREFERRED).link == NORTH
    assert leading.batch("web").chains[0].delivered_mpps == MPPS
    diamond.await_packets()
    assert kinds(leading) == [CUT, LOST, CUT]


def test_where_the_link_that_it_took_is_back_first_it_goes_on_by_that(diamond: Diamond, leading: Leading) -> None:
    diamond.begin("web")
    diamond.set_link("down", SOUTH)
    diamond.set_link("down", NORTH)
    leading.await_state(WayState.CUT)
    diamond.set_link("up", NORTH)
    leading.await_state(WayState.PREFERRED)
    assert kinds(leading) == [LOST, RESTORED]
    diamond.await_packets()


def test_two_chains_are_both_led_round_a_cut(diamond: Diamond, leading: Leading) -> None:
    diamond.begin("dns", "web")
    diamond.set_link("down")
    for name in ("dns", "web"):
        leading.await_state(WayState.OTHER, name)
        diamond.await_packets(name)
        assert kinds(leading, name) == [CUT]


def test_a_chain_that_comes_while_a_link_is_cut_takes_the_other_at_once(diamond: Diamond, leading: Leading) -> None:
    diamond.set_link("down")
    diamond.begin("web")
    assert leading.await_state(WayState.OTHER).link == SOUTH
    assert kinds(leading) == []


def test_of_a_chain_that_goes_while_links_flap_nothing_is_left(diamond: Diamond, leading: Leading) -> None:
    diamond.begin("web")
    for turn in range(6):
        diamond.set_link("down" if turn % 2 == 0 else "up")
        diamond.first.apply(content() if turn % 2 == 0 else content(first_part("web", 7)))
    diamond.first.apply(content())
    wait_for("no way is said", lambda: leading.way() is None)
    assert diamond.first.chain_ways() == []
    assert "lead" not in (diamond.folder / "daemon.log").read_text()


def test_while_the_daemon_is_silent_that_is_said_and_its_successor_leads_on(diamond: Diamond, leading: Leading) -> None:
    diamond.begin("web")
    leading.await_state(WayState.PREFERRED)
    diamond.hosts[0].end(9)
    unknown = leading.await_state(WayState.UNKNOWN)
    assert unknown.link == NORTH and "sextant-srv6 does not answer" in (unknown.why or "")
    diamond.set_link("down")
    fresh = Leading(diamond, diamond.successor())
    assert fresh.await_state(WayState.UNKNOWN).link is None, "one that has never seen it says so, too"
    fresh.loop.stop()
    diamond.hosts[0].start()
    wait_for("its driver is answered", lambda: diamond.first.sample().note is None)
    assert leading.await_state(WayState.OTHER).link == SOUTH
    diamond.await_packets()


def test_a_successor_of_this_part_finds_what_was_led_and_goes_back_after_the_hold(diamond: Diamond) -> None:
    """It dies, the cut comes, a successor leads; it dies, and the link is back: the next one finds the way as it is,
    with when and why it was changed."""
    diamond.begin("web")
    first = Leading(diamond)
    first.await_state(WayState.PREFERRED)
    first.loop.stop()
    diamond.set_link("down")
    second = Leading(diamond)
    second.await_state(WayState.OTHER)
    second.ways.save()
    second.loop.stop()
    third = Leading(diamond, diamond.successor())
    found = third.await_state(WayState.OTHER)
    assert found.why == f"{NORTH} has no carrier" and found.since is not None
    diamond.set_link("up")
    third.await_state(WayState.PREFERRED)
    assert kinds(third) == [CUT, RETURNED]
    third.loop.stop()


def test_a_queue_that_lasts_leads_a_chain_over_the_link_that_has_none(diamond: Diamond) -> None:
    """5000 packets of 182 bytes a second are 7.3 Mbit/s: a link of 4 cannot carry them."""
    one = diamond.hosts[0]
    slow = one.place.model_copy(update={"slow_packets": 20, "slow_after_s": 0.5})
    try:
        shell("tc", "-n", one.namespace, "qdisc", "replace", "dev", NORTH, "root", "tbf", "rate", "4mbit",
              "burst", "16k", "latency", "100ms")  # fmt: skip
    except subprocess.CalledProcessError:
        pytest.skip("this kernel lacks sch_tbf")
    diamond.first = diamond.drivers[0] = Srv6Driver("edge-1", diamond.folder / "edge-1", slow)
    diamond.begin("web")
    leading = Leading(diamond)
    other = leading.await_state(WayState.OTHER)
    assert other.link == SOUTH and f"packets wait at {NORTH}, none at {SOUTH}" in (other.why or "")
    assert kinds(leading)[0] is WayChangeKind.SLOW
    diamond.await_packets()
    leading.loop.stop()
