"""Why no host takes a chain, in as few reasons as there can be: the smallest set that excludes every host together.

Some reasons exclude many hosts (where the chain enters, what it needs), others one (it is down, cordoned, or full).
With few of the first kind every choice of them is tried, the smallest first; each host that a choice leaves open adds
its own.
"""

from collections.abc import Mapping
from itertools import combinations

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.naming import few

from sextant_engine.host_state import HostState
from sextant_engine.planning.cpu_budget import above_budget, needed_budget, quotas_of
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.host_problem import grants
from sextant_engine.planning.ports import routes_of
from sextant_engine.planning.refusals import cordoned_text, down_text
from sextant_engine.planning.ties import why_not

MOST_SHARED = 8
"""Reasons that may exclude many hosts; 2^8 choices of them are tried."""
MOST_NAMED = 6
"""Of a conflict; the rest are counted."""
HOLDERS = 4
"""Chains that are named as holding a full host's seats."""


def smallest_conflict(draft: PlanDraft, spec: ChainSpec) -> tuple[str, ...]:
    """Empty where a host is excluded by none of the reasons that are known here."""
    shared: dict[str, set[str]] = {}
    own: dict[str, str] = {}
    for host in draft.hosts.values():
        for reason in _shared(draft, host, spec):
            shared.setdefault(reason, set()).add(host.name)
        alone = draft.closed.get(host.name) or _alone(host, spec) or why_not(draft.fleet, host, spec)
        if alone is not None:
            own[host.name] = alone
    return _listed(_smallest(set(draft.hosts), dict(sorted(shared.items())[:MOST_SHARED]), own))


def _smallest(hosts: set[str], shared: Mapping[str, set[str]], own: Mapping[str, str]) -> tuple[str, ...]:
    best: tuple[str, ...] | None = None
    for size in range(len(shared) + 1):
        for chosen in combinations(shared, size):
            left = hosts.difference(*(shared[reason] for reason in chosen))
            if left <= own.keys() and (best is None or size + len(left) < len(best)):
                best = (*chosen, *(own[host] for host in sorted(left)))
    return best or ()


def _shared(draft: PlanDraft, host: HostState, spec: ChainSpec) -> list[str]:
    found = [
        f"{spec.name}'s {end} is {wanted}"
        for end, wanted in (("ingress", spec.ingress.host), ("egress", spec.egress.host))
        if wanted not in {None, host.name}
    ]
    if not spec.ingress.host and not spec.egress.host and not draft.fleet.is_open(host, spec):
        found.append(f"{spec.name} names no host that {host.inventory.why_named_only}")
    lacking, foreign = host.lacks(spec.needs.values()), host.cannot_run(draft.fleet.runs_of(spec))
    if lacking is not None:
        found.append(f"{spec.name} needs {lacking}")
    if foreign is not None:
        found.append(f"{spec.name} has the NF type {foreign}")
    quotas = quotas_of(draft.fleet, spec)
    if above_budget(host, quotas) is not None:
        found.append(f"{spec.name} needs {needed_budget(quotas)}")
    return found


def _alone(host: HostState, spec: ChainSpec) -> str | None:
    """All of them: a cordoned host that is full, too, would not take it uncordoned."""
    found = []
    if not host.up:
        found.append(down_text(host))
    if host.cordoned is not None:
        found.append(cordoned_text(host))
    routes = routes_of(spec, host)
    if isinstance(routes, str):
        found.append(f"{host.name}: {routes}")
    elif isinstance(grants(host, len(spec.nfs), routes[0].node), int):
        found.append(f"{host.name} has {host.free} of {len(spec.nfs)} free{_holders(host)}")
    return ", and ".join(found) or None


def _holders(host: HostState) -> str:
    return f" beside {few(sorted(host.chains), HOLDERS)}" if host.chains else ""


def _listed(reasons: tuple[str, ...]) -> tuple[str, ...]:
    rest = len(reasons) - MOST_NAMED
    return reasons if rest <= 0 else (*reasons[:MOST_NAMED], f"{rest} more hosts, each for a reason of its own")
