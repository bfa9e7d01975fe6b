"""What a chain would do that nobody has submitted, as text."""

from sextant_domain.plans.new_chain import AffectedChain, NewChainPrediction, NewNf
from sextant_domain.plans.plan import ChainPrediction, SloVerdict

from sextant_cli.figures import NONE, mpps
from sextant_cli.output import Printer
from sextant_cli.show_plan import chosen_by, seat_text


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
        _show_throughput(out, told, told.prediction)
    _show_others(out, told)
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


def _show_throughput(out: Printer, told: NewChainPrediction, found: ChainPrediction) -> None:
    if found.throughput_mpps is None:
        out.line(f"no prediction: {_why_none(told, found)}", style="yellow")
        return
    interval = "no interval"
    if found.low_mpps is not None:
        interval = f"95 % interval {mpps(found.low_mpps)} to {mpps(found.high_mpps)}"
    limit = "" if found.bottleneck is None else f"; limited by {found.bottleneck}"
    out.line(f"{found.provenance.value}: {mpps(found.throughput_mpps)} Mpps ({interval}){limit}")
    if (chosen := chosen_by(found)) is not None:
        out.line(chosen)
    if told.unmeasured:
        out.line(f"never measured on {told.host}'s model, so assumed: {', '.join(told.unmeasured)}", style="yellow")
    if found.throughput_slo is SloVerdict.MISSED:
        out.line("its throughput objective would be missed", style="red")


def _why_none(told: NewChainPrediction, found: ChainPrediction) -> str:
    if told.unmeasured:
        return f"{', '.join(told.unmeasured)}: never measured on {told.host}'s model"
    return found.note or "no model holds there"


def _show_others(out: Printer, told: NewChainPrediction) -> None:
    if told.affected:
        out.table(
            ("WORSE FOR", "NOW Mpps>", "THEN Mpps>", "FROM>", "TO>", "WHAT"),
            (_affected_row(one) for one in told.affected),
            empty="",
        )
    if told.others_mpps is not None and told.affected:
        out.line(f"all other chains of {told.host} together: {told.others_mpps:+.4f} Mpps")


def _affected_row(one: AffectedChain) -> tuple[str, ...]:
    what = ["its objective would be missed"] if one.breaks_slo else []
    what += [one.longer] if one.longer is not None else []
    figures = (one.before_mpps, one.after_mpps, one.low_mpps, one.high_mpps)
    return one.chain, *(mpps(figure) for figure in figures), "; ".join(what) or NONE
