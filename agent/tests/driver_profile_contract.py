"""What every driver must do that is asked to measure: figures, or the reason of its inventory."""

from typing import Any

import pytest
from sextant_agent.contract.driver import Driver
from sextant_agent.contract.errors import CoreBusy, DriverError, NotSupported
from sextant_agent.measuring.watch import MeasurementCancelled, MeasurementWatch
from sextant_domain.base import Provenance
from sextant_domain.profiling.profile import ProfiledNf, ProfileMode, ProfileProgress, ProfileRequest, ProfileResult

from .driver_basis import DriverBasis
from .orders import content


class ProfileContract(DriverBasis):
    """The method `profile`."""

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
