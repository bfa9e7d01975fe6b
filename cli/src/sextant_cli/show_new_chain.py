"""What a chain would do that nobody has submitted, as text."""

from sextant_domain.plans.new_chain import NewChainPrediction, NewNf

from sextant_cli.output import Printer
from sextant_cli.show_consequences import (
    show_next_actions,
    show_others,
    show_rejection,
    show_throughput,
    show_warnings,
)
from sextant_cli.show_plan import seat_text


def show_new_chain(out: Printer, answer: NewChainPrediction) -> None:
    """Where it would stand, what it would carry, whom it would slow down."""
    if answer.rejected is not None:
        show_rejection(out, f"no room for {answer.chain}", answer.rejected)
        return
    out.line(f"{answer.chain} would go to {answer.host}", style="bold")
    out.table(("NF", "TYPE", "SEAT", "NODE>", "PACKETS"), (_row(nf) for nf in answer.nfs), empty="")
    if answer.prediction is not None:
        show_throughput(out, answer, answer.prediction)
    show_others(out, answer)
    show_warnings(out, answer)
    if answer.stopped:
        out.line("the search was ended by its time: a plan searches longer, and may find better", style="yellow")
    show_next_actions(out, answer)
    out.line("nothing was planned or stored", style="dim")


def _row(nf: NewNf) -> tuple[str, ...]:
    where = "local" if nf.local else "remote"
    hop = f"{where}, cross to node {nf.seat.node}" if nf.crosses else where
    beside = "" if nf.shares_with == 0 else f"; core shared with {nf.shares_with} NF{'s' if nf.shares_with > 1 else ''}"
    return nf.nf_id, nf.nf_type, seat_text(nf.seat), str(nf.seat.node), hop + beside
