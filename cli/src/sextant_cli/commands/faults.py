"""`sextant hosts fault`: inject a fault on a simulated host."""

from typing import Annotated, Any

import typer
from sextant_domain.hosts.fault import ActiveFaults, Fault, HostDown, NfCrash, NicFlap, NoisyNeighbour

from sextant_cli.client import path_of
from sextant_cli.output import Format
from sextant_cli.session import Output, Session, read, session_of

app = typer.Typer(help="Inject a fault on a simulated host; real hosts refuse.", no_args_is_help=True)

Host = Annotated[str, typer.Argument(metavar="HOST", help="The simulated host.")]
Seconds = Annotated[float, typer.Option(min=0.1, max=3600, help="Duration in seconds.")]


@app.command("crash")
def crash(
    ctx: typer.Context,
    host: Host,
    nf_id: Annotated[str, typer.Argument(metavar="NF", help="The NF, such as web.router.")],
    output: Output = Format.TABLE,
) -> None:
    """Kill an NF's process; its agent restarts it."""
    _inject(session_of(ctx, output), host, {"kind": "nf-crash", "nf_id": nf_id})


@app.command("nic")
def nic(
    ctx: typer.Context,
    host: Host,
    seconds: Seconds = 10,
    port: Annotated[str, typer.Option(help="The port, as in the host's inventory.")] = "nic0",
    output: Output = Format.TABLE,
) -> None:
    """Take the link of a network interface down for some seconds."""
    _inject(session_of(ctx, output), host, {"kind": "nic-flap", "port": port, "seconds": seconds})


@app.command("down")
def down(ctx: typer.Context, host: Host, seconds: Seconds = 30, output: Output = Format.TABLE) -> None:
    """Power the host off for some seconds: it stops reporting, then returns to its desired state."""
    _inject(session_of(ctx, output), host, {"kind": "host-down", "seconds": seconds})


@app.command("noise")
def noise(
    ctx: typer.Context,
    host: Host,
    *,
    core: Annotated[list[int], typer.Option(help="A core without NFs; repeatable.")],
    resource: Annotated[str, typer.Option(help="cache, or memory (its bandwidth).")] = "cache",
    seconds: Seconds = 30,
    output: Output = Format.TABLE,
) -> None:
    """Start programs that load cache or memory, on cores of their own."""
    fault = {"kind": "noisy-neighbour", "resource": resource, "cores": core, "seconds": seconds}
    _inject(session_of(ctx, output), host, fault)


@app.command("list")
def show(ctx: typer.Context, host: Host, output: Output = Format.TABLE) -> None:
    """Faults that are still active."""
    session = session_of(ctx, output)
    _show(session, session.api.get(path_of("hosts", host, "faults")).body)


def _inject(session: Session, host: str, fault: dict[str, Any]) -> None:
    _show(session, session.api.post(path_of("hosts", host, "faults"), {"fault": fault}).body)


def _show(session: Session, body: Any) -> None:
    if session.out.is_json:
        session.out.json(body)
        return
    session.out.table(
        ("SINCE", "UNTIL", "FAULT"),
        (
            (
                f"{active.since:%H:%M:%S} UTC",
                f"{active.until:%H:%M:%S} UTC" if active.until else "until it is restarted",
                in_words(active.fault),
            )
            for active in read(ActiveFaults, body).faults
        ),
        empty="no active faults",
    )


def in_words(fault: Fault) -> str:
    """'web.router crashed'."""
    match fault:
        case NfCrash(nf_id=nf_id):
            return f"{nf_id} crashed"
        case NicFlap(port=port):
            return f"{port} has no link"
        case HostDown():
            return "the host has no power"
        case NoisyNeighbour(resource=resource, cores=cores):
            return f"programs on {', '.join(map(str, cores))} load the {resource}"
