"""Which NFs of a host could share a core, what that frees and what it costs. Nothing is planned.

The fewest of the cores that hold NFs now, those first that are needed most, on which CoCo's search finds room for all.
"""

from dataclasses import replace
from math import ceil

from sextant_domain.hosts.desired import DesiredChain, HostContent
from sextant_domain.hosts.host import HostInventory
from sextant_domain.plans.consolidation import ConsolidatedChain, ConsolidatedCore, Consolidation
from sextant_domain.plans.snapshot import FleetSnapshot

from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import HostCores, HostState
from sextant_engine.planning.compact_account import delayed_by, hops_of, needs_of
from sextant_engine.planning.compact_elements import Wanted
from sextant_engine.planning.compact_problem import FULL, Solved, never_measured, others_of, solve_compact
from sextant_engine.planning.predict import predictions_of
from sextant_engine.planning.reports import report_of
from sextant_engine.stop import Stop

SLOTS = 4
"""NFs a core, where a host's cores are not shared yet."""
STEPS = 100_000
"""Of each search: some ten milliseconds. A request waits for it."""
MOST_SEARCHES = 16
ROUNDING = 1e-9


def consolidation_of(snapshot: FleetSnapshot, host: str, content: HostContent) -> Consolidation:
    """Of `content` on `host`; raises KeyError for an unknown host."""
    fleet = FleetView.of(snapshot)
    before = fleet.hosts[host].holding({chain.chain: chain for chain in content.chains})
    shared, slots = before, None
    if not before.inventory.shares_cores:
        why_not = before.inventory.why_no_slots(SLOTS)
        if why_not is not None:
            return _nothing(before, None, f"its cores cannot be shared: {why_not}")
        shared, slots = _with_slots(before), SLOTS
    unknown = never_measured(shared, ())
    if unknown:
        return _nothing(before, slots, f"no model in use says how much of a core is needed by {', '.join(unknown)}")
    needs = needs_of(shared)
    used = sorted({nf.core for nf in shared.nfs()}, key=lambda core: (-needs[core], core))
    if len(used) < 2:
        return _nothing(before, slots, "its NFs stand on one core already" if used else "it runs no NF")
    return _fewest(fleet, before, shared, slots, used)


def _fewest(
    fleet: FleetView, before: HostState, shared: HostState, slots: int | None, used: list[int]
) -> Consolidation:
    least = max(1, ceil(sum(needs_of(shared).values()) / FULL - ROUNDING))
    wanted = [Wanted.running(chain, chain) for _, chain in sorted(shared.chains.items())]
    for count in range(least, min(len(used), least + MOST_SEARCHES)):
        only = frozenset(used[:count])
        found = solve_compact(shared, wanted, "exact", Stop(evaluations=STEPS), fleet.ties, only)
        if isinstance(found, Solved):
            return _said(fleet, before, _moved(shared, found), slots, used, proven=count == least)
    return _nothing(before, slots, f"no fewer of its {len(used)} cores have the time and the slots for all its NFs")


def _with_slots(host: HostState) -> HostState:
    inventory: HostInventory = host.inventory.with_slots(SLOTS)
    snapshot = host.snapshot.model_copy(update={"inventory": inventory})
    return replace(host, snapshot=snapshot, cores=HostCores(inventory, host.cores.other_work))


def _moved(host: HostState, found: Solved) -> HostState:
    """Slots as they come: they decide nothing here."""
    given: dict[int, int] = {}
    chains: dict[str, DesiredChain] = {}
    for name, chain in sorted(host.chains.items()):
        nfs = []
        for nf in chain.nfs:
            core = found.cores[nf.nf_id]
            nfs.append(nf.model_copy(update={"core": core, "slot": given.get(core, 0)}))
            given[core] = given.get(core, 0) + 1
        chains[name] = chain.model_copy(update={"nfs": tuple(nfs)})
    return host.holding(chains)


def _said(
    fleet: FleetView, before: HostState, after: HostState, slots: int | None, used: list[int], *, proven: bool
) -> Consolidation:
    then, now = needs_of(before), needs_of(after)
    others = others_of(after, sum(chain.traffic.rate_mpps for chain in after.chains.values()))
    holds = {core: tuple(nf.nf_id for nf in after.nfs() if nf.core == core) for core in used}
    was = {nf.nf_id: nf.core for nf in before.nfs()}
    return Consolidation(
        host=before.name,
        slots=slots,
        freed=tuple(sorted(core for core in used if not holds[core])),
        proven=proven,
        moves=sum(nf.core != was[nf.nf_id] for nf in after.nfs()),
        delayed_before=delayed_by(hops_of(before), before.delays),
        delayed=delayed_by(hops_of(after), before.delays),
        delays=before.delays,
        full_percent=100 * FULL,
        cores=tuple(
            ConsolidatedCore(
                core=core,
                node=after.node_of(core),
                nf_ids=holds[core],
                before_percent=100 * then[core],
                nfs_percent=100 * now[core],
                others_percent=100 * others.get(core, 0.0),
            )
            for core in sorted(used)
        ),
        chains=_chains(fleet, before, after),
        note=None,
    )


def _chains(fleet: FleetView, before: HostState, after: HostState) -> tuple[ConsolidatedChain, ...]:
    now = {one.chain: one for one in predictions_of(fleet, before, report_of(fleet, before))}
    return tuple(
        ConsolidatedChain(
            chain=one.chain,
            before_mpps=now[one.chain].throughput_mpps,
            before_low_mpps=now[one.chain].low_mpps,
            before_high_mpps=now[one.chain].high_mpps,
            mpps=one.throughput_mpps,
            low_mpps=one.low_mpps,
            high_mpps=one.high_mpps,
        )
        for one in predictions_of(fleet, after, None)
    )


def _nothing(host: HostState, slots: int | None, note: str) -> Consolidation:
    delayed = delayed_by(hops_of(host), host.delays)
    return Consolidation(
        host=host.name,
        slots=slots,
        freed=(),
        proven=False,
        moves=0,
        delayed_before=delayed,
        delayed=delayed,
        delays=host.delays,
        full_percent=100 * FULL,
        cores=(),
        chains=(),
        note=note,
    )
