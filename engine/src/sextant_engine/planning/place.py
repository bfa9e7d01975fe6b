"""Place chains that wait, in one search; what already runs stays where it is."""

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.plans.intents import PlaceIntent

from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.placing import place_chains
from sextant_engine.planning.rejecting import rejection


def place(draft: PlanDraft, intent: PlaceIntent) -> None:
    """Seat each chain on the best host, or say why it fits nowhere."""
    waiting = [spec for name in intent.chains if (spec := _waiting(draft, name)) is not None]
    if waiting:
        place_chains(draft, waiting, may_move=False)


def _waiting(draft: PlanDraft, name: str) -> ChainSpec | None:
    """The chain; None, and a reason, where there is nothing to be placed."""
    spec = draft.fleet.specs.get(name)
    if spec is None:
        draft.rejected.append(rejection(name, "the chain is not among those that shall run", relax="submit it again"))
        return None
    running = draft.hosts_of(spec.name)
    if running:
        draft.rejected.append(
            rejection(
                spec.name,
                f"the chain runs on {running[0].name} already",
                relax="migrate one of its NFs, or re-place the fleet",
            )
        )
        return None
    return spec
