"""`sextant models`: fits of profiles, the models they make, and which of them plans use."""

import time
from collections.abc import Iterator
from typing import Annotated

import typer
from sextant_domain.profiling.fit import FitBrief, FitState, FitView, ModelState, ModelVersion, PromotionPreview

from sextant_cli.client import Answer, path_of
from sextant_cli.errors import Exit, error
from sextant_cli.figures import ago, or_none
from sextant_cli.groups import defaulting_to
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, Session, Timeout, read, read_all, session_of
from sextant_cli.show_models import show_fit
from sextant_cli.versions import as_it_is

POLL_S = 0.5

app = typer.Typer(
    cls=defaulting_to("list"), help="Performance models fitted from profiles, and which of them plans use."
)

FitId = Annotated[int, typer.Argument(metavar="FIT", min=1, help="The fit's number.")]
HostModel = Annotated[str | None, typer.Option("--host-model", help="Only of hosts of this model.")]
Most = Annotated[int, typer.Option("--most", min=1, max=10_000, help="How many to show at most.")]


@app.command("list")
def list_models(
    ctx: typer.Context,
    *,
    nf_type: Annotated[str | None, typer.Option("--nf-type", help="Only for this NF type.")] = None,
    host_model: HostModel = None,
    state: Annotated[ModelState | None, typer.Option(help="Only models in this state.")] = None,
    most: Most = 50,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Model versions, newest first."""
    session = session_of(ctx, output)
    query = {"nf_type": nf_type, "host_model": host_model, "state": state.value if state else None}
    page = session.api.pages(path_of("models"), listed(sort, filters, query), most)
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("MODEL>", "NF TYPE", "VERSION>", "HOST MODEL", "FIT>", "STATE", "METHOD", "SAMPLES>", "MADE", "NOTE"),
        (
            (
                str(model.id),
                model.nf_type,
                str(model.nf_version),
                model.host_model,
                str(model.fit_id),
                model.state.value,
                model.method,
                str(model.samples),
                ago(model.created_at),
                model.stale or "; ".join(model.refusals) or "-",
            )
            for model in read_all(ModelVersion, page)
        ),
        empty="no models; plans use assumed ones. Profile an NF type with: sextant profile start",
    )


@app.command()
def fits(
    ctx: typer.Context,
    *,
    host_model: HostModel = None,
    most: Most = 50,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Fits, newest first."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of("fits"), listed(sort, filters, {"host_model": host_model}), most)
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("FIT>", "HOST MODEL", "STATE", "METRIC", "SAMPLES>", "NF TYPES", "IN USE", "JOB>", "BY", "ASKED FOR"),
        (
            (
                str(fit.id),
                fit.host_model,
                fit.state.value,
                or_none(fit.metric),
                or_none(fit.samples),
                ", ".join(fit.nf_types) or "-",
                ", ".join(fit.promoted) or "-",
                or_none(fit.job_id),
                fit.created_by,
                ago(fit.created_at),
            )
            for fit in read_all(FitBrief, page)
        ),
        empty="no fits; a profiling job ends with one",
    )


@app.command()
def show(ctx: typer.Context, fit_id: FitId, output: Output = Format.TABLE) -> None:
    """One fit: its metric, its models and their errors on held-out samples."""
    session = session_of(ctx, output)
    body = session.api.get(path_of("fits", fit_id)).body
    if session.out.is_json:
        session.out.json(body)
    else:
        show_fit(session.out, read(FitView, body))


@app.command()
def fit(
    ctx: typer.Context,
    *,
    host_model: Annotated[str, typer.Argument(metavar="HOST_MODEL", help="As shown by `sextant hosts`.")],
    wait: Annotated[bool, typer.Option("--wait", help="Return when the fit is finished.")] = False,
    timeout_s: Timeout = 120,
    output: Output = Format.TABLE,
) -> None:
    """Fit all profiles of a host model again."""
    session = session_of(ctx, output)
    body = session.api.post(path_of("fits"), {"host_model": host_model}).body
    asked = read(FitBrief, body)
    if wait:
        made = _made(session, asked.id, timeout_s)
        if not session.out.is_json:
            show_fit(session.out, made)
            return
        body = made.model_dump(mode="json")
    if session.out.is_json:
        session.out.json(body)
    else:
        session.out.line(f"fit {asked.id}  {asked.state.value}  {host_model}")
        session.out.progress(f"see it with: sextant models show {asked.id}")


def _made(session: Session, fit_id: int, timeout_s: float) -> FitView:
    end = time.monotonic() + timeout_s
    while True:
        found = read(FitView, session.api.get(path_of("fits", fit_id)).body)
        if found.state is not FitState.FITTING:
            return found
        if time.monotonic() > end:
            detail = f"see it later with: sextant models show {fit_id}"
            raise error("too-late", f"Fit {fit_id} is not finished", detail, Exit.UNREACHABLE)
        time.sleep(POLL_S)


@app.command()
def promote(
    ctx: typer.Context,
    *,
    fit_id: FitId,
    nf_types: Annotated[
        list[str] | None, typer.Option("--nf-type", help="Only the model of this NF type. Repeatable; default: all.")
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Even if NF types return to older models or to assumed figures.")
    ] = False,
    output: Output = Format.TABLE,
) -> None:
    """Let plans use the models of a fit; models used until now are retired. Lists what is retired and left out."""
    session = session_of(ctx, output)
    path = path_of("fits", fit_id, "promotion")
    seen: list[PromotionPreview] = []

    def change(answer: Answer) -> Answer:
        preview = read(PromotionPreview, answer.body)
        if preview.takes_back(fit_id) and not yes:
            raise error(
                "takes-back", f"No model of fit {fit_id} was promoted", _takes_back(preview, fit_id), Exit.REFUSED
            )
        seen[:] = [preview]
        return session.api.post(path, {"nf_types": nf_types or None}, if_match=answer.etag)

    body = as_it_is(session, path, change, {"nf_type": nf_types or None}).body
    if session.out.is_json:
        session.out.json(body)
        return
    promoted = read(FitView, body)
    session.out.line(f"plans use fit {fit_id} of {', '.join(promoted.promoted)} on {promoted.host_model}")
    for preview in seen:
        for line in _preview_lines(preview, fit_id):
            session.out.line(line)


def _preview_lines(preview: PromotionPreview, fit_id: int) -> Iterator[str]:
    """What changes for NF types that had a model, and which models of the fit stay out of use."""
    for one in preview.promotes:
        if one.fit_id not in (None, fit_id):
            older = ", which is newer" if one.fit_id is not None and one.fit_id > fit_id else ""
            yield f"{one.nf_type}: fit {one.fit_id} retired{older}"
    for one in preview.retires:
        yield f"{one.nf_type}: fit {one.fit_id} retired, plans use assumed figures: its metric or scale differs"
    for skip in preview.skips:
        yield f"{skip.nf_type}: left out, {skip.why}"


def _takes_back(preview: PromotionPreview, fit_id: int) -> str:
    back = [one.nf_type for one in preview.promotes if one.fit_id is not None and one.fit_id > fit_id]
    lost = [one.nf_type for one in preview.retires]
    losses = [f"an older model than now of {', '.join(back)}"] if back else []
    losses += [f"assumed figures of {', '.join(lost)} (metric or scale differs)"] if lost else []
    return f"plans would use {' and '.join(losses)}. To do it anyway, add --yes"
