"""CPU shares and quotas as ordered, against what was found: pure."""

from collections.abc import Callable, Sequence

from sextant_domain.chains.chain import DEFAULT_CPU_SHARE
from sextant_domain.hosts.desired import QUOTA_STEP_PERCENT, DesiredChain, DesiredNf, HostContent

from sextant_agent.contract.sample import HostSample, NfCpu


def share_of(nf: DesiredNf) -> int:
    """The weight it is to have."""
    return DEFAULT_CPU_SHARE if nf.cpu_share is None else nf.cpu_share


def quota_of(nf: DesiredNf, chain: DesiredChain, cpu: NfCpu | None, budget: float | None = None) -> float | None:
    """The quota it is to have now: what the agent gave it within the bounds of its chain stays. `budget`: percent of a
    core that all NFs of the host have together, with which an NF within bounds begins at most."""
    bounds = chain.quota_bounds
    if bounds is None:
        return nf.cpu_quota_percent
    if cpu is not None and bounds.hold(cpu.quota_percent):
        return cpu.quota_percent
    begin = bounds.begin(nf.cpu_quota_percent)
    return begin if budget is None else max(float(bounds.least_percent), min(begin, budget))


def has_requests(content: HostContent) -> bool:
    """Whether any NF shall have more or less of its core than another, or may be given it by the agent."""
    return any(_has_bounds(chain) or _has_request(nf) for chain in content.chains for nf in chain.nfs)


def matches_request(nf: DesiredNf, cpu: NfCpu | None, chain: DesiredChain | None = None) -> bool:
    """Whether the kernel shows what was ordered, or what is within the bounds of its chain."""
    if cpu is None or not _has_share(nf, cpu, chain):
        return False
    if chain is not None and chain.quota_bounds is not None:
        return chain.quota_bounds.hold(cpu.quota_percent)
    if nf.cpu_quota_percent is None or cpu.quota_percent is None:
        return nf.cpu_quota_percent is cpu.quota_percent
    return abs(nf.cpu_quota_percent - cpu.quota_percent) < QUOTA_STEP_PERCENT


def in_words(nf: DesiredNf, quota: float | None) -> str:
    """'CPU share 200 and at most 30 % of its core'."""
    limit = "" if quota is None else f" and at most {quota:g} % of its core"
    return f"CPU share {share_of(nf)}{limit}"


def unmet(content: HostContent, found: HostSample) -> str | None:
    """For a person: whose wishes cannot be met on this host, and why; None where all can."""
    if found.no_cpu_control is None:
        return None
    requesting = [nf for chain in content.chains for nf in chain.nfs if _has_request(nf)]
    return without(requesting, lambda nf: in_words(nf, nf.cpu_quota_percent), found.no_cpu_control)


def without(requesting: Sequence[DesiredNf], words: Callable[[DesiredNf], str], why: str) -> str | None:
    """For a person: the first of those whose wishes cannot be met, how many more, and why; None where nobody wishes."""
    if not requesting:
        return None
    more = f" and {len(requesting) - 1} more" if len(requesting) > 1 else ""
    return f"{requesting[0].nf_id}{more} without {words(requesting[0])}: {why}"


def _has_share(nf: DesiredNf, cpu: NfCpu, chain: DesiredChain | None) -> bool:
    bounds = None if chain is None else chain.share_bounds
    return cpu.weight == share_of(nf) or (bounds is not None and bounds.hold(cpu.weight))


def _has_bounds(chain: DesiredChain) -> bool:
    return chain.share_bounds is not None or chain.quota_bounds is not None


def _has_request(nf: DesiredNf) -> bool:
    return nf.cpu_quota_percent is not None or share_of(nf) != DEFAULT_CPU_SHARE
