"""Shares of an NF type as text."""

from sextant_domain.hosts.measured_shares import ShareLine, SharesVersion

from sextant_cli.figures import NONE, ago
from sextant_cli.output import Printer
from sextant_cli.show_compact import DISTANCES

SHARES_COLUMNS = (
    "SHARES>", "NF TYPE", "VERSION>", "HOST MODEL", "STATE", "FROM", "% AN MPPS>", "% AT REST>", "R^2>", "JOB>",
    "MEASURED", "NOTE",
)  # fmt: skip
BAR = 40
"""Characters of a whole core."""


def shares_row(one: SharesVersion) -> tuple[str, ...]:
    """A line of a list."""
    line = one.measured.line
    figures = (NONE, NONE, NONE) if line is None else (_percent(line.slope), _percent(line.intercept), _fit(line))
    return (
        str(one.id),
        one.nf_type,
        str(one.version),
        one.host_model,
        one.state.value,
        one.provenance.value,
        *figures,
        str(one.job_id),
        ago(one.created_at),
        one.measured.refused or one.stale or NONE,
    )


def show_shares(out: Printer, one: SharesVersion) -> None:
    """All of it: the line, and for each rate what was measured and what the line says."""
    title = f"shares {one.id}  {one.state.value}  {one.nf_type} on {one.host_model}, version {one.version}"
    out.line(title, style="bold")
    measured, line = one.measured, one.measured.line
    where = f"{one.provenance.value} by job {one.job_id} on {one.host} {ago(one.created_at)}"
    traffic = f"packets of {measured.packet_bytes} bytes, {measured.flows} flows"
    out.line(f"{where}: {traffic}; of a full line it carried {measured.carries_mpps:.4g} Mpps")
    if one.stale is not None:
        out.line(one.stale, style="yellow")
    if line is None:
        out.line(f"no line: {measured.refused}", style="yellow")
    else:
        out.line(line_text(line))
    out.table(
        ("Mpps>", "core %>", "+/->", "line %>", ""),
        (
            (
                f"{point.mpps:.4g}",
                _percent(point.share),
                NONE if point.half_width is None else _percent(point.half_width),
                NONE if line is None else _percent(line.share(point.mpps)),
                "#" * round(BAR * min(point.share, 1.0)),
            )
            for point in measured.points
        ),
        empty="nothing was measured",
    )
    if measured.hops:
        if measured.hops_refused is not None:
            out.line(f"plans do not go by its hops: {measured.hops_refused}", style="yellow")
        out.table(
            ("A PACKET HANDED ON TO", "us LONGER>", "+/->", "AT Mpps>"),
            (
                (
                    DISTANCES[hop.distance],
                    f"{hop.us:.3g}",
                    NONE if hop.half_width_us is None else f"{hop.half_width_us:.2g}",
                    f"{hop.mpps:g}",
                )
                for hop in measured.hops
            ),
            empty="",
        )
    if one.state == "draft" and (line is not None or measured.hops_refused is None):
        out.line(f"promote it with: sextant shares promote {one.id}", style="dim")


def line_text(line: ShareLine) -> str:
    """'7.5 % of a core an Mpps (+/- 0.03), and 2 % besides (+/- 0.2): R^2 0.9998'."""
    rest = "nothing besides (a line through the origin)"
    if not line.through_origin:
        rest = f"{_percent(line.intercept)} % besides (+/- {_percent(line.intercept_half_width or 0.0)})"
    slope = f"{_percent(line.slope)} % of a core an Mpps (+/- {_percent(line.slope_half_width)})"
    return f"{slope}, and {rest}: R^2 {_fit(line)}"


def _percent(share: float) -> str:
    return f"{100 * share:.3g}"


def _fit(line: ShareLine) -> str:
    return f"{line.r_squared:.5f}"
