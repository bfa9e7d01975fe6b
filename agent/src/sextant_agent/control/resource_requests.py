"""Ways of the last-level cache (LLC) and memory bandwidth as ordered, against what was found: pure."""

from sextant_domain.hosts.desired import DesiredNf, HostContent

from sextant_agent.contract.sample import HostSample, NfResources
from sextant_agent.control.cpu_requests import without

FULL_PERCENT = 100


def request_of(nf: DesiredNf) -> NfResources:
    """What it is to have; all of the bandwidth is no wish."""
    percent = nf.memory_bandwidth_percent
    return NfResources(nf.llc_ways, None if percent == FULL_PERCENT else percent)


def matches_request(nf: DesiredNf, found: NfResources) -> bool:
    """Whether the kernel, or the twin, shows what was ordered."""
    percent = found.memory_bandwidth_percent
    return request_of(nf) == NfResources(found.llc_ways, None if percent == FULL_PERCENT else percent)


def in_words(nf: DesiredNf) -> str:
    """'4 LLC ways of its own and 50 % memory bandwidth'."""
    ways = "all shared LLC ways" if nf.llc_ways is None else f"{nf.llc_ways} LLC ways of its own"
    return f"{ways} and {request_of(nf).memory_bandwidth_percent or FULL_PERCENT} % memory bandwidth"


def unmet(content: HostContent, found: HostSample) -> str | None:
    """For a person: whose wishes cannot be met on this host now, and why; None where all can."""
    if found.no_resource_control is None:
        return None
    requesting = [nf for chain in content.chains for nf in chain.nfs if request_of(nf) != NfResources(None, None)]
    return without(requesting, in_words, found.no_resource_control)
