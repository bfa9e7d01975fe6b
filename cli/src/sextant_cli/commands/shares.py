"""`sextant shares`: what part of a core an NF takes by its rate; versions that laws go by."""

from typing import Annotated, Any

import typer
from sextant_domain.hosts.measured_shares import SharesState, SharesVersion
from sextant_domain.profiling.job import ProfilingAsk
from sextant_domain.profiling.profile import MAX_SAMPLES
from sextant_domain.profiling.shares_ask import FEWEST_SHARE_POINTS, MOST_SHARE_POINTS, SharesAsk

from sextant_cli.client import path_of
from sextant_cli.groups import defaulting_to
from sextant_cli.job_reports import follow_job, report_job
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, Session, Timeout, read, read_all, session_of
from sextant_cli.show_shares import SHARES_COLUMNS, shares_row, show_shares

app = typer.Typer(
    cls=defaulting_to("list"),
    help="Shares: what part of a core an NF takes by its rate.",
)

_PLAIN = ProfilingAsk(nf_type="any", host="any")
_SHARES = SharesAsk()
SharesId = Annotated[int, typer.Argument(metavar="SHARES", min=1, help="The version's number, as in the list.")]


@app.command("list")
def list_shares(
    ctx: typer.Context,
    *,
    nf_type: Annotated[str | None, typer.Option("--nf-type", help="Only for this NF type.")] = None,
    host_model: Annotated[str | None, typer.Option("--host-model", help="Only of hosts of this model.")] = None,
    state: Annotated[SharesState | None, typer.Option(help="Only versions in this state.")] = None,
    most: Annotated[int, typer.Option("--most", min=1, max=10_000, help="How many to show at most.")] = 50,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Versions, newest first."""
    session = session_of(ctx, output)
    query = {"nf_type": nf_type, "host_model": host_model, "state": state.value if state else None}
    page = session.api.pages(path_of("shares"), listed(sort, filters, query), most)
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        SHARES_COLUMNS,
        (shares_row(one) for one in read_all(SharesVersion, page)),
        empty="no shares yet; measure them with: sextant shares measure NF_TYPE --host HOST",
    )


@app.command()
def show(ctx: typer.Context, shares_id: SharesId, output: Output = Format.TABLE) -> None:
    """One version: the line, and the points that it was drawn through."""
    session = session_of(ctx, output)
    body = session.api.get(path_of("shares", shares_id)).body
    if session.out.is_json:
        session.out.json(body)
    else:
        show_shares(session.out, read(SharesVersion, body))


@app.command()
def measure(
    ctx: typer.Context,
    *,
    nf_type: Annotated[str, typer.Argument(metavar="NF_TYPE", help="The type to be measured.")],
    host: Annotated[str, typer.Option(help="The host; results hold for all hosts of its model.")],
    points: Annotated[
        int, typer.Option(min=FEWEST_SHARE_POINTS, max=MOST_SHARE_POINTS, help="Rates, evenly up to the fastest.")
    ] = _SHARES.points,
    most_percent: Annotated[
        float,
        typer.Option("--most-percent", min=10, max=95, help="The fastest rate, of what the NF carries of a full line."),
    ] = _SHARES.most_percent,
    packet_bytes: Annotated[
        int, typer.Option("--packet-bytes", min=64, max=1518, help="Size of every packet.")
    ] = _PLAIN.packet_bytes,
    flows: Annotated[
        int | None,
        typer.Option(min=1, max=1_000_000, help="Number of flows. Default: 100000, or as many as the host can play."),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.05, max=60, help="Length of one sample.")] = _PLAIN.seconds,
    half_width: Annotated[
        float,
        typer.Option(
            "--half-width", min=0.05, max=50, help="Half width of the 95 % interval at which a point ends, in percent."
        ),
    ] = _PLAIN.half_width_percent,
    max_samples: Annotated[
        int, typer.Option("--max-samples", min=3, max=MAX_SAMPLES, help="Most samples of one point.")
    ] = _PLAIN.max_samples,
    hops: Annotated[
        bool,
        typer.Option("--hops", help="Find, too, what handing a packet on to another process costs, by distance."),
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Repeat points that were measured before.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Return when the job has ended or is paused.")] = False,
    timeout_s: Timeout = 7200,
    output: Output = Format.TABLE,
) -> None:
    """Find what part of a core an NF type takes on a host: a profiling job, which stores a draft at its end."""
    session = session_of(ctx, output)
    ask: dict[str, Any] = {
        "nf_type": nf_type,
        "host": host,
        "packet_bytes": packet_bytes,
        "seconds": seconds,
        "half_width_percent": half_width,
        "max_samples": max_samples,
        "fresh": fresh,
        "shares": {"points": points, "most_percent": most_percent} | ({"hops": True} if hops else {}),
    }
    ask |= {} if flows is None else {"flows": flows}
    answer = session.api.post(path_of("profiling", "jobs"), ask)
    if not wait or session.out.is_json:
        report_job(session, answer, wait=wait, timeout_s=timeout_s)
        return
    job = follow_job(session, int(answer.body["id"]), timeout_s)
    if job.shares_id is not None:
        body = session.api.get(path_of("shares", job.shares_id)).body
        show_shares(session.out, read(SharesVersion, body))


@app.command()
def promote(ctx: typer.Context, shares_id: SharesId, output: Output = Format.TABLE) -> None:
    """Let control laws go by a version; what they went by of its NF type and host model is retired."""
    _decide(session_of(ctx, output), shares_id, "promotion")


@app.command()
def retire(ctx: typer.Context, shares_id: SharesId, output: Output = Format.TABLE) -> None:
    """Let laws go by what they see each second again."""
    _decide(session_of(ctx, output), shares_id, "retirement")


def _decide(session: Session, shares_id: int, what: str) -> None:
    body = session.api.post(path_of("shares", shares_id, what), {}).body
    if session.out.is_json:
        session.out.json(body)
        return
    one = read(SharesVersion, body)
    use = "go by" if one.state is SharesState.PROMOTED else "go no more by"
    session.out.line(f"control laws {use} shares {one.id} (version {one.version}) of {one.nf_type} on {one.host_model}")
