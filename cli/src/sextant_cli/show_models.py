"""A fit as text: which metric and why, each model with its error, what cannot be used and the next step."""

from sextant_domain.profiling.fit import Fit, FitView, ModelVersion
from sextant_domain.profiling.model import PerformanceModel

from sextant_cli.figures import NONE, mpps, or_none
from sextant_cli.output import Printer


def show_fit(out: Printer, fit: FitView) -> None:
    """The whole fit, for review before its promotion."""
    out.line(f"fit {fit.id}  {fit.state.value}  {fit.host_model}", style="bold")
    if fit.error is not None:
        out.line(fit.error.detail, style="red")
    if fit.fit is None:
        return
    _show_metric(out, fit.fit)
    _show_models(out, fit.fit)
    _show_scores(out, fit.fit)
    for model in fit.fit.models:
        for reason in (*model.refusals, *([model.stale] if model.stale else ())):
            out.line(f"{model.nf_type}: {reason}", style="yellow")
    if any(model.model is not None and model.nf_type not in fit.promoted for model in fit.fit.models):
        out.line(f"promote it with: sextant models promote {fit.id}", style="dim")


def _show_metric(out: Printer, fit: Fit) -> None:
    chosen = "chosen" if fit.metric.chosen else "nearest: no metric qualifies"
    seconds = f"{fit.samples} samples ({fit.basis.value}) in {1000 * fit.seconds:.0f} ms"
    out.line(f"metric {fit.metric.used} ({chosen}), scale {fit.scale:g}, {seconds}")
    out.table(
        ("METRIC", "VARIANCE>", "CORRELATION>", "AGGRESSIVENESS>", "QUALIFIES", "WHY NOT"),
        (
            (
                score.metric,
                _number(score.variance),
                _number(score.correlation),
                _number(score.aggressiveness),
                "yes" if score.qualifies else "no",
                score.why_not or NONE,
            )
            for score in fit.metric.scores
        ),
        empty="no metrics were measured",
    )


def _show_models(out: Printer, fit: Fit) -> None:
    out.table(
        (
            "NF TYPE",
            "VERSION>",
            "STATE",
            "METHOD",
            "IDEAL local>",
            "IDEAL remote>",
            "IDEAL +->",
            "STALLS>",
            "SAMPLES>",
            "HALF WIDTH>",
        ),
        (_row(model) for model in fit.models),
        empty="no models",
    )


def _ideal_width(model: PerformanceModel | None) -> str:
    """The wider of both sides, by repetitions."""
    width = model.ideal_half_width if model else None
    return NONE if width is None else f"{100 * max(width.local, width.remote):.1f} %"


def _row(version: ModelVersion) -> tuple[str, ...]:
    model = version.model
    width = model.half_width if model else None
    return (
        version.nf_type,
        str(version.nf_version),
        version.state.value,
        version.method,
        mpps(model.ideal_mpps.local if model else None),
        mpps(model.ideal_mpps.remote if model else None),
        _ideal_width(model),
        _number(model.stalls if model else None),
        str(version.samples),
        NONE if width is None else f"{100 * width.local:.1f} points",
    )


def _show_scores(out: Printer, fit: Fit) -> None:
    out.table(
        (
            "PREDICTOR",
            "HELD OUT BY",
            "SAMPLES>",
            "NOT PREDICTED>",
            "ERROR points>",
            "P95 points>",
            "THROUGHPUT %>",
            "COVERAGE %>",
        ),
        (
            (
                score.predictor,
                score.split,
                or_none(score.samples),
                or_none(score.unpredicted),
                _number(score.error_points),
                _number(score.error_p95_points),
                _number(score.throughput_percent),
                _number(score.coverage_percent),
            )
            for score in fit.scores
            if score.samples or score.unpredicted
        ),
        empty="nothing was held out",
    )


def _number(value: float | None) -> str:
    return NONE if value is None else f"{value:.3f}"
