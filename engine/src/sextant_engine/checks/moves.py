"""Rules about NFs that an intent moves by name: each stands on its core, of the host that it ran on, and what moving
costs is said and within its budget."""

from sextant_domain.plans.intents import ResourceIntent

from sextant_engine.checks.view import View


def seats_as_asked(view: View) -> list[str]:
    """What `seats` names stands on the core that it names, and left no other host for it."""
    intent = view.body.intent
    if not isinstance(intent, ResourceIntent) or not view.body.target:
        return []
    wrong: list[str] = []
    for nf_id, core in sorted(intent.seats.items()):
        before, after = view.places_before.get(nf_id), view.places_after.get(nf_id)
        if before is None or after is None:
            wrong.append(f"{nf_id} is asked to move and runs nowhere")
        elif after[:2] != (before[0], core):
            wrong.append(f"{nf_id} stands on core {after[1]} of {after[0]}, asked for is {core} of {before[0]}")
        elif before[1] == core:
            wrong.append(f"{nf_id} is asked to move to core {core}, where it stands")
    return wrong


def loss_within_budget(view: View) -> list[str]:
    """What is said of the loss counts every NF that moves by a core's number, at the rate of its order, and is no more
    than the intent allows."""
    intent, loss = view.body.intent, view.body.loss
    if intent.kind not in {"migrate", "resources"} or not view.body.target:
        return [] if loss is None else ["a loss is said of a plan that moves nothing by order"]
    before, after = view.places_before, view.places_after
    moved = [nf_id for nf_id, (_, core, _) in after.items() if nf_id in before and before[nf_id][1] != core]
    chains = sorted({nf_id.split(".", 1)[0] for nf_id in moved})
    if loss is None:
        return [f"nothing is said of what moving {nf_id} costs" for nf_id in sorted(moved)]
    wrong: list[str] = []
    if [one.chain for one in loss.chains] != chains or sum(one.moves for one in loss.chains) != len(moved):
        wrong.append("the loss is not that of the NFs that move")
    for one in loss.chains:
        rates = [0.0 if now.paused else now.traffic.rate_mpps for _, now in view.chains_after.get(one.chain, [])]
        if rates != [one.rate_mpps] or one.packets < one.rate_mpps * loss.pause_ms * 1000 * one.moves:
            wrong.append(f"the loss of {one.chain} is more than is said")
    budget = intent.loss_budget if isinstance(intent, ResourceIntent) else None
    if sum(one.packets for one in loss.chains) != loss.packets:
        wrong.append("the loss of all chains is not its sum")
    if budget is not None and budget.most_packets is not None and loss.packets > budget.most_packets:
        wrong.append(f"{loss.packets} packets would be lost, {budget.most_packets} are allowed")
    if budget is not None and budget.most_pause_ms is not None and loss.pause_ms > budget.most_pause_ms:
        wrong.append(f"{loss.pause_ms:g} ms without a packet, {budget.most_pause_ms:g} are allowed")
    return wrong
