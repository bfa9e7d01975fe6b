"""`sextant hosts`: the fleet, one host core by core, interference between its NFs, and enrolment."""

from typing import Annotated

import typer
from sextant_domain.console.views import HostView, NfView
from sextant_domain.hosts.host import Core, HostStatus, ThreadThrottleMode
from sextant_domain.hosts.telemetry import CoreSample
from sextant_domain.plans.interference import Interference

from sextant_cli import utilisation
from sextant_cli.client import path_of
from sextant_cli.commands import cordons, core_slots, drain, drift, enrolments, faults, reserved_cores, start_commands
from sextant_cli.figures import ago, mpps, percent
from sextant_cli.groups import defaulting_to
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format, Printer
from sextant_cli.session import Output, read, read_all, session_of
from sextant_cli.show_interference import show_interference

THROTTLED_TOGETHER = (
    "threads of one physical core are throttled together: while NFs with different limits of memory bandwidth run on "
    "them, all have the smallest"
)

app = typer.Typer(
    cls=defaulting_to("show", {"hurts": "sextant hosts interference"}),
    help="Hosts, interference between their NFs, and enrolment.",
)
app.command("enrol")(enrolments.enrol)
app.command("enrolments")(enrolments.enrolments)
app.command("withdraw")(enrolments.withdraw)
app.command("cordon")(cordons.cordon)
app.command("uncordon")(cordons.uncordon)
app.command("renumber")(cordons.renumber)
app.command("drain")(drain.drain)
app.command("drift")(drift.drift)
app.command("repair")(drift.repair)
app.command("accept")(drift.accept)
app.command("reserve")(reserved_cores.reserve)
app.command("unreserve")(reserved_cores.unreserve)
app.command("slots")(core_slots.slots)
app.command("revoke")(enrolments.revoke)
app.command("remove")(enrolments.remove)
app.command("start-commands")(start_commands.of_host)
app.add_typer(faults.app, name="fault")


@app.command()
def show(
    ctx: typer.Context,
    *,
    host_id: Annotated[str | None, typer.Argument(metavar="[HOST]", help="Show this host core by core.")] = None,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Hosts with status, measured throughput and free slots; or one host core by core."""
    session = session_of(ctx, output)
    body = (
        session.api.get(path_of("hosts", host_id)).body
        if host_id
        else session.api.pages(path_of("hosts"), listed(sort, filters))
    )
    if session.out.is_json:
        session.out.json(body)
        return
    nfs = read_all(NfView, session.api.pages(path_of("nfs"), {"host": host_id}))
    if host_id:
        _show_one(session.out, read(HostView, body), nfs)
    else:
        _show_all(session.out, read_all(HostView, body), nfs)


@app.command()
def interference(
    ctx: typer.Context,
    host_id: Annotated[str, typer.Argument(metavar="HOST", help="The host.")],
    output: Output = Format.TABLE,
) -> None:
    """Throughput that each NF of a host loses, and to which NF, for what the host is ordered to run."""
    session = session_of(ctx, output)
    body = session.api.get(path_of("hosts", host_id, "interference")).body
    if session.out.is_json:
        session.out.json(body)
    else:
        show_interference(session.out, read(Interference, body))


def _show_all(out: Printer, found: list[HostView], nfs: list[NfView]) -> None:
    on: dict[str, list[NfView]] = {}
    for nf in nfs:
        on.setdefault(nf.seat.host, []).append(nf)
    out.table(
        (
            "HOST",
            "STATUS",
            "MEASURED Mpps>",
            "SLOTS USED>",
            "NFS>",
            "FULLEST NF>",
            "GENERATION>",
            "LAST REPORT",
            "MODEL",
            "WHY",
        ),
        (_row(host, on.get(host.host_id, [])) for host in found),
        empty="no hosts; `make up` enrols this machine, `sextant hosts enrol HOST` another",
    )


def _row(host: HostView, nfs: list[NfView]) -> tuple[str, ...]:
    figure = mpps(host.throughput_mpps)
    if host.throughput_mpps is not None and host.provenance != "measured":
        figure += f" ({host.provenance})"
    if host.throughput_mpps is not None and host.status is not HostStatus.UP:
        figure += " (last known)"
    return (
        host.host_id,
        _state(host),
        figure,
        f"{len(nfs)}/{_slots(host)}",
        str(len(nfs)),
        utilisation.text(utilisation.of_fullest(nf.sample for nf in nfs)),
        f"{host.applied_generation}/{host.desired_generation}",
        ago(host.last_seen_at),
        host.inventory.host_model if host.inventory else "-",
        _why(host),
    )


def _state(host: HostView) -> str:
    words = [host.status.value, "cordoned" if host.cordon else "", "drift" if host.drift else ""]
    return ", ".join(filter(None, words))


def _why(host: HostView) -> str:
    cordon = f"cordoned by {host.cordon.by}: {host.cordon.reason}" if host.cordon else ""
    return "; ".join(filter(None, [cordon, host.drift.summary if host.drift else ""])) or host.status_reason


def _slots(host: HostView) -> int:
    """Slots that NFs can use: those of cores that are not reserved."""
    if host.inventory is None:
        return 0
    return sum(core.slots for core in host.inventory.cores if core.reserved_for is None)


def _other_work(sample: CoreSample | None) -> str:
    """Measuring is the agent's own, and gives way to NFs."""
    if sample is not None and sample.measuring_percent is not None:
        return f"measuring {percent(sample.measuring_percent)}"
    return percent(sample.other_percent if sample else None)


def _show_one(out: Printer, host: HostView, nfs: list[NfView]) -> None:
    _show_all(out, [host], nfs)
    if host.inventory is None:
        out.line("its agent has not reported yet, so there is no inventory")
        return
    samples = {sample.core: sample for sample in host.cores}
    on = {core.id: [nf for nf in nfs if nf.seat.core == core.id] for core in host.inventory.cores}
    out.table(
        ("CORE>", "NODE>", "USED>", "UTILISED>", "BUSY>", "OTHER>", "FOR", "NFS"),
        (
            (
                str(core.id),
                str(core.node),
                f"{len(on[core.id])}/{core.slots}",
                utilisation.text(utilisation.of_core(nf.sample for nf in on[core.id])),
                percent(samples[core.id].busy_percent if core.id in samples else None),
                _other_work(samples.get(core.id)),
                _purpose(core),
                ", ".join(nf.nf_id for nf in on[core.id]),
            )
            for core in host.inventory.cores
        ),
        empty="no cores for NFs",
    )
    if host.inventory.cpu_budget_percent is not None:
        out.line(f"all NFs together may use {host.inventory.cpu_budget_percent:g} % of a core")
    for line in reserved_cores.said(host, nfs) if host.reserved_cores else ():
        out.line(line)
    for line in core_slots.said(host, nfs) if host.core_slots else ():
        out.line(line)
    throttled_together = host.inventory.thread_throttle_mode is ThreadThrottleMode.MAX
    if throttled_together and host.inventory.why_not("resctrl-mba") is None:
        out.line(THROTTLED_TOGETHER, style="dim")
    for capability in host.inventory.capabilities:
        if not capability.available:
            out.line(f"not available: {capability.name}: {capability.reason}", style="dim")


def _purpose(core: Core) -> str:
    if core.reserved_for is not None:
        return core.reserved_for.value
    return "NFs, used last" if core.last_choice else "NFs"
