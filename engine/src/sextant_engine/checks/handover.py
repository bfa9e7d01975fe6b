"""Rules about chains that change places between hosts: none is left before it runs elsewhere, or it is said."""

from sextant_domain.base import digest_of
from sextant_domain.hosts.desired import DesiredChain, HostContent
from sextant_domain.plans.plan import PlanBody

from sextant_engine.checks import cores
from sextant_engine.checks.view import View


def said(view: View) -> list[str]:
    """Orders in between hold what runs and what comes, on seats that are there; whoever still waits in a circle is
    said to be interrupted."""
    handover = view.body.handover
    orders = () if handover is None else handover.between
    wrong: list[str] = []
    bases = {base.host: base.generation for base in view.body.base}
    for order in orders:
        name = order.content.host_id
        if order.generation != bases.get(name, -1) + 1 or order.digest != digest_of(order.content):
            wrong.append(f"{name}: the order in between does not follow its base, or its digest is another's")
        wrong += _not_both(view, name, order.content)
    meanwhile = View(PlanBody.model_construct(**{**dict(view.body), "target": orders}), view.snapshot)
    for rule in (cores.cores_exist, cores.none_reserved, cores.within_slots, cores.siblings_empty):
        wrong += [f"in between: {text}" for text in rule(meanwhile)]
    interrupted = set[str]()
    if handover is not None and handover.interrupts is not None:
        interrupted = {one.chain for one in handover.interrupts.chains}
        wrong += _loss(view)
    return wrong + _circle(view, {order.content.host_id for order in orders}, interrupted)


def _not_both(view: View, host: str, content: HostContent) -> list[str]:
    """All chains that run as they run, and all that come from other hosts as they will be, but for their seats."""
    now = {chain.chain: chain for chain in content.chains}
    then = {chain.chain: chain for chain in view.before[host].chains} if host in view.before else {}
    goal = {
        chain.chain: chain
        for chain in view.after[host].chains
        if chain.chain not in then and chain.chain in view.chains_before
    } if host in view.after else {}  # fmt: skip
    if [chain.chain for chain in content.chains] != sorted({*then, *goal}):
        return [f"{host}: in between it does not run exactly what it ran and what comes to it"]
    wrong = [f"{host}: {name} is changed in between" for name in then if now[name] != then[name]]
    return wrong + [
        f"{host}: {name} does not come as it is to be" for name in goal if _unseated(now[name]) != _unseated(goal[name])
    ]


def _unseated(chain: DesiredChain) -> DesiredChain:
    return chain.model_copy(update={"nfs": tuple(nf.model_copy(update={"core": 0, "slot": 0}) for nf in chain.nfs)})


def _circle(view: View, between: set[str], interrupted: set[str]) -> list[str]:
    """Hosts that wait for each other although nothing is said of it: taken away one by one, whoever waits for nobody
    goes first."""
    waits = {target.content.host_id: set[str]() for target in view.body.target}
    for chain, places in view.chains_after.items():
        for goal, _ in places:
            for home, _ in view.chains_before.get(chain, []):
                if home != goal and goal not in between and chain not in interrupted and home in waits:
                    waits[home].add(goal)
    while free := [host for host, others in waits.items() if not others & waits.keys()]:
        for host in free:
            del waits[host]
    return [f"{', '.join(sorted(waits))} wait for each other, and nothing is said of it"] if waits else []


def _loss(view: View) -> list[str]:
    """Each chain that is interrupted changes its host, and no less is said than it loses in that time."""
    handover = view.body.handover
    loss = None if handover is None else handover.interrupts
    if loss is None:
        return []
    wrong: list[str] = []
    for one in loss.chains:
        after = view.chains_after.get(one.chain, [])
        homes, goals = [host for host, _ in view.chains_before.get(one.chain, [])], [host for host, _ in after]
        rates = [0.0 if chain.paused else chain.traffic.rate_mpps for _, chain in after]
        if homes == goals or rates != [one.rate_mpps] or one.packets < one.rate_mpps * loss.pause_ms * 1000:
            wrong.append(f"the loss of {one.chain} is more than is said, or it keeps its host")
    if loss.packets != sum(one.packets for one in loss.chains):
        wrong.append("the loss of all chains that are interrupted is not its sum")
    return wrong
