"""Rules about NFs that an intent moves by name: each stands on its core, of the host that it ran on."""

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
