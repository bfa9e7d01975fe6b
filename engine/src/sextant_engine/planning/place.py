"""Place one chain; what already runs stays where it is."""

from sextant_domain.chain import ChainSpec
from sextant_domain.plan import PlaceIntent

from sextant_engine.fleet import Draft
from sextant_engine.planning.candidates import Choice, Chooser
from sextant_engine.planning.rejecting import does_not_fit, rejection
from sextant_engine.planning.seating import seat_newcomer


def place(draft: Draft, intent: PlaceIntent) -> None:
    """Seat the chain on the best host, or say why it fits nowhere."""
    spec = draft.specs.get(intent.chain)
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
    place_chain(draft, Chooser(draft), spec)


def place_chain(draft: Draft, chooser: Chooser, spec: ChainSpec) -> None:
    """One chain that does not run yet; `chooser` remembers equal cases between chains."""
    wrong = _wrong_nf(draft, spec)
    if wrong is not None:
        draft.rejected.append(rejection(spec.name, wrong, relax="correct the chain and submit it again"))
        return
    choice = chooser.choose(spec)
    if not isinstance(choice, Choice):
        draft.rejected.append(does_not_fit(draft, spec, choice))
        return
    if choice.result is not None:
        draft.results[choice.host.name] = choice.result
    seat_newcomer(draft, spec, choice)


def _wrong_nf(draft: Draft, spec: ChainSpec) -> str | None:
    for position, nf in enumerate(spec.nfs):
        nf_type = draft.nf_types.get(nf.type)
        if nf_type is None:
            return f"nfs.{position}.type: '{nf.type}' is not in the catalogue"
        config = {**nf_type.default_config(), **nf.config}
        for error in nf_type.config_errors(config, at=f"nfs.{position}.config"):
            return f"{error.field}: {error.message}"
    return None
