"""Why an NF cannot go to a core that somebody named: one rule and one text for one NF, and for several at once."""

from collections.abc import Collection, Iterator, Mapping

from sextant_domain.plans.plan import Rejection, Shortfall

from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import HostState
from sextant_engine.planning.apart import group_of, together
from sextant_engine.planning.refusals import cordoned_text, down_text
from sextant_engine.planning.rejecting import rejection
from sextant_engine.planning.ties import tied_with
from sextant_engine.seats import Seats


def not_running(nf_id: str) -> Rejection:
    """No host has it."""
    return rejection(chain_of(nf_id), f"no host runs {nf_id}", relax="list the NFs that run and name one of them")


def closed_host(home: HostState, nf_id: str) -> Rejection | None:
    """No NF moves on a host that is not up, or is cordoned."""
    chain = chain_of(nf_id)
    if not home.up:
        return rejection(chain, f"{down_text(home)}, so the move cannot be made", relax=f"bring {home.name} back")
    if home.cordoned is not None:
        return rejection(chain, f"{cordoned_text(home)}, so no NF may move there", relax=f"uncordon {home.name} first")
    return None


def wrong_core(home: HostState, others: Seats, nf_id: str, core: int) -> Rejection | None:
    """The core does not take the NF beside `others`: all who stay, and those who were given their core before it."""
    chain = chain_of(nf_id)
    open_cores = _open_cores(home, others, nf_id)
    relax = f"name core {open_cores}" if open_cores else f"free a slot on {home.name} first"
    why = _never(home, others, nf_id, core)
    if why is not None:
        return rejection(chain, why, relax=relax)
    unit = others.unit_of(core)
    if unit is None or others.free(unit) > 0:
        return None
    holds = f"all {unit.capacity} slots are taken" if unit.capacity > 1 else "an NF stands on its physical core"
    return rejection(
        chain,
        f"core {core} is full: {holds}",
        relax=relax,
        short=Shortfall(host=home.name, node=unit.node, cores=1),
    )


def _never(home: HostState, others: Seats, nf_id: str, core_id: int) -> str | None:
    """Why this core could not take the NF even if it were empty."""
    core = next((core for core in home.inventory.cores if core.id == core_id), None)
    unit = others.unit_of(core_id)
    if core is None or unit is None:
        return f"{home.name} has no core {core_id}"
    if any(nf.nf_id == nf_id and nf.core == core_id for nf in home.nfs()):
        return f"{nf_id} stands on core {core_id} already"
    if core.reserved_for is not None:
        return f"core {core.id} is {core.reserved_for.text}"
    if core.slots == 0:
        return f"core {core.id} offers no slot"
    return f"core {core.id} must stay empty: {unit.blocked}" if unit.blocked is not None else None


def _open_cores(home: HostState, others: Seats, nf_id: str) -> str:
    now = next(nf.core for nf in home.nfs() if nf.nf_id == nf_id)
    return " or ".join(str(unit.core) for unit in others.open_units() if now not in unit.threads)


def with_tied(
    fleet: FleetView, hosts: Mapping[str, HostState], cores: Mapping[str, int]
) -> tuple[dict[str, int], dict[str, str], list[Rejection]]:
    """Cores that somebody named, by NF, with those of all that are tied with them and do not stand there yet; with whom
    each of these goes; and, where tied NFs were named different cores, why that cannot be."""
    home_of = {nf.nf_id: host for host in hosts.values() for nf in host.nfs()} if fleet.ties else {}
    found: dict[str, int] = dict(cores)
    led_by: dict[str, str] = {}
    refused: list[Rejection] = []
    for nf_id, core in sorted(cores.items()):
        others = tied_with(fleet, home_of[nf_id], nf_id) if nf_id in home_of else {}
        for other, stands in others.items():
            if other in cores and cores[other] != core and other > nf_id:
                reason = f"seats.{other}: it is tied with {nf_id}, which is to go to core {core}, not {cores[other]}"
                refused.append(rejection(chain_of(other), reason, relax=f"name core {core} for both"))
            elif other not in found and stands != core:
                found[other], led_by[other] = core, nf_id
    return found, led_by, refused


def led(refused: Rejection, nf_id: str, leader: str) -> Rejection:
    """Why an NF cannot go along, said of the one that was to move."""
    reason = f"{nf_id} is tied with {leader} and would go along: {refused.reason}"
    return refused.model_copy(update={"chain": chain_of(leader), "reason": reason})


def on_core(home: HostState, nf_id: str, core: int, slot: int) -> HostState:
    """The same host with one NF on another seat."""
    placed = home.chains[chain_of(nf_id)]
    seat = {"core": core, "slot": slot}
    nfs = tuple(nf.model_copy(update=seat) if nf.nf_id == nf_id else nf for nf in placed.nfs)
    return home.with_chain(placed.model_copy(update={"nfs": nfs}))


def broken_groups(fleet: FleetView, home: HostState, moved: HostState, chains: Collection[str]) -> Iterator[Rejection]:
    """Anti-affinity that a move on the host breaks; only a node can come to be shared. `chains`: those that move."""
    for one, other, node in sorted(together(fleet, moved) - together(fleet, home)):
        chain, there = (one, other) if one in chains else (other, one)
        group = group_of(fleet, chain)
        holds = f"node {node} of {home.name} holds {there}"
        yield rejection(
            chain, f"{holds} of anti-affinity group {group and group.group}", relax="name a core of another node"
        )


def chain_of(owner: str) -> str:
    """Of an NF's id, or of a chain's name."""
    return owner.split(".", 1)[0]
