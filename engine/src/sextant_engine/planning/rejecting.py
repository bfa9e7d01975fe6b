"""Why a chain does not fit in the fleet and what is short, in words."""

from sextant_domain.chains.anti_affinity import AntiAffinity
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.plans.plan import Rejection, Shortfall

from sextant_engine.planning.conflict import smallest_conflict
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.fleet_problem import Entry, entry_of
from sextant_engine.planning.refusals import HostRefusal, refusals_of
from sextant_engine.planning.relaxing import cheapest_text, relaxations, slots

MAX_NAMED = 4
"""Hosts that a reason names one by one; the rest are counted."""


class Rejecter:
    """Explains rejections against the finished draft. Chains of equal entry, length and group share their reason."""

    def __init__(self, draft: PlanDraft) -> None:
        self.draft = draft
        self._known: dict[tuple[Entry, int, AntiAffinity | None], Rejection] = {}

    def why(self, spec: ChainSpec) -> Rejection:
        """Why no host takes the chain, and the cheapest way out."""
        key = (entry_of(self.draft, spec), len(spec.nfs), spec.anti_affinity)
        if key not in self._known:
            self.draft.progress.report("explaining")
            self._known[key] = _does_not_fit(self.draft, spec)
        return self._known[key].model_copy(update={"chain": spec.name})


def _does_not_fit(draft: PlanDraft, spec: ChainSpec) -> Rejection:
    for end, wanted in (("ingress", spec.ingress.host), ("egress", spec.egress.host)):
        if wanted is not None and wanted not in draft.hosts:
            return rejection(
                spec.name,
                f"{end} host {wanted} is not in the fleet",
                relax=f"name a host of the fleet as {end}, or none to let the engine choose",
            )
    if spec.ingress.host and spec.egress.host and spec.ingress.host != spec.egress.host:
        return rejection(
            spec.name,
            f"ingress is on {spec.ingress.host} and egress on {spec.egress.host}; a chain runs on one host",
            relax="name the same host for both, or only one",
        )
    if not draft.hosts:
        return rejection(spec.name, "the fleet has no host", relax="enrol a host")
    refusals = refusals_of(draft, spec)
    if len(refusals) < len(draft.hosts) and spec.anti_affinity is not None and not _hurried(draft):
        group = spec.anti_affinity.group
        return rejection(
            spec.name,
            f"no way was found to seat it apart from the others of anti-affinity group {group}",
            relax=f"place it without anti-affinity group {group}, or by a plan of its own",
        )
    if len(refusals) < len(draft.hosts):
        return rejection(
            spec.name,
            f"the time limit of {draft.solving.time_limit_s:g} s ended the search before the chain had a place",
            relax="plan again with more time: there is room for it",
        )
    other = [refusal for refusal in refusals if refusal.cause != "closed"]
    relevant = [refusal for refusal in other if refusal.cause != "elsewhere"] or other
    short = [refusal for refusal in relevant if refusal.cause == "room"]
    ways = relaxations(draft, spec, refusals)
    return Rejection(
        chain=spec.name,
        reason=f"needs {slots(len(spec.nfs))} on one host: {_listed(relevant)}",
        short=_shortfall(short),
        relax=cheapest_text(ways),
        relaxations=ways,
        conflict=smallest_conflict(draft, spec),
    )


def _hurried(draft: PlanDraft) -> bool:
    """Whether the search was ended by its limit; else it had looked everywhere that it looks."""
    return draft.found is None or draft.found.hurried or draft.found.stopped


def rejection(chain: str, reason: str, relax: str | None, short: Shortfall | None = None) -> Rejection:
    """A Rejection from words."""
    return Rejection(chain=chain, reason=reason, short=short, relax=relax)


def _listed(refusals: list[HostRefusal]) -> str:
    named = sorted(refusals, key=lambda refusal: (_rank(refusal), refusal.missing, refusal.host.name))
    text = "; ".join(refusal.reason for refusal in named[:MAX_NAMED])
    rest = len(named) - MAX_NAMED
    return text if rest <= 0 else f"{text}; and {rest} more host{'s' * (rest > 1)} that cannot take it"


def _rank(refusal: HostRefusal) -> int:
    """First hosts whose chains it must not stand with, or is tied with, then those that lack room, then those that an
    operator can put back into service at once."""
    return {"tied": 0, "apart": 0, "room": 1, "budget": 1, "cordoned": 2}.get(refusal.cause, 3)


def _shortfall(short: list[HostRefusal]) -> Shortfall | None:
    if not short:
        return None
    nearest = min(short, key=lambda refusal: (refusal.missing, refusal.host.name))
    nodes = nearest.host.inventory.nodes
    return Shortfall(host=nearest.host.name, node=nodes[0].id if len(nodes) == 1 else None, cores=nearest.missing)
