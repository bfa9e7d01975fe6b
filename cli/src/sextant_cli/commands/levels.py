"""`sextant levels`: what each rate takes at least of cache and memory bandwidth; versions that laws go by."""

from enum import StrEnum
from typing import Annotated, Any

import typer
from sextant_domain.hosts.measured_levels import LevelsState, LevelsVersion
from sextant_domain.profiling.job import LevelsAsk, ProfilingAsk
from sextant_domain.profiling.profile import MAX_SAMPLES

from sextant_cli.client import path_of
from sextant_cli.groups import defaulting_to
from sextant_cli.job_reports import follow_job, report_job
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, Session, Timeout, read, read_all, session_of
from sextant_cli.show_levels import LEVELS_COLUMNS, levels_row, show_levels

app = typer.Typer(
    cls=defaulting_to("list"),
    help="Levels: what each rate takes at least of cache and memory bandwidth.",
)

_PLAIN = ProfilingAsk(nf_type="any", host="any")
_RATES = LevelsAsk().rates_gbps


class Kind(StrEnum):
    """Of nodes, as the shell takes it."""

    LOCAL = "local"
    REMOTE = "remote"


LevelsId = Annotated[int, typer.Argument(metavar="LEVELS", min=1, help="The version's number, as in the list.")]


@app.command("list")
def list_levels(
    ctx: typer.Context,
    *,
    nf_type: Annotated[str | None, typer.Option("--nf-type", help="Only for this NF type.")] = None,
    host_model: Annotated[str | None, typer.Option("--host-model", help="Only of hosts of this model.")] = None,
    state: Annotated[LevelsState | None, typer.Option(help="Only versions in this state.")] = None,
    most: Annotated[int, typer.Option("--most", min=1, max=10_000, help="How many to show at most.")] = 50,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Versions, newest first."""
    session = session_of(ctx, output)
    query = {"nf_type": nf_type, "host_model": host_model, "state": state.value if state else None}
    page = session.api.pages(path_of("levels"), listed(sort, filters, query), most)
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        LEVELS_COLUMNS,
        (levels_row(one) for one in read_all(LevelsVersion, page)),
        empty="no levels yet; measure them with: sextant levels measure NF_TYPE --host HOST",
    )


@app.command()
def show(ctx: typer.Context, levels_id: LevelsId, output: Output = Format.TABLE) -> None:
    """One version: for each rate the least cache ways and memory bandwidth, and what else carries it."""
    session = session_of(ctx, output)
    body = session.api.get(path_of("levels", levels_id)).body
    if session.out.is_json:
        session.out.json(body)
    else:
        show_levels(session.out, read(LevelsVersion, body))


@app.command()
def measure(
    ctx: typer.Context,
    *,
    nf_type: Annotated[str, typer.Argument(metavar="NF_TYPE", help="The type to be measured.")],
    host: Annotated[str, typer.Option(help="The host; results hold for all hosts of its model.")],
    rates: Annotated[
        list[float] | None,
        typer.Option("--rate", metavar="GBPS", min=0, help="A rate on the wire; repeatable. Default: 1 to 10 Gbps."),
    ] = None,
    nodes: Annotated[
        list[Kind] | None, typer.Option("--node", help="local or remote; repeatable. Default: both.")
    ] = None,
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
    fresh: Annotated[bool, typer.Option("--fresh", help="Repeat points that were measured before.")] = False,
    wait: Annotated[bool, typer.Option("--wait", help="Return when the job has ended or is paused.")] = False,
    timeout_s: Timeout = 7200,
    output: Output = Format.TABLE,
) -> None:
    """Find the levels of an NF type on a host: a profiling job, which stores a draft at its end."""
    session = session_of(ctx, output)
    ask: dict[str, Any] = {
        "nf_type": nf_type,
        "host": host,
        "packet_bytes": packet_bytes,
        "seconds": seconds,
        "half_width_percent": half_width,
        "max_samples": max_samples,
        "fresh": fresh,
        "levels": {"rates_gbps": rates or list(_RATES), "nodes": [kind.value for kind in nodes or Kind]},
    }
    ask |= {} if flows is None else {"flows": flows}
    answer = session.api.post(path_of("profiling", "jobs"), ask)
    if not wait or session.out.is_json:
        report_job(session, answer, wait=wait, timeout_s=timeout_s)
        return
    job = follow_job(session, int(answer.body["id"]), timeout_s)
    if job.levels_id is not None:
        body = session.api.get(path_of("levels", job.levels_id)).body
        show_levels(session.out, read(LevelsVersion, body))


@app.command()
def promote(ctx: typer.Context, levels_id: LevelsId, output: Output = Format.TABLE) -> None:
    """Let control laws go by a version; what they went by of its NF type and host model is retired."""
    _decide(session_of(ctx, output), levels_id, "promotion")


@app.command()
def retire(ctx: typer.Context, levels_id: LevelsId, output: Output = Format.TABLE) -> None:
    """Let no control law go by a version any more."""
    _decide(session_of(ctx, output), levels_id, "retirement")


def _decide(session: Session, levels_id: int, what: str) -> None:
    body = session.api.post(path_of("levels", levels_id, what), {}).body
    if session.out.is_json:
        session.out.json(body)
        return
    one = read(LevelsVersion, body)
    use = "go by" if one.state is LevelsState.PROMOTED else "go no more by"
    session.out.line(f"control laws {use} levels {one.id} (version {one.version}) of {one.nf_type} on {one.host_model}")
