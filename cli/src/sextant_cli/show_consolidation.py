"""What sharing fewer cores would free and cost, as text."""

from sextant_domain.plans.consolidation import ConsolidatedChain, ConsolidatedCore, Consolidation

from sextant_cli.figures import NONE, mpps, percent
from sextant_cli.output import Printer
from sextant_cli.show_compact import delays_text


def show_consolidation(out: Printer, found: Consolidation) -> None:
    """What it would free, then core by core and chain by chain."""
    if found.note is not None:
        out.line(f"{found.host}: nothing can be freed: {found.note}")
        return
    cores = ", ".join(map(str, found.freed))
    proved = "no fewer cores suffice" if found.proven else "fewer may suffice"
    out.line(f"{found.host}: {found.moves} moves would free {len(found.freed)} cores ({cores}); {proved}")
    if found.slots is not None:
        command = f"sextant hosts slots {found.host} {found.slots}"
        out.line(f"  its NFs have cores of their own now: {command} lets them share", style="yellow")
    out.line(f"  passes from core to core: {mpps(found.delayed_before)} -> {mpps(found.delayed)} Mpps x hops")
    out.line(f"  {delays_text(found.delays)}", style="dim")
    out.table(("CORE>", "NODE>", "NFS NEED>", "WOULD NEED>", "ALL ELSE>", "NFS"), map(_core, found.cores), empty="")
    out.table(
        ("CHAIN", "PREDICTED Mpps>", "INTERVAL", "WOULD CARRY Mpps>", "INTERVAL"), map(_chain, found.chains), empty=""
    )
    out.line("A preview: nothing is planned. sextant plans ask --algorithm coco plans by CoCo.", style="dim")


def _core(core: ConsolidatedCore) -> tuple[str, ...]:
    return (
        str(core.core),
        str(core.node),
        percent(core.before_percent),
        percent(core.nfs_percent),
        percent(core.others_percent),
        ", ".join(core.nf_ids) or "freed",
    )


def _chain(one: ConsolidatedChain) -> tuple[str, ...]:
    before = _interval(one.before_low_mpps, one.before_high_mpps)
    return (one.chain, mpps(one.before_mpps), before, mpps(one.mpps), _interval(one.low_mpps, one.high_mpps))


def _interval(low: float | None, high: float | None) -> str:
    return NONE if low is None or high is None else f"{mpps(low)} to {mpps(high)}"
