"""Place one chain; what already runs stays where it is."""

from sextant_domain.plans.plan import PlaceIntent

from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.placing import place_chains
from sextant_engine.planning.rejecting import rejection


def place(draft: PlanDraft, intent: PlaceIntent) -> None:
    """Seat the chain on the best host, or say why it fits nowhere."""
    spec = draft.fleet.specs.get(intent.chain)
    if spec is None:
        draft.rejected.append(
            rejection(intent.chain, "the chain is not among those that shall run", relax="submit it again")
        )
        return
    running = draft.hosts_of(spec.name)
    if running:
        draft.rejected.append(
            rejection(
                spec.name,
                f"the chain runs on {running[0].name} already",
                relax="migrate one of its NFs, or re-place the fleet",
            )
        )
        return
    place_chains(draft, [spec], may_move=False)
