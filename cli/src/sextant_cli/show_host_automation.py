"""What Sextant does by itself on a host, as text."""

from datetime import UTC, datetime

from sextant_domain.laws.host_automation import HostAutomation, LawOnHost
from sextant_domain.laws.numasfp import NUMASFP
from sextant_domain.laws.recommendation import Recommendation

from sextant_cli.figures import ago
from sextant_cli.output import Printer


def show_host_automation(out: Printer, view: HostAutomation) -> None:
    """Each control law, what holds it back, what it recommends; then what else goes without an operator."""
    for law in view.laws:
        out.line(law.title, style="bold")
        out.line(f"  {law.policy}")
        for one in law.held_back:
            out.line(f"  {one}", style="yellow")
        out.line(f"  {evaluation_text(law, view.stopped)}")
        for recommended in law.recommendations:
            out.line(f"  {_recommended(recommended)}", style="cyan")
    out.line("Beside control laws", style="bold")
    for other in view.others:
        out.line(f"  {other.text}")


def evaluation_text(law: LawOnHost, stopped: bool, now: datetime | None = None) -> str:
    """'Last evaluated 5 s ago: nothing is to be gained; again in 10 s.'"""
    at = now or datetime.now(UTC)
    last = f"Last evaluated {ago(law.evaluated_at, at)}: {law.status}" if law.evaluated_at else "Not evaluated yet"
    if stopped:
        return f"{last}."
    left = 0.0 if law.next_at is None else (law.next_at - at).total_seconds()
    return f"{last}; again {f'in {left:.0f} s' if left > 0 else 'at once'}."


def _recommended(one: Recommendation) -> str:
    moves = "1 move" if one.moves == 1 else f"{one.moves} moves"
    if one.moves == 0:
        moves = "hand-over" if one.law == NUMASFP else "a change that moves nothing"
    return f"Recommendation {one.id} is open: {moves}; see sextant plans show {one.plan_id}"
