"""`sextant trust` and `sextant outcomes`: predictions beside what was measured."""

from collections.abc import Collection, Iterable, Iterator
from typing import Annotated

import typer
from sextant_domain.plans.trust import Outcome, OutcomeTest, Trust

from sextant_cli.client import path_of
from sextant_cli.figures import NONE, ago, mpps, or_none
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, read, read_all, session_of

NfType = Annotated[str | None, typer.Option("--nf-type", help="Only for this NF type.")]


def trust(
    ctx: typer.Context,
    *,
    nf_type: NfType = None,
    host_model: Annotated[str | None, typer.Option("--host-model", help="Only for this host model.")] = None,
    output: Output = Format.TABLE,
) -> None:
    """How reliable each predictor has been, by NF type and host model.

    ERROR and BIAS are the mean absolute and the mean difference (measured minus predicted, in percent of predicted).
    """
    session = session_of(ctx, output)
    body = session.api.get(path_of("trust"), {"nf_type": nf_type, "host_model": host_model}).body
    if session.out.is_json:
        session.out.json(body)
        return
    session.out.table(
        (
            "NF TYPE",
            "HOST MODEL",
            "PREDICTOR",
            "MODEL",
            "VERDICT",
            "ERROR %>",
            "BIAS %>",
            "INFORMATIVE>",
            "UNINFORMATIVE>",
            "WHY",
        ),
        (
            (
                one.nf_type,
                one.host_model,
                one.predictor,
                one.version,
                one.verdict.value,
                _percent(one.error_percent),
                _percent(one.bias_percent),
                str(one.informative),
                str(one.uninformative),
                one.why,
            )
            for one in (read(Trust, item) for item in body)
        ),
        empty="no predictions by profiled models yet",
    )


def outcomes(
    ctx: typer.Context,
    *,
    chain: Annotated[str | None, typer.Option("--chain", help="Only of this chain.")] = None,
    plan: Annotated[int | None, typer.Option("--plan", min=1, help="Only of this plan's predictions.")] = None,
    nf_type: NfType = None,
    most: Annotated[int, typer.Option("--most", min=1, max=10_000, help="How many to show at most.")] = 50,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Predictions of applied plans beside their measurements, newest first.

    The difference is measured minus predicted, in percent of predicted; none if the outcome is not informative.
    INSIDE says whether the measurement lies inside the predicted interval. Below the table, each placed chain counts
    once, with its newest measurement.

    BOTTLENECK is the predicted bottleneck, LIMITED BY the measured one. TESTS lists the NF types whose models the
    outcome counts for in `sextant trust`.
    """
    session = session_of(ctx, output)
    page = session.api.pages(
        path_of("outcomes"), listed(sort, filters, {"chain": chain, "plan": plan, "nf_type": nf_type}), most
    )
    if session.out.is_json:
        session.out.json(page)
        return
    found = list(read_all(Outcome, page))
    session.out.table(
        (
            "PLAN>", "CHAIN", "BOTTLENECK", "LIMITED BY", "TESTS", "PREDICTOR", "MODEL", "PREDICTED Mpps>", "FROM>",
            "TO>", "INTERVAL BY", "MEASURED Mpps>", "INSIDE", "DIFFERENCE %>", "OFFERED Mpps>", "TEST", "AT",
        ),
        (
            (
                or_none(one.plan_id),
                one.chain,
                one.nf_id,
                NONE if one.limited_by is None else one.limited_by.nf_id,
                ", ".join(dict.fromkeys(model.nf_type for model in one.judged if model.counts)) or NONE,
                one.predictor,
                one.version,
                mpps(one.predicted_mpps),
                mpps(one.low_mpps),
                mpps(one.high_mpps),
                or_none(one.interval_source),
                f"{mpps(one.measured_mpps)} {one.provenance.value}",
                NONE if one.inside is None else ("no", "yes")[one.inside],
                _difference(one),
                mpps(one.offered_mpps),
                one.test.value.replace("_", " "),
                ago(one.at),
            )
            for one in found
        ),
        empty="no outcomes; a chain is measured 15 s after its plan was applied",
    )  # fmt: skip
    for line in inside_intervals(found):
        session.out.line(line, style="dim")


def inside_intervals(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """By predictor, of the placed chains among them (newest first) that had an interval: how many were measured inside,
    by where the interval came from."""
    newest: dict[tuple[str, int, str], Outcome] = {}
    for one in outcomes:
        newest.setdefault((one.predictor, one.plan_id, one.chain), one)
    for predictor in dict.fromkeys(one.predictor for one in newest.values()):
        own = [one for one in newest.values() if one.predictor == predictor]
        known = [one for one in own if one.inside is not None]
        sources = sorted({one.interval_source for one in known if one.interval_source})
        parts = [f"{source} {_of([one for one in known if one.interval_source == source])}" for source in sources]
        parts += [f"{len(own) - len(known)} had none"] if len(own) > len(known) else []
        yield f"{predictor}: {_of(known)} measured chains inside their intervals ({', '.join(parts)})"


def _of(outcomes: Collection[Outcome]) -> str:
    return f"{sum(one.inside is True for one in outcomes)} of {len(outcomes)}"


def _difference(one: Outcome) -> str:
    if one.test is not OutcomeTest.INFORMATIVE or one.predicted_mpps <= 0:
        return NONE
    return f"{one.error_percent:+.1f}"


def _percent(value: float | None) -> str:
    return NONE if value is None else f"{value:.1f}"
