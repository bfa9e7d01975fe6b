"""Rules about what the plan shows its reader: changes, before and after must be what the orders do."""

from sextant_domain.hosts.desired import HostContent
from sextant_domain.plans.placement import PlacedNf, Seat
from sextant_domain.plans.plan import ChangeKind

from sextant_engine.checks.resources import seat_resources
from sextant_engine.checks.view import Place, View


def changes_listed(view: View) -> list[str]:
    """The list of changes is the difference between the two states, with a reason each."""
    expected: dict[str, tuple[ChangeKind, Place | None, Place | None]] = {}
    before, after = view.places_before, view.places_after
    then, now = _resources(view, view.before), _resources(view, view.after)
    for nf_id in {*before, *after}:
        source, target = before.get(nf_id), after.get(nf_id)
        if source != target:
            kind = ChangeKind.START if source is None else ChangeKind.STOP if target is None else ChangeKind.MOVE
            expected[nf_id] = (kind, source, target)
        elif then.get(nf_id) != now.get(nf_id):
            expected[nf_id] = (ChangeKind.RESOURCES, source, target)
    listed = {
        change.nf_id: (
            change.kind,
            (change.source.host, change.source.core, change.source.slot) if change.source else None,
            (change.target.host, change.target.core, change.target.slot) if change.target else None,
        )
        for change in view.body.changes
    }
    wrong = [
        f"{nf_id}: what is listed is not what the orders do"
        for nf_id in sorted(expected)
        if listed.get(nf_id) != expected[nf_id]
    ]
    wrong += [f"{nf_id}: listed as a change, but does not change" for nf_id in sorted(set(listed) - set(expected))]
    wrong += [f"{change.nf_id}: no reason given" for change in view.body.changes if not change.reason]
    if len(listed) != len(view.body.changes):
        wrong.append("an NF is listed twice")
    return wrong


def _resources(view: View, contents: dict[str, HostContent]) -> dict[str, dict[str, float | None]]:
    """By NF, of the hosts that the plan touches."""
    touched = {target.content.host_id for target in view.body.target}
    return {
        nf.nf_id: seat_resources(chain, nf)
        for host, content in contents.items()
        if host in touched
        for chain in content.chains
        for nf in chain.nfs
    }


def states_listed(view: View) -> list[str]:
    """`before` and `after` list every NF of the touched hosts, each on its node."""
    wrong: list[str] = []
    touched = {target.content.host_id for target in view.body.target}
    for name, listed, contents in (("before", view.body.before, view.before), ("after", view.body.after, view.after)):
        expected = {
            (nf.nf_id, host, nf.core, nf.slot, position, *seat_resources(chain, nf).values())
            for host in touched
            if host in contents
            for chain in contents[host].chains
            for position, nf in enumerate(chain.nfs)
        }
        got = {(nf.nf_id, *nf.seat.place, nf.position, *_of_seat(nf.seat)) for nf in listed}
        if got != expected or len(listed) != len(expected):
            wrong.append(f"{name} does not list the NFs of the touched hosts")
        wrong += [
            f"{name}: {nf.nf_id} is said to stand on node {nf.seat.node}" for nf in listed if _wrong_node(view, nf)
        ]
    return wrong


def _of_seat(seat: Seat) -> tuple[float | None, ...]:
    own = (seat.llc_ways, seat.memory_bandwidth_percent, seat.cpu_share, seat.cpu_quota_percent)
    return *own, seat.chain_llc_ways, seat.chain_memory_bandwidth_percent


def _wrong_node(view: View, nf: PlacedNf) -> bool:
    core = view.core(nf.seat.host, nf.seat.core)
    return core is not None and core.node != nf.seat.node
