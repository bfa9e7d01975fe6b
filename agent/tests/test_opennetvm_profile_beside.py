"""What competitors take from an NF of OpenNetVM: which managers they have, and the driver over the double."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.contract.errors import DriverError
from sextant_agent.drivers.opennetvm.driver import OpenNetVmDriver
from sextant_agent.drivers.opennetvm.processes import of_prefix
from sextant_agent.drivers.opennetvm.profiling.competitors import Competitors
from sextant_agent.drivers.opennetvm.profiling.places import places_for
from sextant_agent.drivers.opennetvm.profiling.rig import ProfilingRig, profiling_places
from sextant_agent.machine.proc import command_line, read_stat
from sextant_agent.measuring.watch import MeasurementCancelled, MeasurementWatch
from sextant_domain.base import Provenance
from sextant_domain.hosts.host import PROFILING_COLOCATION
from sextant_domain.profiling.profile import ProfiledNf, ProfileProgress, ProfileRequest, ProfileTraffic

from .opennetvm_host import FIRST, SECOND, DoubleHost, double_host, manager, name_of, needs_two_cpus
from .orders import nf

LITTLE = 0.0005
"""Of its core, what the double's packet thread must have: it takes a fiftieth of what OpenNetVM's would."""


def one(nf_type: str, core: int, **traffic: object) -> ProfiledNf:
    return ProfiledNf(
        nf_type=nf_type, core=core, traffic=ProfileTraffic.model_validate({"flows": 100, **traffic}),
        config=nf("web", nf_type).config,
    )  # fmt: skip


def asked(*others: ProfiledNf, **changes: object) -> ProfileRequest:
    fields = {
        "mode": "colocation", "nf": one("firewall", SECOND), "others": others, "pairs": 2, "half_width_percent": 50.0,
        "max_samples": 3, **changes,
    }  # fmt: skip
    return ProfileRequest.model_validate(fields)


@pytest.fixture
def host(tmp_path: Path) -> Iterator[DoubleHost]:
    """Two managers, with a CPU for NFs each."""
    needs_two_cpus()
    sides = manager("west", [SECOND]), manager("east", [FIRST])
    with double_host(tmp_path, *sides, time=0.1, cost_ns={"firewall": 500, "simple_forward": 500}) as host:
        yield host
        for pid in remains(host):
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def driver(host: DoubleHost) -> OpenNetVmDriver:
    return host.driver(own_share=LITTLE)


def remains(host: DoubleHost) -> list[int]:
    """Processes of measurements, spinners included."""
    return [running.pid for place in profiling_places(host.installation) for running in of_prefix(place.prefix)]


def state_of(pid: int) -> str:
    """T: it is stopped."""
    stat = read_stat(pid)
    return "" if stat is None else stat.state


def test_each_nf_has_the_manager_of_its_core_and_else_one_of_its_node(tmp_path: Path) -> None:
    """CPUs 0-3 are node 0's, 4-7 node 1's. The second NF on a core of west has south, which is on its node, too."""
    west = manager("west", [1, 2], cpus=[0, 0, 0])
    east = manager("east", [5, 6], cpus=[4, 4, 4])
    south = manager("south", [3], cpus=[0, 0, 0])
    node_of = {cpu: cpu // 4 for cpu in range(8)}
    with double_host(tmp_path, west, east, south) as host:
        found = places_for(host.installation, [one("firewall", core) for core in (1, 2, 5)], node_of)
        assert found is not None
        assert [place.name for place in found] == [f"p{name_of(side)}"[:12] for side in ("west", "south", "east")]
        assert [place.nf_cpus for place in found] == [(1,), (2,), (5,)]
        assert places_for(host.installation, [one("firewall", core) for core in (1, 2, 5, 6)], node_of) is None


def test_an_nf_beside_a_competitor_has_both_figures_and_nothing_is_left(
    host: DoubleHost, driver: OpenNetVmDriver
) -> None:
    """Both take 2 M of the 10 M packets a second that come, with or without the other: nothing is shared in the double,
    so what competitors take is noise."""
    found = driver.profile(asked(one("simple-forward", FIRST)), MeasurementWatch())
    assert found.nf is not None and found.beside is not None and found.throughput_drop_percent is not None
    assert (found.provenance, len(found.others), found.others[0].mpps.count) == (Provenance.MEASURED, 1, 3)
    assert found.others[0].mpps.value > 0
    assert [len(sample.throughput_drops_percent) for sample in found.samples] == [1, 1, 1], "2 pairs are a block"
    assert all(sample.clean_slices == 8 for sample in found.samples), "4 phases of 2 periods"
    assert remains(host) == []


def test_competitors_run_in_half_of_the_phases_and_are_stopped_in_the_others(
    host: DoubleHost, driver: OpenNetVmDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ABBA: without, with, with, without."""
    seen: list[tuple[bool, set[str]]] = []
    run = Competitors.run

    def watched(self: Competitors, running: bool) -> None:
        run(self, running)
        east = [pid.pid for pid in of_prefix(profiling_places(host.installation)[1].prefix)]
        there = [pid for pid in east if "while True" not in " ".join(command_line(pid))]
        seen.append((running, {"stopped" if state_of(pid) == "T" else "runs" for pid in there}))

    monkeypatch.setattr(Competitors, "run", watched)
    found = driver.profile(asked(one("simple-forward", FIRST)), MeasurementWatch())
    assert len(found.samples) == 3
    assert seen[:4] == [
        (False, {"stopped"}), (True, {"runs"}), (True, {"runs"}), (False, {"stopped"}),
    ]  # fmt: skip


def test_a_competitor_that_takes_all_that_comes_is_told(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    host.home.set(cost_ns={"firewall": 500, "simple_forward": 10}, endless_packets_per_second=4_000_000)
    found = driver.profile(asked(one("simple-forward", FIRST)), MeasurementWatch())
    assert found.notes == (
        f"simple-forward on core {FIRST} took all that its manager received: it may press harder than this",
    )


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (one("simple-forward", FIRST, rate_mpps=1.0), "others[0].traffic.rate_mpps: a competitor's packets are played"),
        (one("simple-forward", FIRST, flows=9000), "others[0].flows: OpenNetVM's packet buffers hold 8192"),
    ],
)
def test_what_cannot_be_played_to_a_competitor_is_said(driver: OpenNetVmDriver, other: ProfiledNf, reason: str) -> None:
    assert reason in (driver.profile(asked(other), MeasurementWatch()).not_measurable or "")


def test_the_host_says_how_many_competitors_it_can_have(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    inventory = driver.inventory().host
    assert (inventory.why_not(PROFILING_COLOCATION), inventory.most_competitors) == (None, 1)
    del host.entries[name_of("east")]
    alone = host.driver().inventory().host
    assert alone.most_competitors == 0
    assert "1 in opennetvm.toml, 2 needed for 1 beside it" in (alone.why_not(PROFILING_COLOCATION) or "")


def test_cancelled_while_competitors_are_stopped_it_leaves_nothing(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    def stopped() -> bool:
        return any(state_of(pid) == "T" for pid in remains(host))

    with pytest.raises(MeasurementCancelled):
        driver.profile(asked(one("simple-forward", FIRST)), MeasurementWatch(cancelled=stopped))
    assert remains(host) == []


def test_what_an_agent_that_died_has_left_stopped_ends_with_the_next_agent(
    host: DoubleHost, driver: OpenNetVmDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(progress: ProfileProgress) -> None:
        if progress.samples:
            raise Dead

    monkeypatch.setattr(ProfilingRig, "end", lambda _: None)
    with pytest.raises(Dead):
        driver.profile(asked(one("simple-forward", FIRST)), MeasurementWatch(progress=die))
    assert len(remains(host)) >= 6, "two managers, two NFs, two ways out"
    host.driver()
    assert remains(host) == []


class Dead(Exception):
    """What an agent is that does nothing more."""


def test_a_competitor_that_dies_is_no_figure(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    def strike() -> bool:
        for pid in remains(host):
            if "simple_forward" in " ".join(command_line(pid)):
                os.kill(pid, signal.SIGKILL)
        return False

    with pytest.raises(DriverError, match="simple-forward"):
        driver.profile(asked(one("simple-forward", FIRST)), MeasurementWatch(cancelled=strike))
    assert remains(host) == []
