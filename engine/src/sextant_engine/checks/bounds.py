"""Rules about bounds of chains, and the tables of levels and lines of shares that orders hold for them. What stood so
before, and is not changed, is not this plan's doing; tables are exactly those that are named, in every order."""

import json

from sextant_domain.base import digest_of
from sextant_domain.chains.cpu_bounds import QUEUE_MATCHING
from sextant_domain.hosts.desired import DesiredChain, HostContent, ResourceBounds
from sextant_domain.hosts.host import SHARE_LINES
from sextant_domain.plans.intents import AdjustIntent, ResourceIntent

from sextant_engine.checks.view import View


def bounds_as_asked(view: View) -> list[str]:
    """Chains that the intent names have the bounds that it says; a chain that is new to a host has none there, unless
    it goes back to them or is taken as it was found."""
    intent = view.body.intent
    wrong: list[str] = []
    if isinstance(intent, ResourceIntent) and view.body.target:
        for name, bounds in sorted(intent.bounds.items()):
            copies = view.chains_after.get(name, [])
            wrong += [] if copies else [f"bounds of {name} are asked for, and it runs nowhere"]
            wrong += [f"bounds of {name} on {at} are not as asked for" for at, now in copies if now.bounds != bounds]
    if intent.kind not in {"restore", "align"}:
        wrong += [f"{one.chain} is new on {at} and has bounds" for at, one in view.new_chains if one.bounds is not None]
    return wrong


def bounds_possible(view: View) -> list[str]:
    """Bounds hold what their chain begins with, leave a way of its one node's cache to all others, are of a host with
    CAT and MBA, and go by a table that knows the chain's types."""
    wrong: list[str] = []
    for target in view.body.target:
        host = target.content.host_id
        then = {chain.chain: chain for chain in view.before[host].chains} if host in view.before else {}
        for chain in target.content.chains:
            if chain.bounds is not None and chain != then.get(chain.chain) and view.body.intent.kind != "align":
                wrong += _impossible(view, target.content, chain, chain.bounds)
    return wrong


def _impossible(view: View, content: HostContent, chain: DesiredChain, bounds: ResourceBounds) -> list[str]:
    host, wrong = content.host_id, []
    inventory = view.inventory(host)
    able = {one.name for one in inventory.capabilities if one.available} if inventory is not None else set()
    wrong += [f"{host} lacks {name}" for name in ("resctrl-cat", "resctrl-mba") if name not in able]
    has = chain.resources
    if has is None:
        wrong.append("it begins with nothing of its own")
    elif has.llc_ways is not None and not bounds.least_ways <= has.llc_ways <= bounds.most_ways:
        wrong.append(f"it begins with {has.llc_ways} ways")
    percent = None if has is None else has.memory_bandwidth_percent
    if percent is not None and not bounds.least_percent <= percent <= bounds.most_percent:
        wrong.append(f"it begins with {percent} % of memory bandwidth")
    nodes = {core.node for nf in chain.nfs if (core := view.core(host, nf.core)) is not None}
    caches = [one.llc.ways for one in inventory.nodes if one.id in nodes and one.llc] if inventory is not None else []
    if len(nodes) != 1:
        wrong.append(f"it stands on nodes {sorted(nodes)}")
    if any(ways is not None and bounds.most_ways >= ways for ways in caches):
        wrong.append(f"up to {bounds.most_ways} ways leave none of the cache to others")
    table = next((table for table in content.tables if digest_of(table) == bounds.table), None)
    unknown = sorted({nf.nf_type for nf in chain.nfs} - (table.types.keys() if table is not None else set()))
    if unknown:
        wrong.append(f"its table says nothing of {', '.join(unknown)}")
    return [f"bounds of {chain.chain} on {host}: {why}" for why in wrong]


def bounds_shown(view: View) -> list[str]:
    """What is shown of bounds, before and after, is what the orders had and have."""
    shown = {(one.host, one.chain): (one.before, one.after) for one in view.body.adjustments if one.field == "bounds"}
    wrong: list[str] = []
    for (host, name), (before, after) in sorted(shown.items()):
        for text, contents in ((before, view.before), (after, view.after)):
            chains = contents[host].chains if host in contents else ()
            bounds = next((chain.bounds for chain in chains if chain.chain == name), None)
            if json.loads(text) != (None if bounds is None else bounds.model_dump(mode="json")):
                wrong.append(f"bounds of {name} on {host} are not those that are shown")
    return wrong


def tables_held(view: View) -> list[str]:
    """An order holds the tables that bounds of its chains name, by rising digest, and no others."""
    wrong: list[str] = []
    for target in view.body.target:
        held = [digest_of(table) for table in target.content.tables]
        named = {chain.bounds.table for chain in target.content.chains if chain.bounds is not None}
        if held != sorted(named):
            wrong.append(f"{target.content.host_id}: {len(held)} tables are held, and its chains name {len(named)}")
    return wrong


def share_lines_held(view: View) -> list[str]:
    """An order holds the shares that are promoted on its host's model for NFs whose agent divides cores, by NF type,
    and no others; none where the agent does not know them."""
    wrong: list[str] = []
    for target in view.body.target:
        host, inventory = target.content.host_id, view.inventory(target.content.host_id)
        knows = inventory is not None and inventory.why_not(SHARE_LINES) is None
        model = inventory.host_model if inventory is not None and knows else None
        divided = {
            (nf.nf_type, nf.nf_version)
            for chain in target.content.chains
            if chain.share_bounds is not None and chain.share_bounds.law == QUEUE_MATCHING
            for nf in chain.nfs
        }
        promoted = [
            one.line
            for one in view.snapshot.share_lines
            if one.host_model == model and (one.line.nf_type, one.line.nf_version) in divided
        ]
        if list(target.content.share_lines) != sorted(promoted, key=lambda line: line.nf_type):
            wrong.append(f"{host}: its order holds shares other than those that are promoted for NFs with share bounds")
    return wrong


def one_law_a_core(view: View) -> list[str]:
    """Where share bounds are set, no other chain on a core of theirs names another law. Elsewhere the host leaves such
    a core undivided, and the plan warns of it."""
    intent = view.body.intent
    if not isinstance(intent, AdjustIntent):
        return []
    wrong: list[str] = []
    for target in view.body.target:
        host, laws = target.content.host_id, _laws_by_core(target.content)
        before = _laws_by_core(view.before[host]) if host in view.before else {}
        wrong += [
            f"core {core} of {host} would be divided by {' and '.join(sorted(named))}"
            for core, named in sorted(laws.items())
            if len(named) > 1 and named != before.get(core)
        ]
    return wrong


def _laws_by_core(content: HostContent) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for chain in content.chains:
        if chain.share_bounds is not None:
            for nf in chain.nfs:
                found.setdefault(nf.core, set()).add(chain.share_bounds.law)
    return found
