"""Where a chain in lanes is served by one lane less. CoCo only scales out; the way back is ours.

All lanes that stay carry even parts of what the chain is offered, and each element needs what the costliest of its
lanes would. Of every core on which they stand a fifth of what it can give must be left: a lane that goes at a rate at
which the others are nearly full would have to come back soon.
"""

from sextant_engine.control.coco.loads import core_loads
from sextant_engine.control.coco.push_aside import core_of
from sextant_engine.control.coco.scale_out import LaneQuestion, need_of_part, why_not_changed
from sextant_engine.control.coco.state import FewerLanes, LanesOfChain

FULL_OF = 0.8
"""Of what a core can give: the most that those that stay may load it to."""
_ROUNDING = 1e-9


def lane_less(question: LaneQuestion, lanes: LanesOfChain) -> FewerLanes | None:
    """Without the last lane; None where the others would be too busy, or its lanes are not to be changed here."""
    host, count = question.host, len(lanes.weights) - 1
    if count < 1 or host.no_lanes is not None or why_not_changed(host, lanes) is not None:
        return None
    *stay, last = lanes.chains
    even = _even_needs(question, lanes, count)
    need = dict(question.need) | dict.fromkeys(host.chains[last], 0.0)
    for name in stay:
        need |= zip(host.chains[name], even, strict=True)
    loads = core_loads(need, question.others, host)
    cores = sorted({core_of(host, element) for name in stay for element in host.chains[name]})
    if any(loads[core] > FULL_OF * question.full + _ROUNDING for core in cores):
        return None
    return FewerLanes(
        chain=lanes.of,
        weights=(1,) * count,
        leaves={element: core_of(host, element) for element in host.chains[last]},
        loads={core: loads[core] for core in cores},
        freed=sum(question.need[element] for element in host.chains[last]),
    )


def _even_needs(question: LaneQuestion, lanes: LanesOfChain, count: int) -> list[float]:
    """By position in the chain. A lane that gets no packets says nothing of what they cost."""
    host, rates = question.host, question.rates_mpps
    rate = sum(rates[name] for name in lanes.chains) / count
    carrying = [name for name in lanes.chains if rates[name] > 0] or list(lanes.chains)
    parts = {name: rate / rates[name] if rates[name] > 0 else 1.0 for name in carrying}
    of_lanes = ([need_of_part(question, nf, rates[name], parts[name]) for nf in host.chains[name]] for name in carrying)
    return [max(same) for same in zip(*of_lanes, strict=True)]
