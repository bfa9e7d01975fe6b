"""What tests of every driver say in its terms: which cores it offers, what a process is, and how one is ended."""

import os
import signal
from typing import Any

from sextant_agent.contract.driver import Driver
from sextant_agent.contract.sample import HostSample, NfCounters
from sextant_domain.hosts.desired import DesiredChain

from .orders import chain, nf


class DriverBasis:
    """For a driver whose NFs are processes; others say it in their own terms."""

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
