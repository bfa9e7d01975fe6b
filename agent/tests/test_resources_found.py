"""What a host's state says of the resources that its NFs were found to have."""

from datetime import UTC, datetime

from sextant_agent.contract.sample import HostSample, NfCounters, NfCpu, NfResources
from sextant_agent.control.resources_found import cpu_found, memory_found
from sextant_domain.hosts.desired import ActualCpu, ActualMemory, HostContent, NfState

from .orders import chain, content, nf

WEB = content(chain("web", nf("web", "router"), nf("web", "firewall")))


def counters(
    name: str,
    cpu: NfCpu | None = None,
    resources: NfResources | None = None,
    group: int | None = None,
    state: NfState = NfState.RUNNING,
) -> NfCounters:
    return NfCounters(f"web.{name}", "web", name, state, 1, 1, 1, 1, None, cpu=cpu, resources=resources, group=group)


def sample(*nfs: NfCounters, no_cpu_control: str | None = None) -> HostSample:
    found = {nf.nf_id: nf for nf in nfs}
    return HostSample(0, datetime(2026, 1, 1, tzinfo=UTC), "e", nfs=found, no_cpu_control=no_cpu_control)


def cpu(host: HostSample, ordered: HostContent = WEB) -> dict[str, tuple[int, float | None]]:
    return {nf_id: (one.cpu_share, one.cpu_quota_percent) for nf_id, one in cpu_found(ordered, host).items()}


def test_a_process_without_a_group_has_what_everybody_has() -> None:
    limited = counters("router", NfCpu(weight=300, quota_percent=40, throttled_ns=0))
    assert cpu(sample(limited, counters("firewall"))) == {"web.router": (300, 40), "web.firewall": (100, None)}


def test_nothing_is_said_of_what_nobody_can_read() -> None:
    """Neither of a host without its root helper, nor of an NF that does not run."""
    assert cpu(sample(counters("router"), counters("firewall"), no_cpu_control="no helper")) == {}
    assert cpu(sample(counters("router", state=NfState.CRASHED))) == {}
    assert memory_found(counters("router")) is None
    assert memory_found(counters("router", resources=NfResources(4, None), state=NfState.CRASHED)) is None


def test_a_process_is_reported_with_its_first_nf() -> None:
    """Two NFs run to completion in one process, which is in one CPU group: that of the router."""
    both = sample(counters("router", NfCpu(200, None, 0), group=7), counters("firewall", group=7))
    assert cpu_found(WEB, both) == {"web.router": ActualCpu(cpu_share=200, cpu_quota_percent=None)}


def test_ways_and_bandwidth_as_they_hold() -> None:
    assert memory_found(counters("router", resources=NfResources(4, 50))) == ActualMemory(
        llc_ways=4, memory_bandwidth_percent=50
    )
