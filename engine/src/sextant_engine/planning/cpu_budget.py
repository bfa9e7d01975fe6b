"""CPU quotas beside the CPU budget of a host, which all its NFs have together (decision 129).

The rule is the agent's. The kernel holds all NFs of a host to the budget, so that their quotas may come to more in sum:
each is the most that its own NF may use. A quota that exceeds the budget by itself is refused (`CpuGroups.set_cpu` of
the root helper). An NF within bounds begins with what the budget allows, so of bounds the least percent counts alone.
"""

from collections.abc import Mapping, Sequence

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.cpu_bounds import QuotaBounds
from sextant_domain.chains.kernel_nf import IN_KERNEL
from sextant_domain.hosts.desired import DesiredChain

from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import HostState

Quotas = Mapping[str, float]
"""By NF, by its name in its chain: the least percent of a core that it would begin with. Who has no limit is not in
it."""


def quotas_of(fleet: FleetView, spec: ChainSpec) -> Quotas:
    """Of a chain that is to be placed. Nothing where every host of the fleet has room for each of them, so that chains
    differ in this only where it matters."""
    least_budget = fleet.least_budget
    if least_budget is None:
        return {}
    processes = {nf.name: nf.cpu_quota_percent for nf in spec.nfs if not _is_in_kernel(fleet, nf.type)}
    found = _least(spec.quota_bounds, processes)
    return {name: percent for name, percent in found.items() if percent > least_budget}


def quotas_beyond(after: DesiredChain, before: DesiredChain | None) -> Quotas:
    """Of a chain as it is to be ordered; those that it has already are not in it."""
    then = {} if before is None else _ordered(before)
    return {name: percent for name, percent in _ordered(after).items() if then.get(name) != percent}


def above_budget(host: HostState, quotas: Quotas) -> str | None:
    """Why the host cannot give them: 'all NFs of lab-1 have a CPU budget of 40 % of a core together, and router alone
    is to have 60 %'; None where it can."""
    budget = host.inventory.cpu_budget_percent
    above = {name: percent for name, percent in quotas.items() if budget is not None and percent > budget}
    if budget is None or not above:
        return None
    return f"all NFs of {host.name} have a CPU budget of {budget:g} % of a core together, and {_words(above)}"


def needed_budget(quotas: Quotas) -> str:
    """'a CPU budget of 60 % of a core (router)': what a host must have for them."""
    most = max(quotas.values())
    return f"a CPU budget of {most:g} % of a core ({', '.join(name for name in quotas if quotas[name] == most)})"


def ask_for_less(bounds: QuotaBounds | None, host: HostState) -> str:
    """What helps: 'ask for CPU quotas of 40 % at most'."""
    budget = host.inventory.cpu_budget_percent
    what = "CPU quotas of" if bounds is None else "quota bounds whose least_percent is"
    return f"ask for {what} {budget:g} % at most"


def _ordered(chain: DesiredChain) -> Quotas:
    processes = {nf.nf_id.split(".", 1)[1]: nf.cpu_quota_percent for nf in chain.nfs if nf.runs not in IN_KERNEL}
    return _least(chain.quota_bounds, processes)


def _least(bounds: QuotaBounds | None, processes: Mapping[str, float | None]) -> Quotas:
    """`processes`: NFs that are processes, with their quotas as ordered; those in the kernel have none."""
    if bounds is not None:
        return dict.fromkeys(processes, float(bounds.least_percent))
    return {name: percent for name, percent in processes.items() if percent is not None}


def _is_in_kernel(fleet: FleetView, nf_type: str) -> bool:
    return nf_type in fleet.nf_types and fleet.nf_types[nf_type].runs in IN_KERNEL


def _words(above: Quotas) -> str:
    """'router alone is to have 60 %, nat 50 %'."""
    first, *others = above.items()
    return ", ".join([f"{first[0]} alone is to have {first[1]:g} %", *_each(others)])


def _each(others: Sequence[tuple[str, float]]) -> list[str]:
    return [f"{name} {percent:g} %" for name, percent in others]
