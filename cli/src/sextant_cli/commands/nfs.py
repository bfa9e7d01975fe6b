"""`sextant nfs`: NFs that are placed."""

from typing import Annotated

import typer
from sextant_domain.console.views import NfView
from sextant_domain.hosts.telemetry import NfSample

from sextant_cli import utilisation
from sextant_cli.client import path_of
from sextant_cli.figures import mpps, or_none, percent
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, read_all, session_of


def nfs(
    ctx: typer.Context,
    *,
    host: Annotated[str | None, typer.Option(help="Only NFs of this host.")] = None,
    chain: Annotated[str | None, typer.Option(help="Only NFs of this chain.")] = None,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Placed NFs: core, state and measurements."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of("nfs"), listed(sort, filters, {"host": host, "chain": chain}))
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        (
            "NF",
            "TYPE",
            "VERSION>",
            "HOST",
            "CORE>",
            "SLOT>",
            "STATE",
            "IN Mpps>",
            "OUT Mpps>",
            "DROPS Mpps>",
            "UTILISED>",
            "HEADROOM Mpps>",
            "CPU>",
            "RESTARTS>",
        ),
        (_row(nf) for nf in read_all(NfView, page)),
        empty="no NF is placed",
    )


def _row(nf: NfView) -> tuple[str, ...]:
    sample = nf.sample
    return (
        nf.nf_id,
        nf.nf_type,
        or_none(nf.nf_version),
        nf.seat.host,
        _core(nf),
        str(nf.seat.slot),
        nf.state.value if nf.state else "unknown",
        mpps(sample.rx_mpps if sample else None),
        mpps(sample.tx_mpps if sample else None),
        mpps(sample.drop_mpps if sample else None),
        utilisation.text(utilisation.of_nf(sample)),
        mpps(sample.headroom_mpps if sample else None),
        _cpu(sample),
        or_none(nf.restarts),
    )


def _cpu(sample: NfSample | None) -> str:
    """Of an NF in the kernel nobody counts it."""
    if sample is None:
        return percent(None)
    return "not measured" if sample.cpu_percent is None else percent(sample.cpu_percent)


def _core(nf: NfView) -> str:
    """The ordered core; where the thread was found on another, both."""
    if nf.actual_core is None or nf.actual_core == nf.seat.core:
        return str(nf.seat.core)
    return f"{nf.seat.core} (found on {nf.actual_core})"
