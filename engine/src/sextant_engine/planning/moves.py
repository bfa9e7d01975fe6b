"""Move NFs of several chains to cores of their hosts that somebody names, all at once: cores may be exchanged."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from sextant_domain.plans.plan import Rejection

from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import HostState
from sextant_engine.planning.cores_by_hand import (
    broken_groups,
    chain_of,
    closed_host,
    led,
    not_running,
    on_core,
    wrong_core,
)
from sextant_engine.planning.rejecting import rejection
from sextant_engine.planning.resource_groups import without_room

NOBODY: Mapping[str, str] = {}


def moved_to(
    hosts: Mapping[str, HostState], cores: Mapping[str, int], led_by: Mapping[str, str] = NOBODY
) -> tuple[dict[str, HostState], list[Rejection]]:
    """The hosts whose NFs move, with all of them moved, and why some of them cannot be. `cores`: by NF; `led_by`: of
    those that go along, with whom."""
    home_of = {nf.nf_id: host.name for host in hosts.values() for nf in host.nfs()}
    refused = [not_running(nf_id) for nf_id in sorted(cores) if nf_id not in home_of]
    asked: dict[str, dict[str, int]] = defaultdict(dict)
    for nf_id in sorted(cores.keys() & home_of.keys()):
        asked[home_of[nf_id]][nf_id] = cores[nf_id]
    moved: dict[str, HostState] = {}
    for name, of_host in sorted(asked.items()):
        moved[name], why_not = _on_host(hosts[name], of_host, led_by)
        refused += why_not
    return moved, refused


def _on_host(home: HostState, cores: Mapping[str, int], led_by: Mapping[str, str]) -> tuple[HostState, list[Rejection]]:
    """All who move leave their seats first: two may exchange theirs."""
    closed = [one for nf_id in cores if (one := closed_host(home, nf_id)) is not None]
    if closed:
        return home, closed
    others, moved, refused = home.seats(without=frozenset(cores)), home, []
    for nf_id, core in cores.items():
        wrong, unit = wrong_core(home, others, nf_id, core), others.unit_of(core)
        if wrong is not None or unit is None:
            if wrong is not None:
                refused.append(led(wrong, nf_id, led_by[nf_id]) if nf_id in led_by else wrong)
            continue
        slot = others.lowest_free_slot(unit)
        moved = on_core(moved, nf_id, core, slot)
        others.take(core, slot)
    return moved, refused


def cannot_stand(
    fleet: FleetView, before: HostState, after: HostState, cores: Mapping[str, int]
) -> Iterator[Rejection]:
    """What makes the moves impossible once everything else that is asked for is given, too: ways of the NFs' own that
    do not fit into the cache there, chains that must stand apart."""
    here = [nf.nf_id for nf in after.nfs() if nf.nf_id in cores]
    chains = {chain_of(nf_id): nf_id for nf_id in reversed(here)}
    for chain, nf_id in sorted(chains.items()):
        no_room = without_room(after, nf_id)
        if no_room is not None:
            yield rejection(chain, no_room, relax="give back (none) some of it, or of what others have there, as well")
    yield from broken_groups(fleet, before, after, chains)
