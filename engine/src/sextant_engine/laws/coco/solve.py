"""The core's answers, and the exact rule for what is pushed aside."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sextant_engine import native
from sextant_engine.control.coco.push_aside import core_of, push_aside, without_moves
from sextant_engine.control.coco.state import Push, PushQuestion
from sextant_engine.stop import Stop

LAW = "coco"


def answer(verb: str, question: str | bytes, stop: Stop | None = None) -> str:
    """What a verb of the core answers, JSON to JSON. Raises BadEngineInput as the core does."""
    stop = stop or Stop()
    return native.solve_law(
        LAW, verb, question, seconds=stop.seconds, evaluations=stop.evaluations, progress=stop.progress
    ).result


@dataclass(frozen=True, slots=True)
class ExactPush:
    """A `Pusher`: the cheapest change after which the overloaded core has the time, no other core lacks more than
    before, and every element stands anywhere. What it costs is delayed bytes + price x moves. Push-aside as published
    is one such change, so this is never dearer."""

    t_d: float = 1.0
    price: float = 0.0
    stop: Stop | None = None

    def __call__(self, question: PushQuestion) -> Push:
        """As the published rule where nothing has to move."""
        lacks, settled = without_moves(question)
        if settled is not None:
            return settled
        found = json.loads(answer("push_aside", json.dumps(self._asked(question)), self.stop))
        if "refused" in found:
            return Push("scale_out", {}, lacks, 0.0, f"scale out: {found['refused']}")
        stands = {name: core for core, names in question.host.cores.items() for name in names}
        moves = {name: int(core) for name, core in found["placement"].items() if int(core) != stands[name]}
        if found["status"] != "optimal":
            literal = push_aside(question)
            if literal.action == "push_aside" and self.cost(question, literal.moves) < self.cost(question, moves):
                return literal
        here = core_of(question.host, question.overloaded)
        leaves = sum(question.use[name] for name in moves if stands[name] == here)
        freed = leaves - sum(question.use[name] for name, core in moves.items() if core == here)
        told = ", ".join(f"{name} to core {core}" for name, core in sorted(moves.items()))
        return Push("push_aside", moves, lacks, freed, f"{told} frees {100 * freed:.0f} %")

    def cost(self, question: PushQuestion, moves: Mapping[str, int]) -> float:
        """Delayed bytes + price x moves of a change."""
        stands = {name: core for core, names in question.host.cores.items() for name in names} | dict(moves)
        hops = sum(
            question.rates_mpps[chain]
            for chain, names in question.host.chains.items()
            for one, other in pairwise(names)
            if stands[one] != stands[other]
        )
        return hops * self.t_d + self.price * sum(question.host.nfs.get(name, 1) for name in moves)

    def _asked(self, question: PushQuestion) -> dict[str, Any]:
        host = question.host
        return {
            "cores": {str(core): names for core, names in host.cores.items()},
            "chains": list(host.chains.values()),
            "rates": [question.rates_mpps[chain] for chain in host.chains],
            "cpu": {name: max(question.use[name], 1e-9) for names in host.cores.values() for name in names},
            "overloaded": question.overloaded,
            "needs": question.needs,
            "t_d": self.t_d,
            "price": self.price,
            # what a core cannot give is as good as taken
            "others": {str(core): question.others.get(core, 0.0) + 1 - question.full for core in host.cores},
            "free_slots": {str(core): host.free_slots.get(core, 0) for core in host.cores},
            "stays": sorted(host.stays),
            **({"nfs": dict(host.nfs)} if host.nfs else {}),
        }
