"""A host of the bench's own: the agent's testbed driver, its runner, and a root helper. Nothing of them is left."""

import logging
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import structlog
from setting import RUNNER, NotMeasured, Setting
from sextant_agent.control.cpu_control import start_command
from sextant_agent.control.helper_client import HelperClient, HelperError
from sextant_agent.drivers.testbed.driver import TestbedDriver
from sextant_agent.drivers.testbed.runner_stop import stop_recorded_runner
from sextant_agent.reporting.telemetry import rates
from sextant_domain.chains.chain import Egress, Ingress, Match
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain, DesiredNf, HostContent
from sextant_domain.hosts.telemetry import NfSample

HOST = "bench"
SETTLE_S = 0.5


@dataclass(frozen=True)
class ChainLoad:
    """A chain of one NF: simple-forward, that works for a known time on each packet, unless another is named."""

    name: str
    config: Mapping[str, Any]
    rate_mpps: float
    share: int
    quota: float | None = None
    nf_type: str = "simple-forward"
    traffic: Mapping[str, Any] = field(default_factory=lambda: {"packet_bytes": 64, "flows": 100})


@dataclass(frozen=True)
class BenchHost:
    """Its NFs share one core; the packets' source has another if there is one."""

    driver: TestbedDriver
    helper: HelperClient
    core: int

    def run(self, loads: Sequence[ChainLoad]) -> None:
        """These and no others. Raises NotMeasured."""
        chains = tuple(chain_of(load, self.core, slot) for slot, load in enumerate(loads))
        report = self.driver.apply(HostContent(host_id=HOST, chains=chains))
        if report.failures:
            raise NotMeasured("; ".join(failure.message for failure in report.failures.values()))
        time.sleep(SETTLE_S)

    def measure(self, seconds: float) -> dict[str, NfSample]:
        """What each did meanwhile, by the chain's name."""
        before = self.driver.sample()
        time.sleep(seconds)
        found = rates(before, self.driver.sample(), {})
        return {sample.chain: sample for sample in found.nfs}


def chain_of(load: ChainLoad, core: int, slot: int) -> DesiredChain:
    """As an order says it."""
    nf = DesiredNf(
        nf_id=f"{load.name}.nf",
        nf_type=load.nf_type,
        nf_version=1,
        config=dict(load.config),
        core=core,
        slot=slot,
        cpu_share=load.share,
        cpu_quota_percent=load.quota,
    )
    traffic = Traffic(rate_mpps=load.rate_mpps, **load.traffic)
    return DesiredChain(chain=load.name, nfs=(nf,), ingress=Ingress(match=Match()), egress=Egress(), traffic=traffic)


@contextmanager
def host(setting: Setting) -> Iterator[BenchHost]:
    """Raises NotMeasured where the helper cannot work."""
    if os.geteuid() != 0:
        raise NotMeasured("CPU shares and quotas need root: run it with sudo")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with tempfile.TemporaryDirectory(prefix="sextant-bench-") as name:
        folder = Path(name).resolve()
        client = HelperClient(folder / "helper.sock")
        command = start_command(client.path, HOST, (RUNNER,)).split(" ")
        helper = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        driver = TestbedDriver(HOST, folder, RUNNER)
        try:
            _wait_for(client)
            yield BenchHost(driver, client, _core(driver, setting))
        finally:
            driver.close()
            client.close()
            stop_recorded_runner(folder)
            helper.terminate()
            helper.wait(timeout=20)
            subprocess.run([*command, "--clean"], check=True, stderr=subprocess.DEVNULL)


def _core(driver: TestbedDriver, setting: Setting) -> int:
    """An offered one, away from the source's where that is possible."""
    offered = [core.id for core in driver.inventory().host.cores if not core.last_choice and core.id in setting.cores]
    return (offered or list(setting.cores))[0]


def _wait_for(client: HelperClient) -> None:
    deadline = time.monotonic() + 20
    while True:
        try:
            reason = client.hello().reason
        except HelperError as error:
            reason = str(error)
            if time.monotonic() < deadline:
                time.sleep(0.1)
                continue
        if reason is not None:
            raise NotMeasured(reason)
        return
