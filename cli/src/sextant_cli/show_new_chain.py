"""What a chain would do that nobody has submitted, as text."""

from sextant_domain.plans.new_chain import NewChainPrediction, NewNf

from sextant_cli.output import Printer
from sextant_cli.show_consequences import show_others, show_throughput
from sextant_cli.show_plan import seat_text


def show_new_chain(out: Printer, told: NewChainPrediction) -> None:
    """Where it would stand, what it would carry, whom it would slow down."""
    if told.rejected is not None:
        out.line(f"no room for {told.chain}: {told.rejected.reason}", style="red")
        if told.rejected.relax is not None:
            out.line(f"  next: {told.rejected.relax}", style="cyan")
        return
    out.line(f"{told.chain} would go to {told.host}", style="bold")
    out.table(("NF", "TYPE", "SEAT", "NODE>", "PACKETS"), (_row(nf) for nf in told.nfs), empty="")
    if told.prediction is not None:
        show_throughput(out, told, told.prediction)
    show_others(out, told)
    for warning in told.warnings:
        out.line(f"warning: {warning}", style="yellow")
    if told.stopped:
        out.line("the search was ended by its time: a plan searches longer, and may find better", style="yellow")
    for action in told.next_actions:
        out.line(f"next: {action.label}: {action.command}", style="cyan")
    out.line("nothing was planned or stored", style="dim")


def _row(nf: NewNf) -> tuple[str, ...]:
    where = "local" if nf.local else "remote"
    hop = f"{where}, cross to node {nf.seat.node}" if nf.crosses else where
    beside = "" if nf.shares_with == 0 else f"; core shared with {nf.shares_with} NF{'s' if nf.shares_with > 1 else ''}"
    return nf.nf_id, nf.nf_type, seat_text(nf.seat), str(nf.seat.node), hop + beside
