"""Rules about seats. What stood wrongly before and stays is not this plan's doing; what it puts somewhere is."""

from collections import Counter

from sextant_domain.hosts.desired import DesiredNf
from sextant_domain.hosts.host import Core
from sextant_domain.plans.intents import LaneIntent

from sextant_engine.checks.view import View

ORDERED = ("migrate", "resources", "restore", "align")
"""Kinds of plans whose cores somebody named, or that go back to such."""


def _by_order(view: View) -> bool:
    intent = view.body.intent
    return intent.kind in ORDERED or (isinstance(intent, LaneIntent) and bool(intent.seats))


def cores_exist(view: View) -> list[str]:
    """Every NF that is seated gets a core of the inventory that offers slots."""
    wrong: list[str] = []
    for host, nf in view.newly_seated:
        core = view.core(host, nf.core)
        if core is None:
            wrong.append(f"{nf.nf_id}: {host} has no core {nf.core}")
        elif core.slots == 0:
            wrong.append(f"{nf.nf_id}: core {nf.core} of {host} offers no slot")
    return wrong


def none_reserved(view: View) -> list[str]:
    """No NF is seated on a reserved core."""
    wrong: list[str] = []
    for host, nf in view.newly_seated:
        core = view.core(host, nf.core)
        if core is not None and core.reserved_for is not None:
            wrong.append(f"{nf.nf_id}: core {nf.core} of {host} is {core.reserved_for.text}")
    return wrong


def within_slots(view: View) -> list[str]:
    """No seated NF overfills its core or takes a slot that another NF has."""
    on_core: Counter[tuple[str, int]] = Counter()
    on_slot: Counter[tuple[str, int, int]] = Counter()
    for host, nf in view.nfs_after:
        on_core[host, nf.core] += 1
        on_slot[host, nf.core, nf.slot] += 1
    wrong: list[str] = []
    for host, nf in view.newly_seated:
        core = view.core(host, nf.core)
        if core is None:
            continue
        if on_core[host, nf.core] > core.slots:
            wrong.append(f"core {nf.core} of {host}: {on_core[host, nf.core]} NFs on {core.slots} slots")
        if on_slot[host, nf.core, nf.slot] > 1 or not 0 <= nf.slot < core.slots:
            wrong.append(f"{nf.nf_id}: slot {nf.slot} of core {nf.core} on {host} is taken or not there")
    return wrong


def siblings_empty(view: View) -> list[str]:
    """The siblings of an exclusive core that an NF is seated on hold no NF and are reserved for nobody."""
    used = {(host, nf.core): nf.nf_id for host, nf in view.nfs_after}
    wrong: list[str] = []
    for host, nf in view.newly_seated:
        threads = [core for core in (view.core(host, c) for c in view.threads(host, nf.core)) if core is not None]
        if any(core.slots > 1 for core in threads):
            continue
        for sibling in threads:
            if sibling.id == nf.core:
                continue
            if (host, sibling.id) in used:
                wrong.append(f"{nf.nf_id}: sibling core {sibling.id} of {host} holds {used[host, sibling.id]}")
            if sibling.reserved_for is not None:
                wrong.append(f"{nf.nf_id}: sibling core {sibling.id} of {host} is reserved")
    return wrong


def last_choice_last(view: View) -> list[str]:
    """No NF is seated on a last-choice core while an ordinary core of its node could take it (an order may, as may the
    way back from one)."""
    if _by_order(view):
        return []
    held = Counter((host, nf.core) for host, nf in view.nfs_after)
    wrong: list[str] = []
    for host, nf in view.newly_seated:
        core, inventory = view.core(host, nf.core), view.inventory(host)
        if core is None or inventory is None or not core.last_choice or _beside_tied(view, host, nf):
            continue
        free = [
            other.id for other in inventory.cores if other.node == core.node and _could_take(view, host, other, held)
        ]
        if free:
            wrong.append(f"{nf.nf_id} is on last-choice core {core.id} of {host}, but core {free[0]} has room")
    return wrong


def other_work_last(view: View) -> list[str]:
    """No NF is seated on a core with other work while another of its node, which nothing uses and nobody leaves by
    this plan, could take it (an order may, as may the way back from one)."""
    if _by_order(view):
        return []
    held = Counter((host, nf.core) for host, nf in view.nfs_after)
    held |= Counter((host, nf.core) for host, nf in view.nfs_before)
    wrong: list[str] = []
    for host, nf in view.newly_seated:
        core, inventory = view.core(host, nf.core), view.inventory(host)
        if core is None or inventory is None or core.last_choice or not _is_busy(view, host, core):
            continue
        if _beside_tied(view, host, nf):
            continue
        free = [
            other.id
            for other in inventory.cores
            if other.node == core.node and not _is_busy(view, host, other) and _could_take(view, host, other, held)
        ]
        if free:
            wrong.append(f"{nf.nf_id} is on core {core.id} of {host}, where other work is, but core {free[0]} has room")
    return wrong


def _beside_tied(view: View, host: str, nf: DesiredNf) -> bool:
    """It stands where it does for an NF that it is tied with."""
    return any(
        at == host and other.core == nf.core and other.nf_id != nf.nf_id and view.tied(other.nf_id, nf.nf_id)
        for at, other in (view.nfs_after if nf.nf_id in view.ties else ())
    )


def _is_busy(view: View, host: str, core: Core) -> bool:
    """Other work uses it or, where NFs have cores of their own, a thread of its physical core."""
    threads = [one for one in (view.core(host, c) for c in view.threads(host, core.id)) if one is not None]
    alone = all(one.slots <= 1 for one in threads)
    busy = {work.core for work in view.hosts[host].other_work}
    return bool(busy & ({one.id for one in threads} if alone else {core.id}))


def _could_take(view: View, host: str, core: Core, held: Counter[tuple[str, int]]) -> bool:
    if core.last_choice or core.reserved_for is not None or held[host, core.id] >= core.slots:
        return False
    others = [view.core(host, c) for c in view.threads(host, core.id) if c != core.id]
    threads = [other for other in others if other is not None]
    if core.slots > 1 or any(other.slots > 1 for other in threads):
        return True
    return all(other.reserved_for is None and held[host, other.id] == 0 for other in threads)
