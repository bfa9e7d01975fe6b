"""Tied NFs before a rule for what goes aside: one element, that stays or goes as a whole."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sextant_engine.control.coco.state import Push, Pusher, PushQuestion, SharedCores


@dataclass(frozen=True, slots=True)
class TiedPusher:
    """A `Pusher` that asks another of elements, and answers of NFs."""

    rule: Pusher

    def __call__(self, question: PushQuestion) -> Push:
        """The rule's answer, with all NFs of each element that goes."""
        members = elements_of(question.host)
        if not members:
            return self.rule(question)
        push = self.rule(_joined(question, members))
        moves = {nf: core for name, core in push.moves.items() for nf in members.get(name, (name,))}
        return replace(push, moves=moves)


def elements_of(host: SharedCores) -> dict[str, tuple[str, ...]]:
    """The NFs of each element that is several, on one core, called by the first of them."""
    together: dict[tuple[str, int], list[str]] = {}
    for core, names in host.cores.items():
        for name in names:
            if name in host.ties:
                together.setdefault((host.ties[name], core), []).append(name)
    return {min(names): tuple(sorted(names)) for names in together.values() if len(names) > 1}


def _joined(question: PushQuestion, members: Mapping[str, tuple[str, ...]]) -> PushQuestion:
    """The same question of elements: shares add up (f at the summed rate, as no core sees their chains apart)."""
    called = {nf: name for name, nfs in members.items() for nf in nfs}
    host, overloaded = question.host, called.get(question.overloaded, question.overloaded)
    use: dict[str, float] = {}
    for nf, share in question.use.items():
        use[called.get(nf, nf)] = use.get(called.get(nf, nf), 0.0) + share
    grows = question.needs - question.use[question.overloaded]
    joined = replace(
        host,
        cores={core: tuple(dict.fromkeys(called.get(nf, nf) for nf in names)) for core, names in host.cores.items()},
        chains={chain: tuple(called.get(nf, nf) for nf in names) for chain, names in host.chains.items()},
        stays=frozenset(called.get(nf, nf) for nf in host.stays),
        nfs={name: len(nfs) for name, nfs in members.items()},
    )
    return replace(question, host=joined, use=use, overloaded=overloaded, needs=use[overloaded] + grows)
