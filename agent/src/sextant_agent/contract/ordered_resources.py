"""What an order gives an NF of cache and memory bandwidth, of its own or with its chain: pure."""

from functools import lru_cache

from sextant_domain.hosts.desired import DesiredChain, DesiredNf

from sextant_agent.contract.sample import NfResources

FULL_PERCENT = 100
NOTHING = NfResources(None, None)


def request_of(chain: DesiredChain, nf: DesiredNf) -> NfResources:
    """What it is to have; all of the bandwidth is no wish."""
    shared = chain.resources
    if shared is not None:
        together = normal(shared.llc_ways, shared.memory_bandwidth_percent, of_chain=True)
        if together != NOTHING:
            return together
    return normal(nf.llc_ways, nf.memory_bandwidth_percent)


@lru_cache(maxsize=1024)
def normal(ways: int | None, percent: int | None, *, of_chain: bool = False) -> NfResources:
    """What has neither is nobody's, and all of the bandwidth is no limit."""
    limit = None if percent == FULL_PERCENT else percent
    return NOTHING if ways is None and limit is None else NfResources(ways, limit, of_chain)
