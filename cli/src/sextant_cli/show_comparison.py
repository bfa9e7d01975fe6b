"""Comparisons as tables."""

from sextant_domain.plans.comparison import ComparedPlan, Comparison
from sextant_domain.plans.plan import PlanState

from sextant_cli.figures import ago, mpps, or_none, share, verdict_or_none
from sextant_cli.output import Printer


def show_comparison(out: Printer, comparison: Comparison) -> None:
    """Its plans side by side, in the order asked for."""
    of = "this fleet" if comparison.source == "fleet" else "a file: its plans cannot be applied"
    out.line(f"comparison {comparison.id}  {comparison.label}", style="bold")
    out.line(
        f"{intent_text(comparison)} on {comparison.hosts} hosts and {comparison.chains} chains of {of}, "
        f"{comparison.time_limit_s:g} s each, snapshot of {ago(comparison.taken_at)}"
    )
    out.table(
        (
            "ALGORITHM", "PLAN>", "STATE", "STATUS", "SCORE value x Mpps>", "BOUND>", "GAP>", "TIME>",
            "CHAINS START>", "MOVES>", "DO NOT FIT>", "EVALUATED>",
        ),
        (_row(plan) for plan in comparison.plans),
        empty="no plans",
    )  # fmt: skip


def intent_text(comparison: Comparison) -> str:
    """'place web-edge', 'replace fleet'."""
    intent = comparison.intent
    return f"{intent.kind} {getattr(intent, 'chain', None) or 'fleet'}"


def _row(plan: ComparedPlan) -> tuple[str, ...]:
    made = plan.status is not None
    return (
        plan.algorithm.value,
        str(plan.plan_id),
        plan.state.value,
        verdict_or_none(plan.status, plan.doubt),
        mpps(plan.score),
        mpps(plan.bound),
        share(plan.gap),
        f"{plan.seconds:.2f} s" if plan.seconds is not None else "-",
        str(plan.placed) if made else "-",
        str(plan.moves) if made else "-",
        str(plan.rejected) if made else "-",
        or_none(plan.evaluations),
    )


def is_made(comparison: Comparison) -> bool:
    """True once no plan of it is being made."""
    return all(plan.state is not PlanState.PLANNING for plan in comparison.plans)
