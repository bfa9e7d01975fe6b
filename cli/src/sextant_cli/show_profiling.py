"""Profiling jobs, points and records as text."""

from collections import Counter

from sextant_domain.profiling.job import (
    PointPurpose,
    PointSetting,
    ProfileRecord,
    ProfilingDesign,
    ProfilingJob,
    ProfilingPoint,
)
from sextant_domain.profiling.profile import Estimate

from sextant_cli.figures import NONE, ago, or_none
from sextant_cli.output import Printer

JOB_COLUMNS = (
    "JOB>", "STATE", "NF TYPE", "HOST", "POINTS>", "MEASURED>", "NOT MEASURABLE>", "FAILED>", "LEFT", "NOTE", "BY",
    "ASKED",
)  # fmt: skip
POINT_COLUMNS = ("POINT>", "PURPOSE", "NF", "BESIDE", "STATE", "TRIES>", "SAMPLES>", "Mpps", "DROP", "DELAY", "NOTE")
RECORD_COLUMNS = ("RECORD>", "JOB>", "HOST", "PURPOSE", "NF", "BESIDE", "SAMPLES>", "Mpps", "DROP", "FROM", "STORED")


def duration(seconds: float | None) -> str:
    """'40 s', '12 min', '1 h 5 min'."""
    if seconds is None:
        return NONE
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def show_design(out: Printer, design: ProfilingDesign) -> None:
    """What would be measured, by purpose, and for how long."""
    ask = design.ask
    out.line(f"{ask.nf_type} on {ask.host} ({design.host_model})", style="bold")
    out.line(f"packets of {ask.packet_bytes} bytes, {ask.flows} flows")
    count = Counter(point.purpose.value for point in design.points)
    out.table(("PURPOSE", "POINTS>"), ((purpose, str(number)) for purpose, number in count.items()), empty="no points")
    if design.grid_points is not None:
        what = f"levels: the first of a grid of {design.grid_points}"
        if ask.shares is not None:
            what = f"shares: the first of {design.grid_points}"
        out.line(f"for {what}; the others follow from what is measured")
    for left_out in design.left_out:
        out.line(f"left out: {left_out}", style="dim")
    if design.no_model is not None:
        out.line(f"it will give no model: {design.no_model}", style="yellow")
    if design.roomier_host is not None:
        out.line(
            f"{design.roomier_host}, of the same model, has more free cores on the node where packets arrive",
            style="yellow",
        )
    known = f", {design.known} more were measured before and are not repeated" if design.known else ""
    out.line(
        f"{len(design.points)} points{known}; about {duration(design.expected_s)}, {duration(design.most_s)} at most"
    )
    out.line(f"start it with: sextant profile start {ask.nf_type} --host {ask.host}", style="dim")


def job_line(job: ProfilingJob) -> str:
    """'job 4  PROCESSING  firewall on sim-1, 12 of 80 points, 40 s left'."""
    unmeasured = f", {job.not_measurable} not measurable" if job.not_measurable else ""
    failed = f"{unmeasured}, {job.failed} failed" if job.failed else unmeasured
    left = "" if job.seconds_left is None else f", {duration(job.seconds_left)} left"
    points = f"{job.done} of {job.points} points"
    found = ""
    if job.grid_points is not None:
        found, points = "levels of ", f"{job.done} of the grid's {job.grid_points} points"
    if job.ask.shares is not None:
        found, points = "shares of ", f"{job.done} of {job.grid_points} points"
    what = f"{found}{job.ask.nf_type} on {job.ask.host}, {points}{failed}{left}"
    return f"job {job.id}  {job.state.value}  {what}"


def show_job(out: Printer, job: ProfilingJob) -> None:
    """The whole job."""
    out.line(job_line(job), style="bold")
    out.line(f"version {job.nf_version} on {job.host_model}; requested by {job.created_by} {ago(job.created_at)}")
    if job.started_at is not None and job.finished_at is not None:
        out.line(f"took {duration((job.finished_at - job.started_at).total_seconds())}")
    if job.note is not None:
        out.line(job.note, style="yellow")
    for left_out in job.left_out:
        out.line(f"left out: {left_out}", style="dim")
    if job.error is not None:
        out.line(f"{job.error.title}: {job.error.detail}", style="red")
    if job.fit_id is not None:
        out.line(f"its results are in fit {job.fit_id}: sextant models fits", style="dim")
    if job.levels_id is not None:
        out.line(f"it found levels {job.levels_id}: sextant levels show {job.levels_id}", style="dim")
    if job.shares_id is not None:
        out.line(f"it found shares {job.shares_id}: sextant shares show {job.shares_id}", style="dim")
    for offer in job.actions:
        state = "" if offer.allowed else "not possible, "
        out.line(f"  {offer.action.value}: {state}{offer.reason}", style="" if offer.allowed else "dim")


def job_row(job: ProfilingJob) -> tuple[str, ...]:
    """A line of a list."""
    return (
        str(job.id),
        job.state.value,
        job.ask.nf_type,
        job.ask.host,
        str(job.points),
        str(job.done - job.not_measurable),
        str(job.not_measurable),
        str(job.failed),
        duration(job.seconds_left),
        or_none(job.error.title if job.error else job.note),
        job.created_by,
        ago(job.created_at),
    )


def point_row(point: ProfilingPoint) -> tuple[str, ...]:
    """A line of a job's points, as POINT_COLUMNS."""
    samples = point.progress.samples if point.progress else point.samples
    return (
        str(point.number),
        point.setting.purpose.value,
        chain_text(point.setting),
        beside_text(point.setting),
        "reused" if point.reused else point.state.value,
        str(point.tries),
        str(samples),
        estimate(point.mpps, "Mpps"),
        estimate(point.drop_percent, "%"),
        estimate(point.delay_us, "us"),
        or_none(point.error.detail if point.error else point.note),
    )


def record_row(record: ProfileRecord) -> tuple[str, ...]:
    """A line of stored measurements, as RECORD_COLUMNS."""
    found = record.result.beside or record.result.nf
    return (
        str(record.id),
        str(record.job_id),
        record.host,
        record.setting.purpose.value,
        chain_text(record.setting),
        beside_text(record.setting),
        str(len(record.result.samples)),
        estimate(found.mpps if found else None, "Mpps"),
        estimate(record.result.throughput_drop_percent, "%"),
        record.provenance.value,
        ago(record.stored_at),
    )


def chain_text(setting: PointSetting) -> str:
    """'simple-forward@1 > firewall@0': the NF whose figures are asked for comes last, or before '> (router@1)'."""
    behind = (f"({nf.nf_type}@{nf.node})" for nf in setting.downstream)
    return " > ".join([*(f"{nf.nf_type}@{nf.node}" for nf in setting.chain), *behind])


def beside_text(setting: PointSetting) -> str:
    """'3 router@0, 1 nat@1'; a bubble with its size, chains with their length, a rate of their own. Of a point for
    levels, what the NF has of cache and memory bandwidth; of one for shares, what it is offered."""
    if setting.purpose in {PointPurpose.SHARE, PointPurpose.HOP}:
        return f"(offered {setting.rate_mpps:g} Mpps)"
    if setting.llc_ways is not None:
        return f"(with {setting.llc_ways} ways, {setting.memory_bandwidth_percent} %)"
    size = "" if setting.bubble_kib is None else f" of {setting.bubble_kib} KiB"
    count = Counter((nf.nf_type, nf.node) for nf in setting.others)
    chains = "" if setting.others_a_chain == 1 else f" in chains of {setting.others_a_chain}"
    rate = "" if setting.rate_mpps is None else f" at {setting.rate_mpps:g} Mpps"
    beside = ", ".join(f"{number} {name}@{node}{size}" for (name, node), number in count.items())
    return f"{beside}{chains}{rate}" or NONE


def estimate(found: Estimate | None, unit: str) -> str:
    """'9.98 +- 0.04 Mpps': with half of its 95 % interval, where that is known."""
    if found is None:
        return NONE
    width = "" if found.half_width is None else f" +- {found.half_width:.2f}"
    return f"{found.value:.2f}{width} {unit}"
