"""What a plan that nobody keeps is read for: whom it would slow down, and which figures nothing was measured for."""

from collections.abc import Collection, Iterable, Mapping

from sextant_domain.hosts.host import PROFILING
from sextant_domain.plans.new_chain import AffectedChain
from sextant_domain.plans.plan import ChainPrediction, Worse
from sextant_domain.problem import NextAction

from sextant_engine.host_state import HostState
from sextant_engine.planning import time_sharing

MOST_ACTIONS = 3
"""Profiling jobs that are proposed; the rest can be seen in `unmeasured`."""


def unmeasured_types(host: HostState, name: str) -> tuple[str, ...]:
    """Of chain `name` on the host. On shared cores nothing is predicted as long as one of these is: neighbours on its
    cores count as well."""
    chains = time_sharing.sharing_with(host, name) if host.inventory.shares_cores else [host.chains[name]]
    types = {nf.nf_type for chain in chains for nf in chain.nfs}
    return tuple(sorted(one for one in types if one not in host.models or not host.models[one].ideal_known))


def affected_chains(worse: Iterable[Worse], after: Mapping[str, ChainPrediction]) -> tuple[AffectedChain, ...]:
    """Those of `worse` in its order, each once."""
    found = tuple(worse)
    slower = {one.chain: one for one in found if one.what == "throughput"}
    longer = {one.chain: one.detail for one in found if one.what == "latency"}
    return tuple(
        AffectedChain(
            chain=chain,
            before_mpps=slower[chain].before_mpps if chain in slower else None,
            after_mpps=slower[chain].after_mpps if chain in slower else None,
            low_mpps=after[chain].low_mpps if chain in slower else None,
            high_mpps=after[chain].high_mpps if chain in slower else None,
            provenance=after[chain].provenance,
            breaks_slo=chain in slower and slower[chain].breaks_slo,
            longer=longer.get(chain),
        )
        for chain in dict.fromkeys(one.chain for one in found)
    )


def others_mpps(
    before_mpps: Mapping[str, float | None], after: Mapping[str, ChainPrediction], own: Collection[str]
) -> float | None:
    """What all chains but `own` carry more than `before_mpps`, as they stand. None where one of them is not predicted,
    now or then: a sum without it would say that it loses nothing."""
    change = 0.0
    for chain, before in before_mpps.items():
        if chain in own:
            continue
        then = after[chain].throughput_mpps
        if before is None or then is None:
            return None
        change += then - before
    return change


def profiling_actions(host: HostState, unmeasured: tuple[str, ...]) -> tuple[NextAction, ...]:
    """What would measure these types, where the host can profile."""
    if not unmeasured or host.inventory.why_not(PROFILING) is not None:
        return ()
    return tuple(
        NextAction(
            label=f"Profile {nf_type} on {host.name}",
            command=f"sextant profile start {nf_type} --host {host.name}",
        )
        for nf_type in unmeasured[:MOST_ACTIONS]
    )
