"""What every driver must do, whatever it drives: inherit `DriverContract` and give it a `driver` fixture.

Orders here use NF types that the driver's `inventory` names, and cores that it offers. What an NF's process is, and how
one is ended, differ between drivers: `driver_basis.py` says it for one whose NFs are processes.
"""

from typing import Any

import pytest
from sextant_agent.contract.driver import Driver
from sextant_agent.contract.fingerprint import fingerprint
from sextant_agent.reporting.telemetry import rates
from sextant_domain.chains.lane import LANES, Lane
from sextant_domain.hosts.desired import DesiredChain, NfState

from .driver_profile_contract import ProfileContract
from .orders import chain, content, nf, registered
from .waiting import wait_for

HALF = Lane(of="web", number=1, weights=(1, 1))


class DriverContract(ProfileContract):
    """The five methods, as the reconciler relies on them."""

    carried_mpps = 0.05
    """What two NFs of a core carry without a loss, also while others use the core."""

    def test_inventory_is_whole_and_every_capability_has_a_reason(self, driver: Driver) -> None:
        host = driver.inventory().host
        assert host.driver == driver.name
        assert host.nodes and host.cores
        assert {port.kind for port in host.ports} >= {"source", "sink"} or any(
            port.kind == "nic" for port in host.ports
        )
        assert all(len(capability.reason) > 10 for capability in host.capabilities)

    def test_apply_runs_what_was_ordered(self, driver: Driver) -> None:
        report = driver.apply(content(self.web(driver)))
        assert not report.failures and report.done
        sample = driver.sample()
        assert {nf_id: (found.state, found.core) for nf_id, found in sample.nfs.items()} == {
            "web.router": (NfState.RUNNING, self.free_cores(driver)[0]),
            "web.simple-forward": (NfState.RUNNING, self.free_cores(driver)[0]),
        }
        wait_for("packets arrive", lambda: driver.sample().chains["web"].delivered > 0)
        assert driver.inventory().nf_types, "a running data plane says what it can run"

    def test_apply_again_does_nothing(self, driver: Driver) -> None:
        driver.apply(content(self.web(driver)))
        before = driver.sample()
        report = driver.apply(content(self.web(driver)))
        assert (report.done, dict(report.failures)) == ((), {})
        after = driver.sample()
        assert self.processes(after) == self.processes(before)
        assert after.chains["web"].instance == before.chains["web"].instance

    def test_a_changed_rate_restarts_nothing(self, driver: Driver) -> None:
        driver.apply(content(self.web(driver, rate_mpps=0.01)))
        before = driver.sample()
        driver.apply(content(self.web(driver, rate_mpps=0.04)))
        assert self.processes(driver.sample()) == self.processes(before)

        def rate() -> float:
            first = driver.sample()
            wait_for("time passes", lambda: driver.sample().taken_ns - first.taken_ns > 500_000_000)
            return rates(first, driver.sample(), {}).chains[0].offered_mpps

        if self.makes_packets(driver):
            wait_for("the new rate is offered", lambda: 0.035 < rate() < 0.045)
        assert driver.apply(content(self.web(driver, rate_mpps=0.04))).done == ()

    def test_a_chain_becomes_a_lane_and_whole_again_without_a_restart(self, driver: Driver) -> None:
        if not self.can(driver, LANES):
            pytest.skip("this driver does not divide flows over lanes")
        whole = self.web(driver)
        driver.apply(content(whole))
        before = driver.sample()
        lane = whole.model_copy(update={"traffic": whole.traffic.model_copy(update={"lane": HALF})})
        for order in (lane, whole):
            assert len(driver.apply(content(order)).done) == 1
            passed = driver.sample().chains["web"].delivered
            wait_for("packets", lambda: driver.sample().chains["web"].delivered > passed)  # noqa: B023 - at once
            assert driver.apply(content(order)).done == ()
        after = driver.sample()
        assert self.processes(after) == self.processes(before)
        assert after.chains["web"].instance == before.chains["web"].instance

    def test_a_move_keeps_the_process_and_is_true(self, driver: Driver) -> None:
        cores = self.free_cores(driver)
        if len(cores) < 2:
            pytest.skip("this host offers one core only: there is nowhere to move")
        driver.apply(content(self.web(driver, core=cores[0])))
        before = driver.sample()
        report = driver.apply(content(self.web(driver, core=cores[1])))
        assert not report.failures
        after = driver.sample()
        assert self.processes(after) == self.processes(before)
        assert {found.core for found in after.nfs.values()} == {cores[1]}
        for found in after.nfs.values():
            self.assert_pinned(found, cores[1])

    def test_a_changed_configuration_replaces_the_chain(self, driver: Driver) -> None:
        driver.apply(content(self.web(driver)))
        before = driver.sample()
        driver.apply(content(self.web(driver, loops=50)))
        after = driver.sample()
        assert set(self.processes(after).values()).isdisjoint(self.processes(before).values())
        assert after.chains["web"].instance != before.chains["web"].instance

    def test_a_registered_type_runs_the_program_it_names(self, driver: Driver) -> None:
        """Its name is the operator's: nothing here knows it. What runs for it is part of what a chain is."""
        core = self.free_cores(driver)[0]

        def edge(built_in: str, **config: Any) -> DesiredChain:
            return chain("web", registered("edge-nf", nf("web", built_in, core=core, **config), version=3))

        def instance() -> int:
            return driver.sample().chains["web"].instance

        assert not driver.apply(content(edge("firewall", synthetic_rules=50))).failures
        wait_for("packets arrive", lambda: driver.sample().chains["web"].delivered > 0)
        (found,) = driver.sample().nfs.values()
        assert (found.nf_type, found.state) == ("firewall", NfState.RUNNING)
        before = instance()
        assert driver.apply(content(edge("firewall", synthetic_rules=50))).done == ()
        assert not driver.apply(content(edge("simple-forward", loops=3))).failures
        assert instance() != before
        plain = chain("web", nf("web", "simple-forward", core=core, loops=3))
        registered_again = driver.sample().chains["web"].fingerprint
        assert registered_again and registered_again.structure != fingerprint(plain).structure

    def test_changed_backends_lose_no_packet_and_restart_nothing(self, driver: Driver) -> None:
        """Ten times from three backends to two and back while packets flow: the process stays, every packet arrives."""
        if not self.can(driver, "configure"):
            pytest.skip("not with this driver")
        every = [{"address": f"10.200.0.{number}", "weight": 1} for number in (1, 2, 3)]
        core = self.free_cores(driver)[0]

        def balanced(*backends: dict[str, Any], rate_mpps: float = self.carried_mpps) -> DesiredChain:
            balancer = nf("web", "load-balancer", core=core, backends=list(backends))
            return chain("web", balancer, nf("web", "simple-forward", core=core, slot=1), rate_mpps=rate_mpps)

        driver.apply(content(balanced(*every)))
        before = driver.sample()
        for turn in range(10):
            delivered = driver.sample().chains["web"].delivered
            wait_for("packets arrive", lambda seen=delivered: driver.sample().chains["web"].delivered > seen + 500)
            wanted = content(balanced(*every[: 2 + turn % 2]))
            assert driver.apply(wanted).done == ("changed backends of web.load-balancer while it runs",)
            assert driver.apply(wanted).done == (), "and that is that"
        driver.apply(content(balanced(*every, rate_mpps=0.0)))

        def settled() -> bool:
            now = driver.sample().chains["web"]
            return now.offered > 5000 and now.offered == now.delivered + now.source_drops

        wait_for("every packet that entered has arrived", settled)
        after = driver.sample()
        assert self.processes(after) == self.processes(before)
        assert after.chains["web"].instance == before.chains["web"].instance
        assert [(found.drops, found.filtered) for found in after.nfs.values()] == [(0, 0), (0, 0)]

    def test_another_execution_regroups_without_a_restart(self, driver: Driver) -> None:
        if not self.can(driver, "run-to-completion"):
            pytest.skip("this driver runs every NF in a process of its own")
        driver.apply(content(self.web(driver)))
        before = wait_for("packets", lambda: s if (s := driver.sample()).chains["web"].delivered else None)
        together = content(self.web(driver, execution="run-to-completion"))
        assert not driver.apply(together).failures
        after = driver.sample()
        assert len(set(self.processes(after).values())) == 1
        assert len({found.group for found in after.nfs.values()}) == 1
        assert after.chains["web"].instance == before.chains["web"].instance, "no packet was lost to a replacement"
        assert {found.starts for found in after.nfs.values()} == {1}
        assert driver.apply(together).done == ()
        driver.apply(content(self.web(driver)))
        assert len(set(self.processes(driver.sample()).values())) == 2

    def test_nfs_that_share_a_process_are_restarted_together(self, driver: Driver) -> None:
        if not self.can(driver, "run-to-completion"):
            pytest.skip("this driver runs every NF in a process of its own")
        order = content(self.web(driver, execution="run-to-completion"))
        driver.apply(order)
        self.crash(driver, "web.router")
        crashed = {NfState.CRASHED}
        wait_for("both are seen", lambda: {found.state for found in driver.sample().nfs.values()} == crashed)
        report = driver.apply(order)
        assert (len(report.done), dict(report.failures)) == (1, {})
        assert {(found.state, found.starts) for found in driver.sample().nfs.values()} == {(NfState.RUNNING, 2)}

    def test_nfs_that_share_a_process_can_part(self, driver: Driver) -> None:
        cores = self.free_cores(driver)
        if len(cores) < 2 or not self.can(driver, "run-to-completion"):
            pytest.skip("needs two cores and run to completion")
        together = self.web(driver, core=cores[0], execution="run-to-completion")
        apart = together.model_copy(
            update={"nfs": (together.nfs[0], together.nfs[1].model_copy(update={"core": cores[1]}))}
        )
        other_side = self.web(driver, core=cores[1], execution="run-to-completion")
        driver.apply(content(together))
        for order, processes in ((apart, 2), (other_side, 1), (together, 1)):
            assert not driver.apply(content(order)).failures
            found = driver.sample().nfs
            assert [found[nf.nf_id].core for nf in order.nfs] == [nf.core for nf in order.nfs]
            assert len(set(self.processes(driver.sample()).values())) == processes
        assert {nf.starts for nf in found.values()} == {1}

    def test_a_paused_chain_gets_no_packets_and_keeps_its_processes(self, driver: Driver) -> None:
        if not self.can(driver, "pause"):
            pytest.skip("this driver does not make the packets itself")
        driver.apply(content(self.web(driver)))
        wait_for("packets", lambda: driver.sample().chains["web"].delivered)
        paused = content(self.web(driver, paused=True))
        assert len(driver.apply(paused).done) == 1
        before = driver.sample()
        assert driver.apply(paused).done == ()
        after = driver.sample()
        assert after.chains["web"].paused and after.chains["web"].offered == before.chains["web"].offered
        assert len(driver.apply(content(self.web(driver))).done) == 1
        wait_for("packets again", lambda: driver.sample().chains["web"].delivered > after.chains["web"].delivered + 100)
        assert self.processes(driver.sample()) == self.processes(before)
        resumed = driver.sample()
        assert resumed.chains["web"].source_drops == 0
        later = wait_for("time passes", lambda: s if (s := driver.sample()).taken_ns > resumed.taken_ns else None)
        reported = [chain.paused for pair in ((after, resumed), (resumed, later)) for chain in rates(*pair, {}).chains]
        assert reported == [True, False], "the first interval is not to be judged"

    def test_a_chain_ordered_as_paused_begins_so(self, driver: Driver) -> None:
        if not self.can(driver, "pause"):
            pytest.skip("this driver does not make the packets itself")
        assert len(driver.apply(content(self.web(driver, paused=True))).done) == 1
        found = driver.sample().chains["web"]
        assert (found.paused, found.offered) == (True, 0)

    def test_what_is_not_ordered_goes(self, driver: Driver) -> None:
        core, slot = self.beside_web(driver)
        other = chain("other", nf("other", "router", core=core, slot=slot))
        driver.apply(content(other, self.web(driver)))
        before = driver.sample()
        driver.apply(content(other))
        after = driver.sample()
        assert set(after.chains) == {"other"}
        assert self.processes(after) == {"other.router": self.process(before, "other.router")}, (
            "the other one is not touched"
        )
        driver.apply(content())
        assert not driver.sample().nfs

    def test_one_chains_failure_stops_no_other(self, driver: Driver) -> None:
        bad = chain("bad", nf("bad", "teleporter", core=self.free_cores(driver)[0], slot=3))
        report = driver.apply(content(bad, self.web(driver)))
        assert set(report.failures) == {"bad"}
        assert report.failures["bad"].permanent
        assert set(driver.sample().chains) == {"web"}, "nothing of the failed chain is left"

    def test_what_is_on_hold_is_left_alone(self, driver: Driver) -> None:
        assert driver.apply(content(self.web(driver)), hold=frozenset({"web"})).done == ()
        assert not driver.sample().chains

    def test_a_crashed_nf_is_reported_and_restarted_by_the_next_apply(self, driver: Driver) -> None:
        order = content(self.web(driver))
        driver.apply(order)
        victim = driver.sample().nfs["web.router"]
        self.crash(driver, "web.router")
        wait_for("the crash is seen", lambda: driver.sample().nfs["web.router"].state is NfState.CRASHED)
        assert self.exit_text in (driver.sample().nfs["web.router"].exit or "")
        assert driver.apply(order, hold=frozenset({"web.router"})).done == ()
        assert len(driver.apply(order).done) == 1
        found = driver.sample().nfs["web.router"]
        assert (found.state, found.starts, found.core) == (NfState.RUNNING, 2, victim.core)
        before = driver.sample().chains["web"].delivered
        wait_for("packets flow again", lambda: driver.sample().chains["web"].delivered > before + 100)

    def test_counters_only_rise_and_latencies_are_counted(self, driver: Driver) -> None:
        driver.apply(content(self.web(driver)))
        first = wait_for("packets", lambda: s if (s := driver.sample()).chains["web"].delivered else None)
        wait_for("more packets", lambda: driver.sample().chains["web"].delivered > first.chains["web"].delivered)
        second = driver.sample()
        for name in ("offered", "sent", "delivered", "source_drops"):
            assert getattr(second.chains["web"], name) >= getattr(first.chains["web"], name)
        for name in ("rx", "tx", "drops", "filtered", "cycles", "cpu_ns"):
            assert getattr(second.nfs["web.router"], name) >= getattr(first.nfs["web.router"], name)
        counts = second.chains["web"].latency_counts
        if self.says_it_cannot(driver, "latency"):
            assert (counts, second.latency_bounds_ns) == ((), ())
            return
        assert len(counts) == len(second.latency_bounds_ns) + 1
        assert sum(counts) > 0
        assert list(second.latency_bounds_ns) == sorted(set(second.latency_bounds_ns))

    def test_close_stops_no_packets(self, driver: Driver) -> None:
        driver.apply(content(self.web(driver)))
        before = self.processes(driver.sample())
        driver.close()
        driver.apply(content(self.web(driver)))
        assert self.processes(driver.sample()) == before
