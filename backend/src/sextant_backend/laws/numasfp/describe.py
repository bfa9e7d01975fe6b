"""How the console describes what NUMASFP's law does and recommends."""

from collections.abc import Mapping, Sequence
from math import isfinite

from sextant_domain.base import Provenance
from sextant_domain.laws.recommendation import MoveLoss
from sextant_domain.naming import few

TITLE = "NUMASFP"
SUMMARY = (
    "Lets hosts' agents set cache ways and memory bandwidth of chains by measured levels, and moves chains between NUMA"
    " nodes as their traffic changes."
)
WHEN_OFF = "an operator asks for moves, ways and bandwidth"
BY_ITSELF = (
    "It hands over ways and bandwidth of chains whose levels are promoted, and moves chains once a gain has stood,"
    " within its budget of moves."
)
MOST_NAMED = 4


def offered_again(gain: str) -> str:
    """Of a move that an operator dismissed."""
    return f"offered again from a gain of {gain}"


def why_hand_over(chains: Sequence[str], version: int, host_model: str, left_out: Mapping[str, str]) -> str:
    """Because of a hand-over."""
    one = len(chains) == 1
    has, its = ("has", "its") if one else ("have", "their")
    text = (
        f"{few(chains, MOST_NAMED)} {has} no bounds by the levels in use (version {version} of {host_model}): with them"
        f" {its} host's agent sets ways and bandwidth every second as rates change"
    )
    if left_out:
        name, why = next(iter(left_out.items()))
        more = f"; {len(left_out) - 1} more stay out" if len(left_out) > 1 else ""
        text += f". {name} stays out: {why}{more}"
    return text


def why_move(
    chain: str, figures: tuple[float, float, float], nodes: tuple[int, int], others: Sequence[str], *, swap: bool
) -> str:
    """Because of a move. `figures`: Gbps that the chain is offered, carries now, and would carry; `nodes`: now, and
    then; `others`: chains that move with it."""
    offered, now, then = figures
    how = f"moved to node {nodes[1]}"
    if swap and others:
        how = f"exchanged with {few(others, MOST_NAMED)}"
    elif others:
        how += f" with {few(others, MOST_NAMED)} moved as well"
    return (
        f"{chain} is offered {offered:.1f} Gbps and carries {now:.1f} on node {nodes[0]}; {how} it carries {then:.1f}"
    )


def loss_of_move(loss: MoveLoss, driver: str) -> str:
    """What the gain is weighed against."""
    if not loss.moves:
        return f"a chain is assumed to lose {loss.share * 100:.3g} % of a second as it moves"
    where = {"chain": "of its own", "host": "of this host"}.get(loss.moves_of or "", f"of hosts of driver {driver}")
    whose = "a chain" if loss.chain is None else loss.chain
    how = "as the twin computed in" if loss.provenance is Provenance.SIMULATED else "measured in"
    return f"{whose} loses {loss.share * 100:.3g} % of a second as it moves, {how} {loss.moves} moves {where} (median)"


def shown(gbps: float) -> float | None:
    """As pages show it: nothing where somebody reported what is no rate."""
    return gbps if isfinite(gbps) else None


def clamped(offered: float, most: float) -> str:
    """A rate that the table does not know."""
    return f"offered {offered:.1f} Gbps, more than the highest level, {most:g}: the law reckons with that"
