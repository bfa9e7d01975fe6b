"""Rules about the orders themselves: base, generations, digests, and how far a plan of each kind may reach."""

from sextant_domain.base import digest_of
from sextant_domain.chains.nf import changeable_of
from sextant_domain.hosts.desired import ChainResources, DesiredChain, DesiredNf
from sextant_domain.plans.intents import (
    AdjustIntent,
    AlignIntent,
    DrainIntent,
    LaneIntent,
    MigrateIntent,
    PlaceIntent,
    RelocateIntent,
    RemoveIntent,
    ReplaceIntent,
    ResourceIntent,
    RestoreIntent,
)

from sextant_engine.checks.view import View


def generations(view: View) -> list[str]:
    """Every touched host has one base, taken from the snapshot, and one order, one generation above it, or two where
    something is ordered in between."""
    wrong: list[str] = []
    bases = {base.host: base for base in view.body.base}
    ordered = [target.content.host_id for target in view.body.target]
    if len(bases) != len(view.body.base) or len(set(ordered)) != len(ordered):
        wrong.append("a host is named twice")
    if set(bases) != set(ordered):
        wrong.append(f"base and target name different hosts: {sorted(set(bases) ^ set(ordered))}")
    for base in view.body.base:
        host = view.hosts.get(base.host)
        if host is None:
            wrong.append(f"{base.host} is not in the fleet")
        elif (base.generation, base.digest) != (host.generation, host.digest):
            wrong.append(f"{base.host}: base is generation {base.generation}, the host is at {host.generation}")
    between = {order.content.host_id for order in view.body.handover.between} if view.body.handover else set[str]()
    for target in view.body.target:
        name = target.content.host_id
        if name in bases and target.generation != bases[name].generation + 1 + (name in between):
            wrong.append(f"{name}: order {target.generation} does not follow generation {bases[name].generation}")
    return wrong


def digests(view: View) -> list[str]:
    """Digests are those of the contents, and contents are in canonical order."""
    wrong = [
        f"{target.content.host_id}: the digest is not that of the content"
        for target in view.body.target
        if target.digest != digest_of(target.content)
    ]
    for target in view.body.target:
        names = [chain.chain for chain in target.content.chains]
        if names != sorted(set(names)):
            wrong.append(f"{target.content.host_id}: chains are not sorted by name, or repeated")
    return wrong


def scope(view: View) -> list[str]:
    """A plan changes what its intent names and nothing else."""
    wrong: list[str] = []
    for target in view.body.target:
        host = target.content.host_id
        then = {chain.chain: chain for chain in view.before[host].chains} if host in view.before else {}
        now = {chain.chain: chain for chain in target.content.chains}
        for name in sorted({*then, *now}):
            wrong += _out_of_scope(view, host, then.get(name), now.get(name), name)
    return wrong


def _out_of_scope(view: View, host: str, then: DesiredChain | None, now: DesiredChain | None, name: str) -> list[str]:
    intent = view.body.intent
    if isinstance(intent, AlignIntent):
        return _not_as_aligned(intent, host, then, now, name)
    if isinstance(intent, RestoreIntent):
        return [] if then == now else _not_as_before(view, host, name, then, now)
    if isinstance(intent, RelocateIntent | DrainIntent):
        return [] if then == now else _not_moved_as_asked(view, host, name)
    if isinstance(intent, LaneIntent):
        return [] if then == now else _not_a_lane(intent, host, then, now, name)
    return _unasked(view, host, then, now, name)


def _unasked(view: View, host: str, then: DesiredChain | None, now: DesiredChain | None, name: str) -> list[str]:
    """Of plans that place, remove or change chains where they are."""
    intent = view.body.intent
    if then is None:
        whole = isinstance(intent, ReplaceIntent) and intent.host is None
        may_add = whole or (isinstance(intent, PlaceIntent) and name in intent.chains)
        return [] if may_add else [f"{host}: chain {name} appears, which the intent does not ask for"]
    if now is None:
        may_drop = isinstance(intent, RemoveIntent) and name in intent.chains
        return [] if may_drop else [f"{host}: chain {name} disappears, which the intent does not ask for"]
    return [] if then == now else _not_as_asked(view, host, then, now)


def _not_as_aligned(
    intent: AlignIntent, host: str, then: DesiredChain | None, now: DesiredChain | None, name: str
) -> list[str]:
    """Of the one host: what is repaired stays as it was ordered, what is accepted is as the intent says."""
    if host != intent.host:
        return [f"{host}: chain {name} is ordered, only {intent.host} was to be"]
    accepted = intent.accepted
    wanted = then if accepted is None else next((chain for chain in accepted.chains if chain.chain == name), None)
    return [] if now == wanted else [f"{host}: chain {name} is not as it is to be ordered"]


def _not_moved_as_asked(view: View, host: str, name: str) -> list[str]:
    """A chain leaves one host for one other: the host that is drained, or for the host that was named."""
    intent = view.body.intent
    homes = [home for home, _ in view.chains_before.get(name, [])]
    goals = [goal for goal, _ in view.chains_after.get(name, [])]
    moves = len(homes) == len(goals) == 1 and homes != goals
    if isinstance(intent, DrainIntent):
        asked = homes == [intent.host]
    else:
        asked = isinstance(intent, RelocateIntent) and goals == [view.goals.get(name)]
    return [] if moves and asked else [f"{host}: chain {name} does not move as the intent asks"]


def _not_a_lane(
    intent: LaneIntent, host: str, then: DesiredChain | None, now: DesiredChain | None, name: str
) -> list[str]:
    """Lanes of the one chain start and leave, and of those that stay the rate and the lane change."""
    if then is not None and now is not None:
        rest = {"traffic": then.traffic.model_copy(update={"rate_mpps": 0.0, "lane": None})}
        after = {"traffic": now.traffic.model_copy(update={"rate_mpps": 0.0, "lane": None})}
        if then.model_copy(update=rest) != now.model_copy(update=after):
            return [f"{host}: chain {name} changes in more than its lane"]
    lanes = [chain.traffic.lane for chain in (then, now) if chain is not None]
    of = [lane.of for lane in lanes if lane is not None] or [name]
    return [] if set(of) == {intent.chain} else [f"{host}: chain {name} is no lane of {intent.chain}"]


def _not_as_before(view: View, host: str, name: str, then: DesiredChain | None, now: DesiredChain | None) -> list[str]:
    """A chain that is restored is as it was before the operation, and was left as the operation ordered it."""
    former = next((one for one in view.snapshot.former if one.before.host_id == host), None)
    if former is None:
        return [f"{host}: chain {name} changes, of which the operation left nothing"]
    before = next((chain for chain in former.before.chains if chain.chain == name), None)
    after = next((chain for chain in former.after.chains if chain.chain == name), None)
    if then != after:
        return [f"{host}: chain {name} was changed since the operation"]
    same = (now and _without_slots(now)) == (before and _without_slots(before))
    return [] if same else [f"{host}: chain {name} is not as it was before the operation"]


def _without_slots(chain: DesiredChain) -> DesiredChain:
    """Slots of a core are alike."""
    return chain.model_copy(update={"nfs": tuple(nf.model_copy(update={"slot": 0}) for nf in chain.nfs)})


def _not_as_asked(view: View, host: str, then: DesiredChain, now: DesiredChain) -> list[str]:
    intent = view.body.intent
    if isinstance(intent, ReplaceIntent) and (wrong := _other_than_replaced(intent, host, now.chain)):
        return [wrong]
    if isinstance(intent, PlaceIntent | RemoveIntent):
        return [f"{host}: chain {now.chain} is changed, which the intent does not ask for"]
    if isinstance(intent, AdjustIntent):
        return _other_than_settings(intent, host, then, now)
    if isinstance(intent, ResourceIntent):
        return _other_than_resources(view, intent, host, then, now)
    if _without_seats(then) != _without_seats(now):
        return [f"{host}: chain {now.chain} changes in more than its seats"]
    return _other_than_ordered(view, intent, host, then, now) if isinstance(intent, MigrateIntent) else []


def _other_than_replaced(intent: ReplaceIntent, host: str, chain: str) -> str | None:
    if intent.host not in (None, host):
        return f"{host}: chain {chain} is changed, only {intent.host} was to be re-placed"
    return f"{host}: chain {chain} is changed, which was to stay as it is" if chain in intent.keep else None


def _other_than_ordered(
    view: View, intent: MigrateIntent, host: str, then: DesiredChain, now: DesiredChain
) -> list[str]:
    """The NF that was named, and those that are tied with it."""
    wrong: list[str] = []
    for before, after in zip(then.nfs, now.nfs, strict=True):
        if before == after:
            continue
        if after.nf_id != intent.nf_id and not view.tied(after.nf_id, intent.nf_id):
            wrong.append(f"{host}: {after.nf_id} moves, only {intent.nf_id} was ordered to")
        elif (host, after.core) != (intent.host, intent.core):
            wrong.append(f"{after.nf_id} goes to core {after.core} of {host}, not to {intent.core} of {intent.host}")
    return wrong


def _other_than_settings(intent: AdjustIntent, host: str, then: DesiredChain, now: DesiredChain) -> list[str]:
    if now.chain in intent.more:
        none: dict[str, object] = {"traffic": None, "paused": None}
        same = then.model_copy(update=none) == now.model_copy(update=none)
        return [] if same else [f"{host}: chain {now.chain} changes in more than its traffic and its pause"]
    if now.chain != intent.chain:
        return [f"{host}: chain {now.chain} is changed, only {' and '.join(intent.chains)} was ordered to"]
    if _without_settings(then) != _without_settings(now):
        return [f"{host}: chain {now.chain} changes in more than its settings"]
    return []


def _other_than_resources(
    view: View, intent: ResourceIntent, host: str, then: DesiredChain, now: DesiredChain
) -> list[str]:
    """The rest of the chain, and of each NF what the intent does not name, is as it was."""
    rest: dict[str, object] = {"nfs": (), "resources": None}
    if now.chain in intent.bounds:
        rest["bounds"] = None
    if then.model_copy(update=rest) != now.model_copy(update=rest) or len(then.nfs) != len(now.nfs):
        return [f"{host}: chain {now.chain} changes in more than its NFs' resources"]
    wanted = intent.chains.get(now.chain)
    kept = dict.fromkeys(wanted.asked if wanted is not None else ())
    if _shared(then, kept) != _shared(now, kept):
        return [f"{host}: chain {now.chain} changes in what was not asked for"]
    wrong: list[str] = []
    for before, after in zip(then.nfs, now.nfs, strict=True):
        asked = intent.resources.get(before.nf_id)
        named: dict[str, None] = dict.fromkeys(asked.asked if asked is not None else ())
        if before.nf_id in intent.seats or any(view.tied(before.nf_id, nf_id) for nf_id in intent.seats):
            named |= {"core": None, "slot": None}
        if before.model_copy(update=named) != after.model_copy(update=named):
            wrong.append(f"{host}: {after.nf_id} changes in what was not asked for")
    return wrong


def _shared(chain: DesiredChain, without: dict[str, None]) -> ChainResources:
    return (chain.resources or ChainResources()).model_copy(update=without)


def _without_settings(chain: DesiredChain) -> DesiredChain:
    nfs = tuple(_without_nf_settings(nf) for nf in chain.nfs)
    none = dict.fromkeys(("traffic", "execution", "paused", "share_bounds", "quota_bounds"))
    return chain.model_copy(update={**none, "nfs": nfs})


def _without_nf_settings(nf: DesiredNf) -> DesiredNf:
    changeable = changeable_of(nf.nf_type, nf.config)
    rest = {name: value for name, value in nf.config.items() if name not in changeable}
    return nf.model_copy(update={"cpu_share": None, "cpu_quota_percent": None, "config": rest})


def _without_seats(chain: DesiredChain) -> DesiredChain:
    return chain.model_copy(update={"nfs": tuple(nf.model_copy(update={"core": 0, "slot": 0}) for nf in chain.nfs)})


def removed(view: View) -> list[str]:
    """A chain that is removed runs nowhere afterwards."""
    intent = view.body.intent
    if not isinstance(intent, RemoveIntent) or (intent.chain in view.rejected and not view.body.target):
        return []
    return [f"{name} still runs on {host}" for name in intent.chains for host, _ in view.chains_after.get(name, [])]
