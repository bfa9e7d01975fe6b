"""What a prediction of a chain says, as text: of one that is drawn, and of one that would get other settings."""

from sextant_domain.plans.new_chain import AffectedChain, NewChainPrediction
from sextant_domain.plans.plan import ChainPrediction, SloVerdict
from sextant_domain.plans.settings_prediction import SettingsEffect, SettingsPrediction

from sextant_cli.figures import NONE, mpps
from sextant_cli.output import Printer
from sextant_cli.show_plan import chosen_by

Consequences = NewChainPrediction | SettingsPrediction


def show_settings_prediction(out: Printer, told: SettingsPrediction) -> None:
    """What the chain would carry, whom it would slow down; or why nothing would change, or can."""
    if told.rejected is not None:
        out.line(f"the settings of {told.chain} cannot be changed so: {told.rejected.reason}", style="red")
        if told.rejected.relax is not None:
            out.line(f"  next: {told.rejected.relax}", style="cyan")
        return
    if told.effect is SettingsEffect.NOTHING:
        out.line(f"nothing would change: chain {told.chain} already has these settings")
    elif told.effect is SettingsEffect.SPECIFICATION:
        out.line(f"chain {told.chain} is not running: its specification would change, and it would be planned again")
    else:
        _show_figures(out, told)
    out.line("nothing was changed", style="dim")


def _show_figures(out: Printer, told: SettingsPrediction) -> None:
    out.line(f"{told.chain} on {told.host}, with these settings", style="bold")
    if told.prediction is not None:
        show_throughput(out, told, told.prediction)
    if told.before_mpps is not None:
        out.line(f"with its present settings: {mpps(told.before_mpps)} Mpps")
    show_others(out, told)
    for warning in told.warnings:
        out.line(f"warning: {warning}", style="yellow")
    for action in told.next_actions:
        out.line(f"next: {action.label}: {action.command}", style="cyan")


def show_throughput(out: Printer, told: Consequences, found: ChainPrediction) -> None:
    """With its interval, or why there is none."""
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


def _why_none(told: Consequences, found: ChainPrediction) -> str:
    if told.unmeasured:
        return f"{', '.join(told.unmeasured)}: never measured on {told.host}'s model"
    return found.note or "no model holds there"


def show_others(out: Printer, told: Consequences) -> None:
    """Whom it would slow down."""
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
