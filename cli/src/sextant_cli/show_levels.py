"""Levels of an NF type as text."""

from sextant_domain.hosts.measured_levels import LevelsVersion

from sextant_cli.figures import NONE, ago
from sextant_cli.output import Printer

LEVELS_COLUMNS = (
    "LEVELS>", "NF TYPE", "VERSION>", "HOST MODEL", "STATE", "FROM", "HIGHEST local>", "HIGHEST remote>", "POINTS",
    "JOB>", "MEASURED", "NOTE",
)  # fmt: skip


def levels_row(one: LevelsVersion) -> tuple[str, ...]:
    """A line of a list."""
    return (
        str(one.id),
        one.nf_type,
        str(one.version),
        one.host_model,
        one.state.value,
        one.provenance.value,
        _highest(one, "local"),
        _highest(one, "remote"),
        points_text(one),
        str(one.job_id),
        ago(one.created_at),
        one.stale or NONE,
    )


def show_levels(out: Printer, one: LevelsVersion) -> None:
    """All of it: for each rate what it takes on either kind of node, and what else carries it."""
    title = f"levels {one.id}  {one.state.value}  {one.nf_type} on {one.host_model}, version {one.version}"
    out.line(title, style="bold")
    measured = one.measured
    where = f"{one.provenance.value} by job {one.job_id} on {one.host} {ago(one.created_at)}"
    traffic = f"packets of {measured.packet_bytes} bytes, {measured.flows} flows"
    error = f"error of a measurement {measured.noise_percent:g} %"
    out.line(f"{where}: {traffic}, {error}, {points_text(one)} points")
    if one.stale is not None:
        out.line(one.stale, style="yellow")
    out.table(
        ("Gbps>", "local", "remote", "also carried by (local; remote)"),
        _rows(one),
        empty="no rate was asked about",
    )
    if one.state == "draft":
        out.line(f"promote it with: sextant levels promote {one.id}", style="dim")


def points_text(one: LevelsVersion) -> str:
    """'31 of 100': those that were measured, of all combinations on its kinds of nodes."""
    asked = sum(node.points_measured for node in one.measured.nodes)
    return f"{asked} of {sum(node.points_of_grid for node in one.measured.nodes)}"


def _rows(one: LevelsVersion) -> list[tuple[str, ...]]:
    fronts = {node.kind: {front.gbps: front.points for front in node.fronts} for node in one.measured.nodes}
    rates = sorted({rate for of_kind in fronts.values() for rate in of_kind})
    chosen = {
        kind: {level.gbps: (level.ways, level.mb_percent) for level in one.measured.levels.on(kind)} for kind in fronts
    }
    rows = []
    for rate in rates:
        cells, others = [], []
        for kind in ("local", "remote"):
            cell = chosen.get(kind, {}).get(rate)
            cells.append(NONE if cell is None else _text(cell))
            others.append(" or ".join(_text(point) for point in fronts.get(kind, {}).get(rate, ()) if point != cell))
        rows.append((f"{rate:g}", *cells, "; ".join(other or NONE for other in others)))
    return rows


def _text(point: tuple[int, int]) -> str:
    ways, percent = point
    return f"{ways} way{'' if ways == 1 else 's'}, {percent} %"


def _highest(one: LevelsVersion, kind: str) -> str:
    levels = one.measured.levels.local if kind == "local" else one.measured.levels.remote
    return f"{levels[-1].gbps:g} Gbps" if levels else NONE
