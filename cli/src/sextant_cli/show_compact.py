"""How a plan by CoCo fills shared cores, as text."""

from sextant_domain.plans.compact import CompactEvidence, CompactHop, HopDelays
from sextant_domain.plans.evidence import HostEvidence

from sextant_cli.figures import mpps, percent
from sextant_cli.output import Printer

DISTANCES = {"same_core": "same core", "same_node": "another core", "other_node": "another node"}


def show_compact(out: Printer, host: HostEvidence, compact: CompactEvidence) -> None:
    """What passes from core to core, what cores need, and what chains carry there and by the engine's own choice."""
    proved = "proved least" if host.status == "optimal" else f"at most {mpps(compact.gap)} above the least"
    moves = f", {compact.moves} moves at {mpps(compact.move_price)} each" if compact.moves else ""
    own = f"; {mpps(compact.automatic)} by the engine's own choice" if compact.automatic is not None else ""
    out.line(f"shared cores of {host.host}: {mpps(compact.delayed)} Mpps x hops{moves}, {proved}{own}")
    out.line(f"  {delays_text(compact.delays)}", style="dim")
    out.table(
        ("CORE>", "NODE>", "NFS NEEDED>", "NFS WILL NEED>", "ALL ELSE>", f"OF {percent(compact.full_percent)}>"),
        (
            (
                str(core.core),
                str(core.node),
                percent(core.before_percent),
                percent(core.nfs_percent),
                percent(core.others_percent),
                percent(core.nfs_percent + core.others_percent),
            )
            for core in compact.cores
            if core.before_percent or core.nfs_percent or core.others_percent
        ),
        empty="",
    )
    if compact.hops:
        out.table(("CHAIN", "FROM", "TO", "HANDED ON TO", "Mpps>"), map(_hop, compact.hops), empty="")
    out.table(
        ("CHAIN", "PREDICTED Mpps>", "BY THE ENGINE'S OWN CHOICE Mpps>"),
        ((one.chain, mpps(one.mpps), mpps(one.automatic_mpps)) for one in compact.chains),
        empty="",
    )


def delays_text(delays: HopDelays) -> str:
    """What a hop counts."""
    counts = f"a hop on a core counts {delays.same_core:g}, to another core {delays.same_node:g}"
    measured = "measured, in us" if delays.measured else "assumed: what a hop costs here was not measured"
    return f"{counts}, to another node {delays.other_node:g} ({measured})"


def _hop(hop: CompactHop) -> tuple[str, ...]:
    names = (hop.source.split(".", 1)[1], hop.target.split(".", 1)[1])
    return (hop.chain, *names, DISTANCES[hop.distance], mpps(hop.rate_mpps))
