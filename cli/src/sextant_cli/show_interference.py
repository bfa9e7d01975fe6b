"""Interference between the NFs of a host, as a table."""

from sextant_domain.plans.evidence import Cause
from sextant_domain.plans.interference import Interference, Victim

from sextant_cli.figures import mpps, share
from sextant_cli.output import Printer

MOST_CAUSES = 3
_KINDS = {
    "neighbour": "a neighbour",
    "background": "load from outside Sextant",
    "chaining": "its upstream NF on another node",
    "remote": "packets on a remote node",
    "fixed": "fixed part of the model",
}


def show_interference(out: Printer, found: Interference) -> None:
    """Every NF that loses something, the greatest loss first."""
    if found.note is not None:
        out.line(f"{found.host}: {found.note}", style="dim")
    victims = sorted(found.victims, key=lambda victim: victim.mpps - victim.ideal_mpps)
    out.table(
        ("NF", "NODE>", "PREDICTED Mpps>", "SOLO Mpps>", "LOST Mpps>", "LOST TO", "BOTTLENECK"),
        (_row(victim) for victim in victims),
        empty=f"{found.host} runs no NF that the model covers",
    )
    if victims:
        out.line(f"{found.provenance.value}, by the performance models", style="dim")


def _row(victim: Victim) -> tuple[str, ...]:
    return (
        victim.nf_id,
        str(victim.node),
        mpps(victim.mpps),
        mpps(victim.ideal_mpps),
        mpps(victim.ideal_mpps - victim.mpps),
        "; ".join(_blame(cause) for cause in victim.causes[:MOST_CAUSES]) or "nobody",
        "yes" if victim.is_bottleneck else "",
    )


def _blame(cause: Cause) -> str:
    return f"{cause.nf_id or _KINDS[cause.kind]} {mpps(cause.lost_mpps)} ({share(cause.share)})"
