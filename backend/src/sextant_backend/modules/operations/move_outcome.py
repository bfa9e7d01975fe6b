"""What moves brought and cost, from what was measured before and after: pure.

What counts is the load of after: a chain that carries less because less is offered has lost nothing.
"""

from collections.abc import Collection, Mapping, Sequence
from math import log, sqrt

from sextant_domain.chains.traffic import wire_gbps
from sextant_domain.plans.intents import LossBudget
from sextant_domain.plans.operation import ChainOutcome, MoveOutcome

from sextant_backend.modules.operations.readings import SIGMAS, ChainReading, Reading, Sample, dropped

MARGIN = 0.02
"""Of what they carried before: chains that carry less by more than this, and by more than samples scatter, are
worse."""


def move_outcome(
    before: Reading | None,
    meanwhile: Sequence[Sample],
    after: Reading,
    budget: LossBudget | None,
    frame_bytes: Mapping[str, float],
    *,
    moved: Collection[str] = (),
) -> MoveOutcome:
    """Of the chains in `frame_bytes` (mean size without FCS), all those that ran before and run on. `meanwhile`:
    samples from the last one before the order to the first one after it had converged. `moved`: chains of which an NF
    changed its core."""
    old = {} if before is None else before.chains
    chains = tuple(
        _of_chain(name, old.get(name), after.chains.get(name), meanwhile, size, moved=name in moved)
        for name, size in sorted(frame_bytes.items())
    )
    measured = [one for one in chains if one.before_gbps is not None and one.after_gbps is not None]
    lost = [one.lost_packets for one in chains]
    packets = None if None in lost or not lost else sum(one for one in lost if one is not None)
    outcome = MoveOutcome(
        chains=chains,
        before_gbps=sum(one.before_gbps or 0.0 for one in measured) if measured else None,
        after_gbps=sum(one.after_gbps or 0.0 for one in measured) if measured else None,
        lost_packets=packets,
        pause_ms=None,
        within_budget=_within(budget, packets),
        worse=_is_worse(old, after, measured, frame_bytes),
        provenance=after.provenance,
        text="",
    )
    return outcome.model_copy(update={"text": _text(outcome, budget)})


def not_measured(why: str) -> MoveOutcome:
    """Nothing can be told, so nothing is undone."""
    return MoveOutcome(
        chains=(),
        before_gbps=None,
        after_gbps=None,
        lost_packets=None,
        pause_ms=None,
        within_budget=None,
        worse=False,
        text=f"not measured: {why}",
    )


def _of_chain(
    name: str,
    before: ChainReading | None,
    after: ChainReading | None,
    meanwhile: Sequence[Sample],
    size: float,
    *,
    moved: bool,
) -> ChainOutcome:
    lost = dropped([one for one in meanwhile if one.chain == name], before)
    share = None
    if moved and lost is not None and before is not None and before.carried_mpps > 0:
        share = lost / (before.carried_mpps * 1e6)
    return ChainOutcome(
        chain=name,
        before_gbps=None if before is None else wire_gbps(before.carried_mpps, size),
        after_gbps=None if after is None else wire_gbps(after.carried_mpps, size),
        offered_before_gbps=None if before is None else wire_gbps(before.offered_mpps, size),
        offered_after_gbps=None if after is None else wire_gbps(after.offered_mpps, size),
        lost_packets=lost,
        lost_share=share,
        before_p95_us=None if before is None else before.p95_us,
        after_p95_us=None if after is None else after.p95_us,
    )


def _is_worse(
    old: Mapping[str, ChainReading], after: Reading, measured: Sequence[ChainOutcome], frame_bytes: Mapping[str, float]
) -> bool:
    """They lack more of what they carried before, or of what is offered now where that is less, than the margin and
    the scatter of samples."""
    carried, lacking, variance = 0.0, 0.0, 0.0
    for one in measured:
        then, now, size = old[one.chain], after.chains[one.chain], frame_bytes[one.chain]
        carried += wire_gbps(then.carried_mpps, size)
        lacking += wire_gbps(min(then.carried_mpps, now.offered_mpps) - now.carried_mpps, size)
        scatter = then.variance / then.samples + now.variance / now.samples
        variance += scatter * wire_gbps(1.0, size) ** 2
    return lacking > max(MARGIN * carried, SIGMAS * sqrt(variance))


def _within(budget: LossBudget | None, packets: int | None) -> bool | None:
    """Nobody measures pauses: where they are limited it can only be told that packets were too many."""
    if budget is None:
        return None
    if budget.most_packets is not None and packets is not None and packets > budget.most_packets:
        return False
    unknown = budget.most_pause_ms is not None or (budget.most_packets is not None and packets is None)
    return None if unknown else True


def _text(outcome: MoveOutcome, budget: LossBudget | None) -> str:
    if outcome.before_gbps is None or outcome.after_gbps is None:
        carried = "what it carries was not measured"
    else:
        carried = f"carries {outcome.after_gbps:.2f} Gbps, {outcome.before_gbps:.2f} before"
    lost = "packets lost: not known" if outcome.lost_packets is None else f"{outcome.lost_packets} packets lost"
    allowed = f", {budget.most_packets} allowed" if outcome.within_budget is False and budget is not None else ""
    worse = "; less than before at the same load" if outcome.worse else ""
    return f"{carried}{_latency(outcome.chains)}; {lost}{allowed}{worse}"


def _latency(chains: Sequence[ChainOutcome]) -> str:
    """Of the chain whose latency changed most, as a ratio."""
    measured = [
        (one.chain, one.before_p95_us, one.after_p95_us) for one in chains if one.before_p95_us and one.after_p95_us
    ]
    if not measured:
        return ""
    chain, before, after = max(measured, key=lambda found: abs(log(found[2] / found[1])))
    return f", 95th percentile of {chain} {after:.0f} us, {before:.0f} before"
