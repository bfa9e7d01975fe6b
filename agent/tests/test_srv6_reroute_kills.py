"""The agent of edge-1, a process of its own, is killed before, while and after a link of the diamond is cut: packets go
on, and its successor ends where it belongs. No console is there, but for the last test."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.controllers.way_changes import KeptWays
from sextant_agent.kit.kept_file import KeptFile
from sextant_domain.hosts.chain_way import WayChangeKind, WayState
from sextant_domain.hosts.telemetry import TelemetryBatch

from .agent_process import AgentProcess
from .fleet import FleetListener
from .orders import HOST, content, order
from .pki import Authority
from .srv6_diamond import NORTH, SOUTH, Diamond, diamond_of, first_part, last_part
from .srv6_host import PROGRAMS, why_not
from .waiting import wait_for

pytestmark = pytest.mark.skipif((reason := why_not()) is not None, reason=f"not here: {reason}")


class Killed:
    """edge-1's agent on the diamond; edge-4's driver is the test's."""

    def __init__(self, diamond: Diamond, authority: Authority, fleet_url: str | None = None) -> None:
        self.diamond = diamond
        place, folder = diamond.hosts[0].place, diamond.folder
        file = folder / "srv6.toml"
        file.write_text(
            f'daemon = "{place.daemon}"\nprograms = {[str(one) for one in PROGRAMS]}\nlocator = "{place.locator}"\n'
            f"sources = {[str(one) for one in place.sources]}\nreturn_after_s = {place.return_after_s}\n"
            + "".join(
                f'[[link]]\nport = "{link.port}"\nmac = "{link.mac}"\nto = {[str(one) for one in link.to]}\n'
                for link in place.link
            )
        )
        diamond.first.close()
        self.agent = AgentProcess(folder / "edge-1", authority, Path("/nowhere"), fleet_url)
        self.agent.environment |= {"SEXTANT_AGENT_DRIVER": "srv6", "SEXTANT_AGENT_SRV6": str(file)}
        self.agent.start()

    def begin(self) -> None:
        assert not self.diamond.last.apply(content(last_part("web", 7))).failures
        self.agent.converge(order(1, first_part("web", 7)))
        self.diamond.await_packets()

    def port(self) -> str | None:
        """As the kernel has it."""
        driver = self.diamond.successor()
        (way,) = driver.chain_ways()
        driver.close()
        return way.port

    def await_port(self, port: str) -> None:
        wait_for(f"packets take {port}", lambda: self.port() == port)


@pytest.fixture
def killed(tmp_path: Path, authority: Authority) -> Iterator[Killed]:
    with diamond_of(tmp_path) as diamond:
        killed = Killed(diamond, authority)
        killed.begin()
        yield killed
        if killed.agent.process is not None and killed.agent.process.poll() is None:
            killed.agent.kill()


def test_killed_before_the_cut_its_successor_leads(killed: Killed) -> None:
    killed.agent.kill()
    killed.diamond.set_link("down")
    assert killed.port() == NORTH
    killed.agent.start()
    killed.await_port(SOUTH)
    killed.diamond.await_packets()
    killed.diamond.set_link("up")
    killed.await_port(NORTH)
    killed.diamond.await_packets()


@pytest.mark.parametrize("delay_ms", [0, 5, 20])
def test_killed_while_it_leads_its_successor_ends_what_it_began(killed: Killed, delay_ms: int) -> None:
    assert killed.agent.process is not None
    pid = killed.agent.process.pid
    later = threading.Timer(delay_ms / 1000, os.kill, (pid, 9))
    later.start()
    killed.diamond.set_link("down")
    later.join()
    killed.agent.process.wait(timeout=60)
    killed.agent.start()
    killed.await_port(SOUTH)
    killed.diamond.await_packets()
    killed.agent.converge()


def test_killed_after_the_cut_packets_go_on_and_its_successor_leads_back(killed: Killed) -> None:
    killed.diamond.set_link("down")
    killed.await_port(SOUTH)
    killed.agent.kill()
    killed.diamond.await_packets()
    killed.diamond.set_link("up")
    killed.agent.start()
    killed.await_port(NORTH)
    killed.diamond.await_packets()
    assert killed.agent.actual().phase == "converged"
    kept = KeptWays()

    def is_kept() -> bool:
        nonlocal kept
        kept = KeptFile(killed.agent.state / "ways.json", KeptWays, "changed ways are").read()
        return any(change.kind is WayChangeKind.RETURNED for change in kept.changes)

    wait_for("it is kept for people", is_kept)
    assert [change.after for change in kept.changes][-1] == NORTH


def test_while_all_laws_are_stopped_it_leads_and_reports_what_it_did(
    tmp_path: Path, authority: Authority, fleet: FleetListener
) -> None:
    fleet.laws_stopped = {HOST: "all are stopped"}
    with diamond_of(tmp_path) as diamond:
        reporting = Killed(diamond, authority, fleet.url)
        reporting.begin()
        try:
            diamond.set_link("down")

            def told() -> TelemetryBatch | None:
                return next((one for one in fleet.batches if one.way_changes and one.chains), None)

            batch = wait_for("it is reported", told)
            assert batch is not None
            (change,) = batch.way_changes
            assert (change.chain, change.kind, change.after) == ("web", WayChangeKind.CUT, SOUTH)
            (way,) = batch.chains[0].ways
            assert (way.link, way.state, way.why) == (SOUTH, WayState.OTHER, f"{NORTH} has no carrier")
        finally:
            reporting.agent.kill()
