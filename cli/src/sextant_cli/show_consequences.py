"""What a prediction of a chain says, as text: of one that is drawn, and of one that would get other settings."""

from collections.abc import Callable
from typing import Any, TypeVar

import typer
from sextant_domain.plans.new_chain import AffectedChain, NewChainPrediction
from sextant_domain.plans.plan import ChainPrediction, Rejection, SloVerdict
from sextant_domain.plans.settings_prediction import SettingsEffect, SettingsPrediction

from sextant_cli.errors import Exit
from sextant_cli.figures import NONE, mpps
from sextant_cli.output import Printer
from sextant_cli.session import read
from sextant_cli.show_plan import chosen_by

Consequences = NewChainPrediction | SettingsPrediction
Answered = TypeVar("Answered", NewChainPrediction, SettingsPrediction)


def report_prediction(out: Printer, body: Any, of: type[Answered], show: Callable[[Printer, Answered], None]) -> None:
    """Of an answer, as JSON or by `show`. Ends with status 1 where what was asked about cannot be done."""
    answer = read(of, body)
    if out.is_json:
        out.json(body)
    else:
        show(out, answer)
    if answer.rejected is not None:
        raise typer.Exit(Exit.FAILED)


def show_settings_prediction(out: Printer, answer: SettingsPrediction) -> None:
    """What the chain would carry, whom it would slow down; or why nothing would change, or can."""
    if answer.rejected is not None:
        show_rejection(out, f"the settings of {answer.chain} cannot be changed so", answer.rejected)
        return
    if answer.effect is SettingsEffect.NOTHING:
        out.line(f"nothing would change: chain {answer.chain} already has these settings")
    elif answer.effect is SettingsEffect.SPECIFICATION:
        out.line(f"chain {answer.chain} is not running: its specification would change, and it would be planned again")
    else:
        _show_figures(out, answer)
    out.line("nothing was changed", style="dim")


def _show_figures(out: Printer, answer: SettingsPrediction) -> None:
    out.line(f"{answer.chain} on {answer.host}, with these settings", style="bold")
    if answer.prediction is not None:
        show_throughput(out, answer, answer.prediction)
    if answer.before_mpps is not None:
        out.line(f"with its present settings: {mpps(answer.before_mpps)} Mpps")
    show_others(out, answer)
    show_warnings(out, answer)
    show_next_actions(out, answer)


def show_rejection(out: Printer, what: str, rejected: Rejection) -> None:
    """Why not, and what would help."""
    out.line(f"{what}: {rejected.reason}", style="red")
    if rejected.relax is not None:
        out.line(f"  next: {rejected.relax}", style="cyan")


def show_warnings(out: Printer, answer: Consequences) -> None:
    """A line each."""
    for warning in answer.warnings:
        out.line(f"warning: {warning}", style="yellow")


def show_next_actions(out: Printer, answer: Consequences) -> None:
    """A command each."""
    for action in answer.next_actions:
        out.line(f"next: {action.label}: {action.command}", style="cyan")


def show_throughput(out: Printer, answer: Consequences, found: ChainPrediction) -> None:
    """With its interval, or why there is none."""
    if found.throughput_mpps is None:
        out.line(f"no prediction: {_why_none(answer, found)}", style="yellow")
        return
    interval = "no interval"
    if found.low_mpps is not None:
        interval = f"95 % interval {mpps(found.low_mpps)} to {mpps(found.high_mpps)}"
    limit = "" if found.bottleneck is None else f"; limited by {found.bottleneck}"
    out.line(f"{found.provenance.value}: {mpps(found.throughput_mpps)} Mpps ({interval}){limit}")
    if (chosen := chosen_by(found)) is not None:
        out.line(chosen)
    if answer.unmeasured:
        out.line(f"never measured on {answer.host}'s model, so assumed: {', '.join(answer.unmeasured)}", style="yellow")
    if found.throughput_slo is SloVerdict.MISSED:
        out.line("its throughput objective would be missed", style="red")


def _why_none(answer: Consequences, found: ChainPrediction) -> str:
    if answer.unmeasured:
        return f"{', '.join(answer.unmeasured)}: never measured on {answer.host}'s model"
    return found.note or "no model holds there"


def show_others(out: Printer, answer: Consequences) -> None:
    """Whom it would slow down."""
    if answer.affected:
        out.table(
            ("WORSE FOR", "NOW Mpps>", "THEN Mpps>", "FROM>", "TO>", "WHAT"),
            (_affected_row(one) for one in answer.affected),
            empty="",
        )
    if answer.others_mpps is not None and answer.affected:
        out.line(f"all other chains of {answer.host} together: {answer.others_mpps:+.4f} Mpps")


def _affected_row(one: AffectedChain) -> tuple[str, ...]:
    what = ["its objective would be missed"] if one.breaks_slo else []
    what += [one.longer] if one.longer is not None else []
    figures = (one.before_mpps, one.after_mpps, one.low_mpps, one.high_mpps)
    return one.chain, *(mpps(figure) for figure in figures), "; ".join(what) or NONE
