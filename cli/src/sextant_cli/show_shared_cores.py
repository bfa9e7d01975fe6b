"""A host's shared cores, as text."""

from collections.abc import Iterator

from sextant_domain.laws.shared_cores_view import OfferedAssigner, SharingCore, SharingHost, SharingNf
from sextant_domain.profiling.fit import FitState
from sextant_domain.profiling.host_cost import HostCost, HostCostFit, fit_progress

from sextant_cli.figures import NONE, ago, share
from sextant_cli.output import Printer

FIT_COLUMNS = ("FIT>", "HOST", "STATE", "ASKED FOR", "BY", "WHAT")


def show_shared_cores(out: Printer, view: SharingHost) -> None:
    """Core by core, with the NFs on each; then how cores are divided."""
    out.line(f"host       {view.host}")
    if view.stopped:
        out.line(f"stopped    {view.stopped}", style="yellow")
    measured = view.provenance.value if view.provenance else "not measured"
    out.line(f"measured   {ago(view.measured_at)}; figures {measured}")
    out.table(
        ("CORE>", "BUSY>", "NF", "LOAD>", "us A PACKET>", "ALONE>", "FITTED>", "INFLATION>", "SHARE>"),
        (row for core in view.cores for row in _rows(core)),
        empty="no core holds more than one NF",
    )
    for core in view.cores:
        out.line(f"core {core.core}: {_divided(core)}")
    if view.cost is not None:
        out.line(f"costs beside others: {cost_text(view.cost)}")
        if view.cost.drifted_at is not None:
            out.line(drift_text(view.cost), style="yellow")
    if view.fit is not None and view.fit.state is not FitState.DONE:
        out.line(f"fit {view.fit.id}, asked for {ago(view.fit.asked_at)} by {view.fit.asked_by}: {_came_to(view.fit)}")
    out.line(f"re-balance by {assigner_text(view.assigner)}")


def fit_row(fit: HostCostFit) -> tuple[str, ...]:
    """Of FIT_COLUMNS."""
    return str(fit.id), fit.host, fit.state.value, ago(fit.asked_at), fit.asked_by, _came_to(fit)


def _came_to(fit: HostCostFit) -> str:
    if fit.error is not None:
        return fit.error.detail
    return fit_progress(fit) if fit.cost is None else f"version {fit.cost.version} of {fit.cost.windows} spans"


def cost_text(cost: HostCost) -> str:
    """'version 3, fitted 2 min ago by ada on 2140 spans of ten seconds under 4 placements; typically 1.2 % off, and up
    to 5.4 % in nine of ten of what a fit did not use, 21.0 % of types that it did not know (simulated)'."""
    placements = f"{cost.placements} placement{'' if cost.placements == 1 else 's'}"
    unknown = (
        "" if cost.held_out_error is None else f", {100 * cost.held_out_error:.1f} % of types that it did not know"
    )
    return (
        f"version {cost.version}, fitted {ago(cost.fitted_at)} by {cost.fitted_by} on {cost.windows} spans of ten "
        f"seconds under {placements}; typically {100 * cost.median_error:.1f} % off, and up to "
        f"{100 * cost.left_out_error:.1f} % in nine of ten of what a fit did not use{unknown} ({cost.provenance.value})"
    )


def drift_text(cost: HostCost) -> str:
    """'left 2 min ago: packets of web.a were 20.0 % off in the middle of ten minutes; no plan goes by it until it is
    fitted anew'."""
    off = 100 * (cost.drift_error or 0.0)
    return (
        f"left {ago(cost.drifted_at)}: packets of {cost.drift_nf} were {off:.1f} % off in the middle of ten minutes; "
        "no plan goes by it until it is fitted anew"
    )


def assigner_text(assigner: OfferedAssigner) -> str:
    """'min_max: costs beside others were never fitted on edge-1'."""
    return f"{assigner.algorithm}: {assigner.why}"


def _rows(core: SharingCore) -> Iterator[tuple[str, ...]]:
    """The core, with the first NF on it; then the others."""
    about = (str(core.core), share(core.busy))
    for nf in core.nfs:
        costs = (_us(nf.cost_us), _us(nf.alone_us), _fitted(nf), _more(nf))
        yield *about, nf.nf_id, share(nf.load), *costs, _percent(nf.share_percent)
        about = ("", "")


def _divided(core: SharingCore) -> str:
    if not core.divided:
        return "shares are as ordered"
    by = core.law or "several laws"
    return f"divided by {by}{'' if core.held is None else f', held: {core.held}'}"


def _us(cost: float | None) -> str:
    return NONE if cost is None else f"{cost:.3g}"


def _fitted(nf: SharingNf) -> str:
    """'0.48 (0.455-0.507)'; 'guess' where the fit does not know its type."""
    if nf.expected_us is None:
        return NONE
    guess = "guess " if nf.expected_guessed else ""
    if nf.expected_low_us is None:
        return f"{guess}{nf.expected_us:.3g}"
    high = "" if nf.expected_high_us is None else f"{nf.expected_high_us:.3g}"
    return f"{guess}{nf.expected_us:.3g} ({nf.expected_low_us:.3g}-{high})"


def _more(nf: SharingNf) -> str:
    return NONE if nf.inflation is None else f"+{100 * nf.inflation:.0f} %"


def _percent(figure: float | None) -> str:
    return NONE if figure is None else f"{figure:.0f} %"
