"""The driver of measured packets against its real daemon, NFs, sources and sinks: the contract, and what is its own."""

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.contract.driver import CapturesPackets, Driver
from sextant_agent.contract.errors import DataPlaneDown, DriverError
from sextant_agent.contract.sample import HostSample
from sextant_agent.kit.line_client import ANSWER_TIMEOUT_S
from sextant_agent.reporting.telemetry import rates
from sextant_domain.chains.chain import Ingress
from sextant_domain.chains.match import Match
from sextant_domain.chains.part import OVER_HOSTS
from sextant_domain.hosts.desired import DesiredNf, NfState

from .driver_contract import DriverContract
from .orders import HOST, chain, content, nf
from .srv6_host import Srv6Host, new_driver, srv6_host, why_not
from .waiting import wait_for

pytestmark = pytest.mark.skipif((reason := why_not()) is not None, reason=f"not here: {reason}")


@pytest.fixture
def measured(tmp_path: Path) -> Iterator[Srv6Host]:
    with srv6_host(tmp_path) as host:
        yield host


@pytest.fixture
def driver(measured: Srv6Host, tmp_path: Path) -> Iterator[Driver]:
    driver = new_driver(measured, tmp_path)
    yield driver
    if measured.process is None:
        measured.start()
    driver.apply(content())
    driver.close()


class TestSrv6Driver(DriverContract):
    """Every test of the contract, and these."""

    carried_mpps = 0.01
    """A core has some 40,000 packets a second for all NFs on it (docs/srv6.md), and NFs drop what waits for long."""

    def test_a_successor_adopts_without_touching(self, driver: Driver, measured: Srv6Host, tmp_path: Path) -> None:
        driver.apply(content(self.web(driver)))
        before = driver.sample()
        driver.close()
        successor = new_driver(measured, tmp_path)
        assert successor.apply(content(self.web(driver))).done == ()
        after = successor.sample()
        assert self.processes(after) == self.processes(before)
        assert after.chains["web"].instance == before.chains["web"].instance
        wait_for("packets", lambda: successor.sample().chains["web"].delivered > after.chains["web"].delivered)

    def test_packets_go_on_without_the_daemon_and_its_successor_adopts(
        self, driver: Driver, measured: Srv6Host
    ) -> None:
        driver.apply(content(self.web(driver)))
        wait_for("packets", lambda: driver.sample().chains["web"].delivered > 100)
        measured.end(signal.SIGKILL)
        seen = driver.sample()
        assert seen.note is not None and seen.note.startswith("packets go on, and nothing can be changed:")
        wait_for("packets", lambda: driver.sample().chains["web"].delivered > seen.chains["web"].delivered + 100)
        with pytest.raises(DataPlaneDown, match="start it as root: sextant-srv6"):
            driver.apply(content(self.web(driver)))
        assert self.says_it_cannot(driver, OVER_HOSTS)
        measured.start()
        assert driver.apply(content(self.web(driver))).done == ()
        later = driver.sample()
        assert self.processes(later) == self.processes(seen) and later.note is None

    def test_packets_that_leave_are_captured_with_what_each_nf_wrote(self, driver: Driver) -> None:
        assert isinstance(driver, CapturesPackets)
        driver.apply(content(chain("web", *self.two_nfs(driver), rate_mpps=0.002)))
        wait_for("packets", lambda: driver.sample().chains["web"].delivered > 100)
        packets = driver.capture("web", 20)
        assert len(packets) == 20
        for packet in packets:
            assert [(hop.nf_id, hop.device) for hop in packet.path] == [("web.router", 1), ("web.nids", 2)]
            assert all((hop.nf_latency_us or 0.0) > 0 for hop in packet.path)
            assert packet.headers.startswith("6") and len(packet.headers) == 2 * (56 + 16 * 3)
        counted = [[hop.port_counter or 0 for hop in packet.path] for packet in packets]
        assert counted == sorted(counted) and len({tuple(one) for one in counted}) == 20, "one after the other"
        with pytest.raises(DriverError, match="dns does not run here"):
            driver.capture("dns", 1)

    def test_a_capture_of_a_chain_without_packets_ends_by_itself(self, driver: Driver) -> None:
        assert isinstance(driver, CapturesPackets)
        driver.apply(content(chain("web", *self.two_nfs(driver), rate_mpps=0.002, paused=True)))
        assert driver.capture("web", 1) == ()

    def two_nfs(self, driver: Driver) -> list[DesiredNf]:
        """Of web, on one core."""
        core = self.free_cores(driver)[0]
        return [nf("web", kind, core=core, slot=at) for at, kind in enumerate(("router", "nids"))]

    def test_a_chain_that_is_too_long_is_refused_for_good(self, driver: Driver) -> None:
        core = self.free_cores(driver)[0]
        nfs = [
            nf("long", "simple-forward", core=core, slot=at).model_copy(update={"nf_id": f"long.n{at}"})
            for at in range(8)
        ]
        report = driver.apply(content(chain("long", *nfs)))
        assert report.failures["long"].permanent
        assert "room for 7 NFs' measurements, and the chain has 8" in report.failures["long"].message

    def test_a_configuration_that_is_refused_is_refused_for_good(self, driver: Driver, measured: Srv6Host) -> None:
        core = self.free_cores(driver)[0]
        report = driver.apply(content(chain("bad", nf("bad", "router", core=core, routes="none")), self.web(driver)))
        assert report.failures["bad"].permanent
        assert "bad.router does not start: config.routes" in report.failures["bad"].message
        assert set(driver.sample().chains) == {"web"}
        assert "bad" not in measured.links()

    def test_packets_of_ipv6_go_through_and_are_measured(self, driver: Driver) -> None:
        match = Match.model_validate({"src_prefix": "2001:db8:1::/48", "dst_prefix": "2001:db8:2::/48"})
        web = self.web(driver)
        traffic = web.traffic.model_copy(update={"packet_bytes": 128})
        driver.apply(content(web.model_copy(update={"ingress": Ingress(match=match), "traffic": traffic})))
        wait_for("packets", lambda: driver.sample().chains["web"].delivered > 100)
        found = driver.sample()
        assert found.nfs["web.router"].rx > 100 and found.nfs["web.router"].drops == 0

    def test_packets_say_how_long_each_nf_had_them(self, driver: Driver) -> None:
        """In the order in which they pass, from agent to report; an NF that stands still is known by what it owes."""
        driver.apply(content(self.web(driver)))
        before = wait_for("packets", lambda: s if (s := driver.sample()).chains["web"].delivered > 100 else None)

        def each_gave_some_back() -> HostSample | None:
            found = driver.sample()
            return found if all(hop.p50_us is not None for hop in found.chains["web"].path or ()) else None

        now = wait_for("each NF gave packets back since the sample before", each_gave_some_back)
        (web,) = rates(before, now, {}).chains
        assert web.path is not None
        assert [(hop.device, hop.nf_id) for hop in web.path] == [
            (HOST, "web.router"), (HOST, "web.simple-forward"),
        ]  # fmt: skip
        for hop in web.path:
            assert hop.latency_us is not None and hop.p95_us is not None and hop.most_us is not None
            assert 0 < hop.latency_us <= hop.p95_us <= hop.most_us
        os.kill(now.nfs["web.router"].pid or 0, signal.SIGSTOP)
        try:

            def waits() -> float:
                path = driver.sample().chains["web"].path
                assert path is not None
                return path[0].waits_us or 0.0

            wait_for("it owes packets", lambda: waits() > 300_000)
            began = time.monotonic()
            assert all(waits() for _ in range(10))
            assert time.monotonic() - began < ANSWER_TIMEOUT_S, "ten samples, in which it was asked once each"
        finally:
            os.kill(now.nfs["web.router"].pid or 0, signal.SIGCONT)
        wait_for("it gives them back", lambda: waits() < 100_000)

    def test_a_source_that_is_killed_has_the_chain_added_again(self, driver: Driver, tmp_path: Path) -> None:
        driver.apply(content(self.web(driver)))
        wait_for("packets", lambda: driver.sample().chains["web"].delivered > 0)
        record = json.loads((tmp_path / "state/srv6/record.json").read_text())
        os.kill(record["chains"]["web"]["packet_source"]["pid"], signal.SIGKILL)
        wait_for("it is seen", lambda: driver.sample().chains["web"].fingerprint is None)
        assert driver.apply(content(self.web(driver))).done
        wait_for("packets", lambda: driver.sample().chains["web"].delivered > 0)
        assert {found.state for found in driver.sample().nfs.values()} == {NfState.RUNNING}

    def test_what_no_record_names_is_gone(self, driver: Driver, measured: Srv6Host, tmp_path: Path) -> None:
        """Whoever died between starting something and writing it down leaves it behind."""
        driver.apply(content(self.web(driver)))
        pids = [found.pid for found in driver.sample().nfs.values()]
        (tmp_path / "state/srv6/record.json").unlink()
        successor = new_driver(measured, tmp_path)
        successor.apply(content())
        assert not successor.sample().chains
        assert all(pid is not None and not Path(f"/proc/{pid}").exists() for pid in pids)
