"""`sextant recommendations`: changes with a gain above the margin, and the operator's decisions."""

from typing import Annotated

import typer
from sextant_domain.laws.numasfp import NUMASFP
from sextant_domain.laws.recommendation import Recommendation, RecommendationState
from sextant_domain.laws.srv6 import SRV6

from sextant_cli.applying import follow
from sextant_cli.client import path_of
from sextant_cli.figures import NONE, ago, or_none
from sextant_cli.groups import defaulting_to
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, Session, Timeout, Wait, read, read_all, session_of

app = typer.Typer(cls=defaulting_to("list"), help="Recommended changes of control laws: list, accept or dismiss.")

RecommendationId = Annotated[int, typer.Argument(metavar="RECOMMENDATION", min=1, help="The recommendation's number.")]


@app.command("list")
def list_recommendations(
    ctx: typer.Context,
    *,
    state: Annotated[RecommendationState | None, typer.Option(help="Only those in this state.")] = None,
    most: Annotated[int, typer.Option("--most", min=1, max=10_000, help="How many to show at most.")] = 50,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Recommendations, newest first; at most one is open for each law and host."""
    session = session_of(ctx, output)
    page = session.api.pages(
        path_of("recommendations"), listed(sort, filters, {"state": state.value if state else None}), most
    )
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        (
            *("NUMBER>", "PLAN>", "LAW", "STATE", "HOSTS", "GAIN>", "GAIN %>", "MEASURED>", "RESTORES", "MOVES>"),
            *("TRUST", "BY", "MADE", "BECAUSE", "WHY NOT"),
        ),
        (
            (
                str(one.id),
                str(one.plan_id),
                one.law,
                one.state.value,
                ", ".join(one.hosts),
                gain_text(one),
                "-" if one.gain_percent is None else f"{one.gain_percent:.1f}",
                measured_text(one),
                ", ".join(one.restores) or "-",
                str(one.moves),
                one.trust.value,
                or_none(one.decided_by),
                ago(one.created_at),
                one.because or "-",
                one.reason or "-",
            )
            for one in read_all(Recommendation, page)
        ),
        empty="no recommendations; `sextant policy` shows why",
    )


def gain_text(one: Recommendation) -> str:
    """'2.44 [1.90, 2.98] value x Mpps predicted', without an interval where a model has none; '3.00 Gbps predicted' of
    a law that reckons in Gbps; 'hand-over' of NUMASFP's where nothing moves, and '-' of SRv6-INT's, which is for
    packets that take too long and promises none more."""
    if one.law == SRV6:
        return NONE
    if one.gain_gbps is not None:
        is_hand_over = one.law == NUMASFP and one.moves == 0
        return "hand-over" if is_hand_over else f"{one.gain_gbps:.2f} Gbps {one.provenance.value}"
    within = "" if one.low_mpps is None or one.high_mpps is None else f" [{one.low_mpps:.2f}, {one.high_mpps:.2f}]"
    return f"{one.gain_mpps:.2f}{within} value x Mpps {one.provenance.value}"


def measured_text(one: Recommendation) -> str:
    """'+2.80 Gbps', '+2.40 value x Mpps'; '-' where it was not measured, or not yet."""
    if one.measured_gain_gbps is not None:
        return f"{one.measured_gain_gbps:+.2f} Gbps"
    return "-" if one.measured_gain_mpps is None else f"{one.measured_gain_mpps:+.2f} value x Mpps"


@app.command()
def accept(
    ctx: typer.Context,
    *,
    recommendation_id: RecommendationId,
    wait: Wait = False,
    timeout_s: Timeout = 120,
    output: Output = Format.TABLE,
) -> None:
    """Apply the plan of an open recommendation."""
    session = session_of(ctx, output)
    accepted, body = _decide(session, recommendation_id, "accept")
    if wait and accepted.operation_id is not None:
        follow(session, accepted.operation_id, timeout_s)
    elif session.out.is_json:
        session.out.json(body)
    else:
        session.out.line(f"recommendation {accepted.id} accepted: operation {accepted.operation_id}")
        session.out.progress(f"watch it with: sextant operations watch {accepted.operation_id}")


@app.command()
def dismiss(ctx: typer.Context, recommendation_id: RecommendationId, output: Output = Format.TABLE) -> None:
    """Dismiss an open recommendation; it returns only if the gain grows by half."""
    session = session_of(ctx, output)
    dismissed, body = _decide(session, recommendation_id, "dismiss")
    if session.out.is_json:
        session.out.json(body)
    else:
        session.out.line(f"recommendation {dismissed.id} dismissed; nothing was changed")


def _decide(session: Session, recommendation_id: int, action: str) -> tuple[Recommendation, object]:
    path = path_of("recommendations", recommendation_id, "actions")
    body = session.api.post(path, {"action": action}).body
    return read(Recommendation, body), body
