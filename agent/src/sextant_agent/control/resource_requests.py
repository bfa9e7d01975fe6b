"""Ways of the last-level cache (LLC) and memory bandwidth as ordered, against what was found: pure. What the agent gave
an NF within the bounds of its chain counts as ordered."""

from sextant_domain.hosts.desired import DesiredChain, DesiredNf, HostContent

from sextant_agent.contract.ordered_resources import FULL_PERCENT, NOTHING, normal, request_of
from sextant_agent.contract.sample import HostSample, NfResources
from sextant_agent.control.cpu_requests import without


def matches_request(chain: DesiredChain, nf: DesiredNf, found: NfResources) -> bool:
    """Whether the kernel, or the twin, shows what was ordered."""
    has = normal(found.llc_ways, found.memory_bandwidth_percent, of_chain=found.of_chain)
    return resources_of(chain, nf, found) == has


def resources_of(chain: DesiredChain, nf: DesiredNf, found: NfResources) -> NfResources:
    """What it is to have now, where it has `found`. While its chain is paused it needs nothing that was not ordered."""
    request, bounds = request_of(chain, nf), chain.quota_bounds
    if bounds is None or chain.paused or request.of_chain or found.of_chain:
        return request
    ways, percent = request.llc_ways, request.memory_bandwidth_percent
    if bounds.hold_ways(found.llc_ways, ways):
        ways = found.llc_ways
    if bounds.hold_bandwidth(found.memory_bandwidth_percent, percent):
        percent = found.memory_bandwidth_percent
    return normal(ways, percent)


def in_words(chain: DesiredChain, request: NfResources) -> str:
    """'4 LLC ways of its own and 50 % memory bandwidth', '4 LLC ways and 50 % memory bandwidth with all NFs of web'."""
    percent = f"{request.memory_bandwidth_percent or FULL_PERCENT} % memory bandwidth"
    if request.llc_ways is None:
        ways = "all shared LLC ways"
    else:
        ways = f"{request.llc_ways} LLC ways{'' if request.of_chain else ' of its own'}"
    return f"{ways} and {percent}{f' with all NFs of {chain.chain}' if request.of_chain else ''}"


def unmet(content: HostContent, found: HostSample) -> str | None:
    """For a person: whose wishes cannot be met on this host now, and why; None where all can."""
    if found.no_resource_control is None:
        return None
    chains = {nf.nf_id: chain for chain in content.chains for nf in chain.nfs}
    requesting = [nf for chain in content.chains for nf in chain.nfs if request_of(chain, nf) != NOTHING]
    return without(
        requesting,
        lambda nf: in_words(chains[nf.nf_id], request_of(chains[nf.nf_id], nf)),
        found.no_resource_control,
    )
