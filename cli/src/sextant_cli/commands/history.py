"""`sextant history`: what was measured earlier, as a table, CSV or JSON."""

import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer
from sextant_domain.console.history import (
    ChainCompliance,
    ChainDifference,
    FleetDifference,
    History,
    HistoryMark,
    HistoryMarks,
    HistorySeries,
    HistorySize,
    PastChain,
    PastFleet,
    PastSeat,
)

from sextant_cli.client import path_of
from sextant_cli.errors import Exit, error
from sextant_cli.figures import NONE, share, size
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, read, read_all, session_of
from sextant_cli.show_path import show_path_then

app = typer.Typer(help="What was measured earlier: chains, hosts, NFs and cores over a range of time.")

_AGO = re.compile(r"(\d{1,6})(s|min|h|d)", re.ASCII)
_UNITS = {"s": "seconds", "min": "minutes", "h": "hours", "d": "days"}
_MOMENT = "a moment, as 2026-11-25T14:10 (UTC without a zone), or how long ago: 15min, 6h, 30d"

From = Annotated[str, typer.Option("--from", help=f"From when: {_MOMENT}.")]
To = Annotated[str | None, typer.Option("--to", help="Until when; default: now.")]
Points = Annotated[int, typer.Option("--points", min=1, max=2000, help="At most about so many points.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print CSV, with every figure of each point.")]
Shown = Sequence[tuple[str, str, str]]
"""(title, figure, `mean`, `least` or `most`)"""

CHAIN: Shown = (
    ("OFFERED Mpps>", "offered_mpps", "mean"),
    ("DELIVERED Mpps>", "delivered_mpps", "mean"),
    ("LEAST>", "delivered_mpps", "least"),
    ("DROPPED Mpps>", "drop_mpps", "mean"),
    ("HIGHEST P95 us>", "p95_us", "most"),
)
HOST: Shown = (
    ("OFFERED Mpps>", "offered_mpps", "mean"),
    ("DELIVERED Mpps>", "delivered_mpps", "mean"),
    ("LEAST>", "delivered_mpps", "least"),
    ("DROPPED Mpps>", "drop_mpps", "mean"),
)
NF: Shown = (
    ("RECEIVED Mpps>", "rx_mpps", "mean"),
    ("DROPPED Mpps>", "drop_mpps", "mean"),
    ("UTILISATION %>", "utilisation_percent", "mean"),
    ("CPU %>", "cpu_percent", "mean"),
)
CORE: Shown = (
    ("BUSY %>", "busy_percent", "mean"),
    ("LEAST>", "busy_percent", "least"),
    ("MOST>", "busy_percent", "most"),
)


def moment(text: str, option: str) -> str:
    """RFC 3339; raises CliError where it is none."""
    ago = _AGO.fullmatch(text.strip())
    if ago:
        return (datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: int(ago[1])})).isoformat()
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise error("bad-moment", "Not a moment", f"{option} {text}: write {_MOMENT}", Exit.BAD_INPUT) from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).isoformat()


def _range(since: str, until: str | None) -> dict[str, str | None]:
    return {"from": moment(since, "--from"), "to": None if until is None else moment(until, "--to")}


@app.command()
def chain(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="CHAIN", help="The chain, deleted or not.")],
    *,
    since: From = "1h",
    until: To = None,
    points: Points = 60,
    csv: AsCsv = False,
    output: Output = Format.TABLE,
) -> None:
    """What a chain carried."""
    _show(
        ctx,
        path_of("chains", name, "history"),
        {**_range(since, until), "points": str(points)},
        CHAIN,
        csv=csv,
        output=output,
    )


@app.command()
def host(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="HOST", help="The host.")],
    *,
    core: Annotated[int | None, typer.Option("--core", min=0, help="One of its cores, in place of its chains.")] = None,
    since: From = "1h",
    until: To = None,
    points: Points = 60,
    csv: AsCsv = False,
    output: Output = Format.TABLE,
) -> None:
    """What all chains of a host carried together, or how busy one of its cores was."""
    parts = ("hosts", name) if core is None else ("hosts", name, "cores", core)
    query = {**_range(since, until), "points": str(points)}
    _show(ctx, path_of(*parts, "history"), query, HOST if core is None else CORE, csv=csv, output=output)


@app.command()
def nf(
    ctx: typer.Context,
    nf_id: Annotated[str, typer.Argument(metavar="NF", help="The NF, as chain.nf.")],
    *,
    since: From = "1h",
    until: To = None,
    points: Points = 60,
    csv: AsCsv = False,
    output: Output = Format.TABLE,
) -> None:
    """What an NF received and dropped, wherever it stood."""
    _show(
        ctx,
        path_of("nfs", nf_id, "history"),
        {**_range(since, until), "points": str(points)},
        NF,
        csv=csv,
        output=output,
    )


def _show(
    ctx: typer.Context, path: str, query: dict[str, str | None], shown: Shown, *, csv: bool, output: Format
) -> None:  # fmt: skip
    session = session_of(ctx, output)
    if csv:
        sys.stdout.write(session.api.text(path, {**query, "format": "csv"}))
        return
    body = session.api.get(path, query).body
    if session.out.is_json:
        session.out.json(body)
        return
    found = read(History, body)
    series = {one.figure: one for one in found.series}
    session.out.table(
        ("FROM", *(title for title, _, _ in shown), "SAMPLES>", "SOURCE"),
        (
            (
                _time(at),
                *(_figure(series.get(figure), what, number) for _, figure, what in shown),
                str(found.samples[number]),
                found.provenance[number].value,
            )
            for number, at in enumerate(found.at)
        ),
        empty="nothing was measured in that time, or it is no longer kept (`sextant history size`)",
    )
    if found.at:
        session.out.line(f"points of {found.step_s} s, from rows of {found.level.value}; UTC. Gaps are left out.")


def _figure(series: HistorySeries | None, what: str, number: int) -> str:
    value: float | None = None if series is None else getattr(series, what)[number]
    return NONE if value is None else f"{value:.4g}"


def _time(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}"


@app.command()
def marks(
    ctx: typer.Context,
    *,
    since: From = "24h",
    until: To = None,
    of_host: Annotated[str | None, typer.Option("--host", help="Only what touched this host.")] = None,
    of_chain: Annotated[str | None, typer.Option("--chain", help="Only what touched this chain.")] = None,
    output: Output = Format.TABLE,
) -> None:
    """What happened: operations, plans that were not applied, recommendations and alerts, oldest first."""
    session = session_of(ctx, output)
    body = session.api.get(
        path_of("history", "marks"), {**_range(since, until), "host": of_host, "chain": of_chain}
    ).body
    if session.out.is_json:
        session.out.json(body)
        return
    found = read(HistoryMarks, body)
    session.out.table(
        ("FROM", "UNTIL", "WHAT", "NUMBER>", "STATE", "TITLE", "HOSTS"),
        (_mark(one) for one in found.items),
        empty="nothing happened in that time",
    )
    if found.more:
        session.out.line("there is more: ask for a shorter time")


def _mark(one: HistoryMark) -> tuple[str, ...]:
    until = NONE if one.until is None else _time(one.until.timestamp())
    return (
        _time(one.at.timestamp()), until, one.kind.value, str(one.id), one.state, one.title, ", ".join(one.hosts),
    )  # fmt: skip


@app.command()
def fleet(
    ctx: typer.Context,
    at: Annotated[str, typer.Argument(metavar="MOMENT", help=f"When: {_MOMENT}.")] = "1min",
    *,
    of_host: Annotated[str | None, typer.Option("--host", help="Only this host.")] = None,
    of_chain: Annotated[str | None, typer.Option("--chain", help="Only this chain, and the hosts that ran it.")] = None,
    output: Output = Format.TABLE,
) -> None:
    """The fleet as it was at a moment: where each NF stood, and how it did."""
    session = session_of(ctx, output)
    query = {"at": moment(at, "MOMENT"), "host": of_host, "chain": of_chain}
    body = session.api.get(path_of("history", "fleet"), query).body
    if session.out.is_json:
        session.out.json(body)
        return
    found = read(PastFleet, body)
    session.out.table(
        ("NF", "HOST", "CORE>", "RECEIVED Mpps>", "DROPPED Mpps>", "UTILISATION %>", "CPU %>", "SOURCE"),
        (
            (
                nf.nf_id,
                host.host_id,
                str(nf.core),
                f"{nf.rx_mpps:.4g}",
                f"{nf.drop_mpps:.4g}",
                NONE if nf.utilisation_percent is None else f"{nf.utilisation_percent:.4g}",
                "not measured" if nf.cpu_percent is None else f"{nf.cpu_percent:.4g}",
                host.provenance.value,
            )
            for host in found.hosts
            for nf in host.nfs
            if of_chain in {None, nf.nf_id.split(".", 1)[0]}
        ),
        empty="no NF was reported then, or it is no longer kept (`sextant history size`)",
    )
    show_path_then(session.out, found.hops)
    session.out.line(f"means of {found.step_s} s from {_time(found.at.timestamp())} UTC on")


@app.command()
def compare(
    ctx: typer.Context,
    before: Annotated[str, typer.Argument(metavar="BEFORE", help=f"The first moment: {_MOMENT}.")],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="The second moment.")] = "1min",
    output: Output = Format.TABLE,
) -> None:
    """The fleet at two moments: what each chain carried, and NFs that stood elsewhere."""
    session = session_of(ctx, output)
    query = {"before": moment(before, "BEFORE"), "after": moment(after, "AFTER")}
    body = session.api.get(path_of("history", "differences"), query).body
    if session.out.is_json:
        session.out.json(body)
        return
    found = read(FleetDifference, body)
    session.out.line(f"{_time(found.before.timestamp())} and {_time(found.after.timestamp())} UTC")
    session.out.table(
        ("CHAIN", "BEFORE Mpps>", "AFTER Mpps>", "DIFFERENCE>", "OBJECTIVES BEFORE", "AFTER", "SOURCE"),
        (_compared(one) for one in found.chains),
        empty="no chain was reported at either",
    )
    for nf in found.nfs:
        session.out.line(f"{nf.nf_id}: {_seat(nf.before)} -> {_seat(nf.after)}")
    for word, hosts in (("no longer reported", found.hosts_gone), ("new", found.hosts_new)):
        if hosts:
            session.out.line(f"{word}: {', '.join(hosts)}")


def _compared(one: ChainDifference) -> tuple[str, ...]:
    first, last = one.before, one.after
    difference = NONE if first is None or last is None else f"{last.delivered_mpps - first.delivered_mpps:+.4g}"
    source = last or first
    return (
        one.chain,
        NONE if first is None else f"{first.delivered_mpps:.4g}",
        NONE if last is None else f"{last.delivered_mpps:.4g}",
        difference,
        _met(first),
        _met(last),
        NONE if source is None else source.provenance.value,
    )


def _met(one: PastChain | None) -> str:
    if one is None or not one.judged:
        return NONE
    return "met" if one.met == one.judged else "missed"


def _seat(seat: PastSeat | None) -> str:
    return "not there" if seat is None else f"{seat.host} core {seat.core}"


@app.command()
def compliance(
    ctx: typer.Context,
    *,
    since: From = "30d",
    until: To = None,
    most: Annotated[int, typer.Option("--most", min=1, max=10_000, help="How many chains to show at most.")] = 200,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """How much of a time each chain with objectives met them; what was not measured is told apart."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of("history", "compliance"), listed(sort, filters, _range(since, until)), most)
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("CHAIN", "MET>", "MISSED>", "NOT MEASURED>", "MET OF MEASURED>", "SOURCE"),
        (
            (
                one.chain,
                share(one.met),
                share(one.missed),
                share(one.not_measured),
                share(one.of_measured),
                NONE if one.provenance is None else one.provenance.value,
            )
            for one in read_all(ChainCompliance, page)
        ),
        empty="no chain has objectives",
    )


@app.command("size")
def show_size(ctx: typer.Context, output: Output = Format.TABLE) -> None:
    """What samples and each level of history take on disk, and how long they are kept."""
    session = session_of(ctx, output)
    body: Any = session.api.get(path_of("history", "size")).body
    if session.out.is_json:
        session.out.json(body)
        return
    found = read(HistorySize, body)
    session.out.table(
        ("ROWS OF", "KEPT DAYS>", "SIZE>", "ROWS>", "OLDEST"),
        (
            (
                one.level.value,
                str(one.retention_days),
                size(one.bytes),
                str(one.rows),
                NONE if one.oldest is None else f"{one.oldest:%Y-%m-%d}",
            )
            for one in found.levels
        ),
        empty="nothing",
    )
    until = NONE if found.rolled_until is None else _time(found.rolled_until.timestamp())
    session.out.line(f"{size(found.bytes)} in all; rolled up until {until} UTC")
