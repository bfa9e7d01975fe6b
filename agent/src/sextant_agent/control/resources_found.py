"""What running NFs were found to have of their cores, caches and memory, as the host's state reports it: pure."""

from collections.abc import Iterator

from sextant_domain.chains.chain import DEFAULT_CPU_SHARE
from sextant_domain.hosts.desired import ActualCpu, ActualMemory, HostContent, NfState

from sextant_agent.contract.sample import HostSample, NfCounters
from sextant_agent.control.differences import leaders_of


def cpu_found(content: HostContent, found: HostSample) -> dict[str, ActualCpu]:
    """By NF, the first of each process; empty where nobody can read it: that is not 'no quota'."""
    if found.no_cpu_control is not None:
        return {}
    return {nf.nf_id: _cpu(nf) for nf in _leading(content, found) if nf.state is NfState.RUNNING}


def memory_found(nf: NfCounters) -> ActualMemory | None:
    """None where nobody can read it."""
    if nf.resources is None or nf.state is not NfState.RUNNING:
        return None
    ways, percent = nf.resources.llc_ways, nf.resources.memory_bandwidth_percent
    if nf.resources.of_chain:
        return ActualMemory(
            llc_ways=None,
            memory_bandwidth_percent=None,
            chain_llc_ways=ways,
            chain_memory_bandwidth_percent=percent,
        )
    return ActualMemory(llc_ways=ways, memory_bandwidth_percent=percent)


def _cpu(nf: NfCounters) -> ActualCpu:
    if nf.cpu is None:
        return ActualCpu(cpu_share=DEFAULT_CPU_SHARE, cpu_quota_percent=None)
    return ActualCpu(cpu_share=nf.cpu.weight, cpu_quota_percent=nf.cpu.quota_percent)


def _leading(content: HostContent, found: HostSample) -> Iterator[NfCounters]:
    return (found.nfs[nf.nf_id] for chain in content.chains for nf in leaders_of(chain, found))
