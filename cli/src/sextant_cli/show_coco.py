"""A host in CoCo's law, as text."""

from collections.abc import Iterator

from sextant_domain.hosts.telemetry import SharedCore
from sextant_domain.laws.coco_view import CocoCore, CocoElement, CocoHost, CocoLanes

from sextant_cli.figures import NONE, ago, mpps, share
from sextant_cli.output import Printer


def show_coco_host(out: Printer, view: CocoHost) -> None:
    """What it does and why, then cores with what stands there, and hops between cores."""
    out.line(f"host       {view.host}, policy {view.mode.value}")
    if view.stopped:
        out.line(f"stopped    {view.stopped}", style="yellow")
    out.line(f"at present {view.reason}")
    measured = view.provenance.value if view.provenance else "not measured"
    out.line(f"evaluated  {ago(view.evaluated_at)}; figures {measured}")
    if view.push is not None and view.push.lanes is not None and view.push.lanes.leaves:
        _show_less(out, view.push.lanes, view.push.freed)
    elif view.push is not None:
        lanes = view.push.lanes
        what = "the push" if lanes is None else f"{lanes.chain} in {lanes.lanes} lanes"
        frees = f"lacks {share(view.push.lacks)}, {what} frees {share(view.push.freed)}"
        out.line(f"{'push ' if lanes is None else 'lanes'}      core {view.push.core} {frees}")
        for nf in () if lanes is None else lanes.starts:
            at = f"core {nf.core}" if nf.host == view.host else f"core {nf.core} of {nf.host}"
            out.line(f"           {nf.nf_id} would start on {at} and need {share(nf.needs)}")
    if view.recommendation_id is not None:
        out.line(f"open       recommendation {view.recommendation_id}; see sextant recommendations", style="cyan")
    out.table(
        ("CORE>", "NODE>", "NEEDS>", "OTHERS>", "NF", "USES>", "NEEDS>", "GOES TO"),
        (row for core in view.cores for row in _rows(core)),
        empty="no cores for NFs",
    )
    out.table(
        ("CHAIN", "FROM CORE>", "TO CORE>", "Mpps>", "NODES"),
        (
            (hop.chain, str(hop.from_core), str(hop.to_core), mpps(hop.mpps), "other" if hop.other_node else "same")
            for hop in view.hops
        ),
        empty="no packets pass from core to core",
    )
    if view.shared_cores:
        out.line("")
        out.line("Cores that the host divides by itself:")
        rows = (row for core in view.shared_cores for row in _divided(core))
        out.table(("CORE>", "BY", "NF", "SHARE>", "BEFORE>", "CHANGED", "WHY"), rows, empty="none")


def _show_less(out: Printer, lanes: CocoLanes, freed: float) -> None:
    """A lane that would go."""
    so_many = "one lane" if lanes.lanes == 1 else f"{lanes.lanes} lanes"
    out.line(f"lanes      {lanes.chain} in {so_many} frees {share(freed)} of its cores")
    for nf_id, core in sorted(lanes.leaves.items()):
        out.line(f"           {nf_id} would leave core {core}")
    for core, load in sorted(lanes.loads.items()):
        out.line(f"           core {core} would need {share(load)}")


def _divided(core: SharedCore) -> Iterator[tuple[str, ...]]:
    """The core, with the first NF on it; then the others."""
    changed = core.changed
    before = {} if changed is None else {one.nf_id: f"{one.before_percent:.0f} %" for one in changed.nfs}
    when = NONE if changed is None else ago(changed.at)
    which, last = (str(core.core), core.law or NONE), (when, core.held or (NONE if changed is None else changed.cause))
    for nf in core.nfs:
        yield *which, nf.nf_id, f"{nf.percent:.0f} %", before.get(nf.nf_id, NONE), *last
        which = last = ("", "")
    if not core.nfs:
        yield *which, NONE, NONE, NONE, *last


def _rows(core: CocoCore) -> Iterator[tuple[str, ...]]:
    """The core, with the first NF on it; then the others."""
    about = (str(core.core), str(core.node), share(core.needs), share(core.others))
    if not core.elements:
        yield (*about, NONE, NONE, NONE, NONE)
    for nf in core.elements:
        yield (*about, nf.nf_id, share(nf.use), share(nf.needs), _goes(nf))
        about = ("", "", "", "")


def _goes(nf: CocoElement) -> str:
    if nf.goes_to is not None:
        return f"core {nf.goes_to}"
    return "stays: its policy is manual" if nf.stays else NONE
