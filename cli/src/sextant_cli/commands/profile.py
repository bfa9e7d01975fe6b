"""`sextant profile`: design and start profiling jobs, follow and steer them, read what was measured."""

import json
import sys
from typing import Annotated, Any

import typer
from sextant_domain.profiling.job import (
    JobAction,
    JobState,
    ProfileRecord,
    ProfilingAsk,
    ProfilingDesign,
    ProfilingJob,
    ProfilingPoint,
)
from sextant_domain.profiling.profile import MAX_OTHERS, MAX_SAMPLES

from sextant_cli.client import path_of
from sextant_cli.job_reports import follow_job, report_job
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, Timeout, read, read_all, session_of
from sextant_cli.show_profiling import (
    JOB_COLUMNS,
    POINT_COLUMNS,
    RECORD_COLUMNS,
    job_row,
    point_row,
    record_row,
    show_design,
    show_job,
)

app = typer.Typer(no_args_is_help=True, help="Profile NF types on hosts: jobs, their points and records.")

_PLAIN = ProfilingAsk(nf_type="any", host="any")
"""The default request."""

NfType = Annotated[str, typer.Argument(metavar="NF_TYPE", help="The type to be profiled.")]
Host = Annotated[str, typer.Option(help="The host; results hold for all hosts of its model.")]
JobId = Annotated[int, typer.Argument(metavar="JOB", min=1, help="The job's number.")]
PacketBytes = Annotated[int, typer.Option("--packet-bytes", min=64, max=1518, help="Size of every packet.")]
Flows = Annotated[
    int | None,
    typer.Option(
        min=1, max=1_000_000, help=f"Number of flows. Default: {_PLAIN.flows}, or as many as the host can play."
    ),
]
Rate = Annotated[
    float | None,
    typer.Option(
        min=0, help="Rate offered to each competitor in Mpps; 0: as fast as it can. Default: 10 Gbps of packets."
    ),
]
Beside = Annotated[
    list[str] | None, typer.Option("--beside", metavar="NF_TYPE", help="A competitor; repeatable. Default: chosen.")
]
Most = Annotated[
    int | None,
    typer.Option(
        "--most-competitors",
        min=0,
        max=MAX_OTHERS,
        help="Most competitors at the same time; default: as many as cores allow.",
    ),
]
Seconds = Annotated[float, typer.Option(min=0.05, max=60, help="Length of one sample.")]
HalfWidth = Annotated[
    float,
    typer.Option(
        "--half-width", min=0.05, max=50, help="Half width of the 95 % interval at which a point ends, in percent."
    ),
]
Samples = Annotated[int, typer.Option("--max-samples", min=3, max=MAX_SAMPLES, help="Most samples of one point.")]
Seed = Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Seed for the order of the points.")]
Fresh = Annotated[bool, typer.Option("--fresh", help="Repeat points that were measured before.")]
OfType = Annotated[str | None, typer.Option("--nf-type", help="Only for this NF type.")]


@app.command()
def design(
    ctx: typer.Context,
    nf_type: NfType,
    *,
    host: Host,
    packet_bytes: PacketBytes = _PLAIN.packet_bytes,
    flows: Flows = None,
    rate: Rate = None,
    beside: Beside = None,
    most_competitors: Most = None,
    seconds: Seconds = _PLAIN.seconds,
    half_width: HalfWidth = _PLAIN.half_width_percent,
    max_samples: Samples = _PLAIN.max_samples,
    seed: Seed = _PLAIN.seed,
    fresh: Fresh = False,
    output: Output = Format.TABLE,
) -> None:
    """Show what a job would measure and how long it would take, without starting it."""
    session = session_of(ctx, output)
    traffic = _traffic(packet_bytes, flows, rate)
    points = {"competitors": beside or [], "most_competitors": most_competitors, "seed": seed, "fresh": fresh}
    until = {"seconds": seconds, "half_width_percent": half_width, "max_samples": max_samples}
    ask = {"nf_type": nf_type, "host": host, **traffic, **points, **until}
    body = session.api.post(path_of("profiling", "designs"), ask).body
    if session.out.is_json:
        session.out.json(body)
    else:
        show_design(session.out, read(ProfilingDesign, body))


def _traffic(packet_bytes: int, flows: int | None, rate: float | None) -> dict[str, float | None]:
    """What was not said is left out: the console chooses, by the size of packets and by what the host can play."""
    asked: dict[str, float | None] = {"packet_bytes": packet_bytes}
    asked |= {} if flows is None else {"flows": flows}
    return asked | ({} if rate is None else {"rate_mpps": rate or None})


@app.command()
def start(
    ctx: typer.Context,
    nf_type: NfType,
    *,
    host: Host,
    packet_bytes: PacketBytes = _PLAIN.packet_bytes,
    flows: Flows = None,
    rate: Rate = None,
    beside: Beside = None,
    most_competitors: Most = None,
    seconds: Seconds = _PLAIN.seconds,
    half_width: HalfWidth = _PLAIN.half_width_percent,
    max_samples: Samples = _PLAIN.max_samples,
    seed: Seed = _PLAIN.seed,
    fresh: Fresh = False,
    wait: Annotated[bool, typer.Option("--wait", help="Return when the job has ended or is paused.")] = False,
    timeout_s: Timeout = 7200,
    output: Output = Format.TABLE,
) -> None:
    """Profile an NF type on a host."""
    session = session_of(ctx, output)
    traffic = _traffic(packet_bytes, flows, rate)
    points = {"competitors": beside or [], "most_competitors": most_competitors, "seed": seed, "fresh": fresh}
    until = {"seconds": seconds, "half_width_percent": half_width, "max_samples": max_samples}
    ask = {"nf_type": nf_type, "host": host, **traffic, **points, **until}
    report_job(session, session.api.post(path_of("profiling", "jobs"), ask), wait=wait, timeout_s=timeout_s)


@app.command()
def jobs(
    ctx: typer.Context,
    *,
    nf_type: OfType = None,
    state: Annotated[JobState | None, typer.Option(case_sensitive=False, help="Only in this state.")] = None,
    most: Annotated[int, typer.Option("--most", min=1, max=10_000, help="How many to show at most.")] = 50,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Jobs, newest first."""
    session = session_of(ctx, output)
    query = {"nf_type": nf_type, "state": state.value if state else None}
    page = session.api.pages(path_of("profiling", "jobs"), listed(sort, filters, query), most)
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        JOB_COLUMNS,
        (job_row(job) for job in read_all(ProfilingJob, page)),
        empty="no profiling jobs yet; start one with: sextant profile start NF_TYPE --host HOST",
    )


@app.command()
def show(ctx: typer.Context, job_id: JobId, output: Output = Format.TABLE) -> None:
    """One job: its progress, what it waits for and the possible actions."""
    session = session_of(ctx, output)
    body = session.api.get(path_of("profiling", "jobs", job_id)).body
    if session.out.is_json:
        session.out.json(body)
    else:
        show_job(session.out, read(ProfilingJob, body))


@app.command()
def points(
    ctx: typer.Context, *, job_id: JobId, sort: Sort = None, filters: Filters = None, output: Output = Format.TABLE
) -> None:
    """A job's points in the order in which they are measured, with their figures."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of("profiling", "jobs", job_id, "points"), listed(sort, filters))
    if session.out.is_json:
        session.out.json(page)
        return
    rows = (point_row(point) for point in read_all(ProfilingPoint, page))
    session.out.table(POINT_COLUMNS, rows, empty="the job has no points")


@app.command()
def watch(ctx: typer.Context, job_id: JobId, timeout_s: Timeout = 7200, output: Output = Format.TABLE) -> None:
    """Follow a job until it ends or is paused."""
    follow_job(session_of(ctx, output), job_id, timeout_s)


@app.command()
def records(
    ctx: typer.Context,
    *,
    nf_type: OfType = None,
    host_model: Annotated[str | None, typer.Option("--host-model", help="Only for this host model.")] = None,
    job_id: Annotated[int | None, typer.Option("--job", min=1, help="Only of this job's points.")] = None,
    lines: Annotated[bool, typer.Option("--json", help="One JSON record per line, for other programs.")] = False,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """What was measured, oldest first."""
    session = session_of(ctx, output)
    query = {"nf_type": nf_type, "host_model": host_model, "job_id": job_id}
    page = session.api.pages(path_of("profiling", "records"), listed(sort, filters, query))
    if lines:
        for record in page["items"]:
            sys.stdout.write(json.dumps(record, ensure_ascii=False) + "\n")
    elif session.out.is_json:
        session.out.json(page)
    else:
        rows = (record_row(record) for record in read_all(ProfileRecord, page))
        session.out.table(RECORD_COLUMNS, rows, empty="nothing was measured")


def _add(action: JobAction, text: str) -> None:
    def command(ctx: typer.Context, job_id: JobId, output: Output = Format.TABLE) -> None:
        session = session_of(ctx, output)
        body: Any = {"action": action.value}
        answer = session.api.post(path_of("profiling", "jobs", job_id, "actions"), body)
        report_job(session, answer, wait=False, timeout_s=0)

    app.command(action.value, help=text)(command)


_add(JobAction.PAUSE, "Pause after the point that is being measured.")
_add(JobAction.RESUME, "Resume a paused job.")
_add(JobAction.CANCEL, "Cancel a job; what was measured stays.")
_add(JobAction.RETRY, "Measure failed and not measurable points again.")
