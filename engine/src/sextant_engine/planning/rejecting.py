"""Why a chain does not fit in the fleet, what is short, and the cheapest relaxation, in words."""

from sextant_domain.chain import ChainSpec
from sextant_domain.plan import Rejection, Shortfall

from sextant_engine.fleet import Draft, HostDraft
from sextant_engine.planning.candidates import Refusal

MAX_NAMED = 4
"""Hosts that a reason names one by one; the rest are counted."""


def does_not_fit(draft: Draft, spec: ChainSpec, refusals: list[Refusal]) -> Rejection:
    """No host can take the chain."""
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
    told = [refusal for refusal in refusals if refusal.cause != "elsewhere"]
    short = [refusal for refusal in told if refusal.cause == "room"]
    return Rejection(
        chain=spec.name,
        reason=f"needs {_seats(len(spec.nfs))} on one host: {_listed(told)}",
        short=_shortfall(short),
        relax=_relax(draft, spec, told),
    )


def rejection(chain: str, reason: str, relax: str | None, short: Shortfall | None = None) -> Rejection:
    """A Rejection from words."""
    return Rejection(chain=chain, reason=reason, short=short, relax=relax)


def _listed(refusals: list[Refusal]) -> str:
    named = sorted(refusals, key=lambda refusal: (refusal.cause != "room", refusal.missing, refusal.host.name))
    text = "; ".join(refusal.reason for refusal in named[:MAX_NAMED])
    rest = len(named) - MAX_NAMED
    return text if rest <= 0 else f"{text}; and {rest} more hosts that cannot take it"


def _shortfall(short: list[Refusal]) -> Shortfall | None:
    if not short:
        return None
    nearest = min(short, key=lambda refusal: (refusal.missing, refusal.host.name))
    nodes = nearest.host.inventory.nodes
    return Shortfall(host=nearest.host.name, node=nodes[0].id if len(nodes) == 1 else None, cores=nearest.missing)


def _relax(draft: Draft, spec: ChainSpec, refusals: list[Refusal]) -> str | None:
    """The cheapest: nothing given up (a host back, a port named), then the least value removed, then more room."""
    for refusal in sorted(refusals, key=lambda refusal: refusal.host.name):
        if refusal.cause == "down" and refusal.host.free >= len(spec.nfs):
            return f"bring {refusal.host.name} back: it has {_seats(refusal.host.free)} free"
    removals = [
        (value, refusal.host.name, names, freed)
        for refusal in refusals
        if refusal.cause == "room"
        for value, names, freed in [_cheapest_removal(draft, refusal.host, refusal.missing)]
        if names
    ]
    if removals:
        value, host, names, freed = min(removals)
        listed = " and ".join(names)
        return f"remove {listed} (value {value:g}) from {host}, which frees {_seats(freed)}"
    if any(refusal.cause == "room" for refusal in refusals):
        return f"shorten the chain, or add a host with {_seats(len(spec.nfs))}"
    if any(refusal.cause == "port" for refusal in refusals):
        return "name a port that the host has, or none to let the engine choose"
    return "bring a host back, or enrol another"


def _cheapest_removal(draft: Draft, host: HostDraft, missing: int) -> tuple[float, tuple[str, ...], int]:
    """Chains of least summed value that free `missing` seats: the best single one, or the cheapest per seat in turn."""
    chains = sorted((draft.value_of(name), name, len(host.chains[name].nfs)) for name in host.chains)
    for value, name, freed in chains:
        if freed >= missing:
            return value, (name,), freed
    total, freed_in_all, names = 0.0, 0, []
    for value, name, freed in sorted(chains, key=lambda chain: (chain[0] / chain[2], chain[1])):
        total, freed_in_all = total + value, freed_in_all + freed
        names.append(name)
        if freed_in_all >= missing:
            return total, tuple(names), freed_in_all
    return 0.0, (), 0


def _seats(count: int) -> str:
    return "1 slot" if count == 1 else f"{count} slots"
