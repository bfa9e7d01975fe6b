"""What every driver must do, whatever it drives: inherit `DriverContract` and give it a `driver` fixture.

Orders here use NF types that the driver's `inventory` names, and cores that it offers. What an NF's process is, and how
one is killed, differ between drivers: the methods before the first test say it for one whose NFs are processes.

Over 400 lines: one class to inherit, a test for each promise that the reconciler relies on.
"""

import os
import signal
from typing import Any

import pytest
from sextant_agent.contract.driver import Driver
from sextant_agent.contract.errors import CoreBusy, DriverError, NotSupported
from sextant_agent.contract.fingerprint import fingerprint
from sextant_agent.contract.sample import HostSample, NfCounters
from sextant_agent.measuring.watch import MeasurementCancelled, MeasurementWatch
from sextant_agent.reporting.telemetry import rates
from sextant_domain.base import Provenance
from sextant_domain.hosts.desired import DesiredChain, NfState
from sextant_domain.profiling.profile import ProfiledNf, ProfileMode, ProfileProgress, ProfileRequest, ProfileResult

from .orders import chain, content, nf, registered
from .waiting import wait_for


class DriverContract:
    """The five methods, as the reconciler relies on them."""

    def free_cores(self, driver: Driver) -> list[int]:
        cores = [core for core in driver.inventory().host.cores if core.slots and not core.reserved_for]
        return [core.id for core in sorted(cores, key=lambda core: core.last_choice)]

    def web(
        self, driver: Driver, core: int | None = None, rate_mpps: float = 0.02, loops: int = 0, **state: Any
    ) -> DesiredChain:
        core = self.free_cores(driver)[0] if core is None else core
        first, second = nf("web", "router", core=core), nf("web", "simple-forward", core=core, slot=1, loops=loops)
        return chain("web", first, second, rate_mpps=rate_mpps, **state)

    def can(self, driver: Driver, capability: str) -> bool:
        return any(item.name == capability and item.available for item in driver.inventory().host.capabilities)

    def says_it_cannot(self, driver: Driver, capability: str) -> bool:
        """Of what is there unless the inventory says otherwise."""
        return any(item.name == capability and not item.available for item in driver.inventory().host.capabilities)

    def makes_packets(self, driver: Driver) -> bool:
        """At the rate of the order; else they come from a port at whatever rate they come."""
        return any(port.kind == "source" for port in driver.inventory().host.ports)

    def beside_web(self, driver: Driver) -> tuple[int, int]:
        """Core and slot where a second chain can stand."""
        return self.free_cores(driver)[0], 2

    exit_text = "killed by signal 9"
    """What `crash` looks like."""
    first_stage = "calibrating"
    """Of a profile on a fresh driver."""

    def process(self, sample: HostSample, nf_id: str) -> object:
        """Equal for NFs of one process, and another whenever it was started again."""
        return sample.nfs[nf_id].pid

    def processes(self, sample: HostSample) -> dict[str, object]:
        return {nf_id: self.process(sample, nf_id) for nf_id in sample.nfs}

    def crash(self, driver: Driver, nf_id: str) -> None:
        """End the process of an NF."""
        os.kill(driver.sample().nfs[nf_id].pid or 0, signal.SIGKILL)

    def assert_pinned(self, found: NfCounters, core: int) -> None:
        """Ask whoever really knows where it may run."""
        assert found.pid and os.sched_getaffinity(found.pid) == {core}

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

        def balanced(*backends: dict[str, Any], rate_mpps: float = 0.05) -> DesiredChain:
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

    def probe(self, driver: Driver, **changes: Any) -> ProfileRequest:
        """A router alone on the core of last choice, shortly; a sandbox, since other suites run on this machine."""
        config = {"routes": [], "synthetic_routes": 10}
        nf = ProfiledNf(nf_type="router", core=self.free_cores(driver)[-1], config=config)
        fields = {"half_width_percent": 50.0, "max_samples": 3, "seconds": 0.2, "sandboxed": True, **changes}
        return ProfileRequest.model_validate({"mode": ProfileMode.SOLO, "nf": nf, **fields})

    def can_profile(self, driver: Driver) -> bool:
        """Where it cannot, it says why in the words of its inventory."""
        capability = next(c for c in driver.inventory().host.capabilities if c.name == "profiling")
        if not capability.available:
            with pytest.raises(NotSupported) as refusal:
                driver.profile(self.probe(driver), MeasurementWatch())
            assert capability.reason in str(refusal.value)
        return capability.available

    def measured(self, driver: Driver, request: ProfileRequest, watch: MeasurementWatch) -> ProfileResult:
        """Where other suites' work uses the cores there are no figures: who asks waits, here for too long."""
        try:
            return driver.profile(request, watch)
        except CoreBusy as busy:
            if "other work uses the cores" not in str(busy):
                raise
            pytest.skip(str(busy))

    def test_profile_measures_or_says_why_not(self, driver: Driver) -> None:
        if not self.can_profile(driver):
            return
        heard: list[ProfileProgress] = []
        found = self.measured(driver, self.probe(driver), MeasurementWatch(progress=heard.append))
        assert heard[0].stage == self.first_stage and heard[-1].stage == "measuring"
        assert found.request == self.probe(driver)
        assert found.fingerprint and found.counters and found.program_version and found.agent_version
        assert (found.nf is None) == (found.not_measurable is not None)
        if found.nf is not None:  # on a machine that is too busy there is the reason instead
            assert found.provenance in {Provenance.MEASURED, Provenance.SIMULATED}
            assert 0.1 < found.nf.cycles_per_packet.value < 100_000
            assert found.nf.cycles_per_packet.standard_error is not None
            assert all(sample.counter_source is found.counters.source for sample in found.samples)

    def test_profile_of_a_registered_type_is_that_of_the_program_it_names(self, driver: Driver) -> None:
        if not self.can_profile(driver):
            return
        plain = self.probe(driver).nf
        named = plain.model_copy(update={"nf_type": "edge-router", "implementation": "router"})
        found = self.measured(driver, self.probe(driver, nf=named), MeasurementWatch())
        assert found.request.nf.nf_type == "edge-router"
        assert (found.nf is None) == (found.not_measurable is not None)
        unknown = named.model_copy(update={"implementation": "teleporter"})
        with pytest.raises(DriverError, match="no NF type 'teleporter'"):
            driver.profile(self.probe(driver, nf=unknown), MeasurementWatch())

    @pytest.mark.parametrize("side", ["upstream", "downstream"])
    def test_profile_with_others_of_its_chain_has_figures_or_the_capabilitys_reason(
        self, driver: Driver, side: str
    ) -> None:
        if not self.can_profile(driver):
            return
        cores = self.free_cores(driver)
        if len(cores) < 2:
            pytest.skip("this host offers one core only")
        other = self.probe(driver).nf.model_copy(update={"core": cores[-2]})
        found = self.measured(driver, self.probe(driver, **{side: (other,)}), MeasurementWatch())
        reported = next(c for c in driver.inventory().host.capabilities if c.name == "profiling-chains")
        if reported.available:
            assert found.nf is not None and getattr(found.request, side) == (other,)
        else:
            assert found.not_measurable == reported.reason

    def test_profile_refuses_a_core_that_runs_nfs_and_names_them(self, driver: Driver) -> None:
        if not self.can_profile(driver):
            return
        core = self.free_cores(driver)[-1]
        driver.apply(content(self.web(driver, core=core)))
        before = driver.sample()
        with pytest.raises(CoreBusy, match=rf"core {core} runs .*web\.router") as refusal:
            driver.profile(self.probe(driver, sandboxed=False), MeasurementWatch())
        assert not refusal.value.permanent, "it may become free"
        assert self.processes(driver.sample()) == self.processes(before)

    def test_profile_ends_when_it_is_cancelled(self, driver: Driver) -> None:
        if not self.can_profile(driver):
            return
        with pytest.raises(MeasurementCancelled):
            driver.profile(self.probe(driver), MeasurementWatch(cancelled=lambda: True))

    def test_profile_refuses_what_the_data_plane_refuses(self, driver: Driver) -> None:
        if not self.can_profile(driver):
            return
        bad = ProfiledNf(nf_type="teleporter", core=self.free_cores(driver)[-1])
        with pytest.raises(DriverError, match="teleporter"):
            driver.profile(self.probe(driver, nf=bad), MeasurementWatch())
        nowhere = ProfiledNf(nf_type="router", core=100_000)
        with pytest.raises(DriverError, match="core 100000 is not offered") as refusal:
            driver.profile(self.probe(driver, nf=nowhere), MeasurementWatch())
        assert refusal.value.permanent

    def test_close_stops_no_packets(self, driver: Driver) -> None:
        driver.apply(content(self.web(driver)))
        before = self.processes(driver.sample())
        driver.close()
        driver.apply(content(self.web(driver)))
        assert self.processes(driver.sample()) == before
