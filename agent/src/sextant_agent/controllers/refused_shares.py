"""Shares that the kernel refuses: the chain keeps what it has, and is tried again later and later."""

from dataclasses import dataclass

from sextant_domain.hosts.desired import DesiredChain, NfState
from sextant_engine.control.numasfp.shares import Share

from sextant_agent.contract.ordered_resources import FULL_PERCENT, NOTHING, normal
from sextant_agent.contract.sample import HostSample, NfResources

FIRST_DELAY_S = 2.0
LONGEST_DELAY_S = 60.0


def found_share(chain: DesiredChain, found: HostSample) -> Share | None:
    """What all NFs of a chain that runs were found to have together; None where they have not the same."""
    seen = {_share(found.nfs[one.nf_id].resources) for one in chain.nfs}
    return seen.pop() if len(seen) == 1 else None


def has(chain: DesiredChain, share: Share, found: HostSample) -> bool | None:
    """Whether the kernel, or the twin, applies it to all NFs of a chain. None where not all of them run, or what they
    have cannot be read: then another thing is wrong than what it was given."""
    wanted, applied = normal(share.ways, share.percent, of_chain=True), True
    for one in chain.nfs:
        nf = found.nfs.get(one.nf_id)
        if nf is None or nf.state is not NfState.RUNNING or nf.resources is None:
            return None
        there = nf.resources
        applied &= there is wanted or (
            normal(there.llc_ways, there.memory_bandwidth_percent, of_chain=there.of_chain) == wanted
        )
    return applied


def _share(resources: NfResources | None) -> Share | None:
    if resources is None or resources == NOTHING or not resources.of_chain or resources.llc_ways is None:
        return None
    return Share(resources.llc_ways, resources.memory_bandwidth_percent or FULL_PERCENT)


@dataclass(frozen=True, slots=True)
class Refused:
    """One chain that could not be given its share."""

    times: int
    until_s: float
    """It is left alone until then."""
    why: str
    keeps: Share
    """What it has meanwhile."""

    def note(self, now_s: float) -> str:
        """For a person."""
        next_s = max(0.0, self.until_s - now_s)
        return f"it could not be given what its rate needs: {self.why[:200]}; next try in {next_s:.0f} s"


def refuse(before: Refused | None, why: str, keeps: Share, now_s: float) -> Refused:
    """Once more: 2, 4, 8 ... 60 s."""
    times = 1 if before is None else before.times + 1
    delay_s = min(LONGEST_DELAY_S, FIRST_DELAY_S * 2.0 ** (min(times, 10) - 1))
    return Refused(times, now_s + delay_s, why, keeps)
