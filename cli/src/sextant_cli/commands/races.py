"""`sextant races`: plans of other algorithms on the snapshots of applied plans, scored by measurements."""

from typing import Annotated

import typer
from sextant_domain.plans.race import AlgorithmRank, Race, RaceEntry, RaceRanking

from sextant_cli.client import path_of
from sextant_cli.figures import NONE, ago, or_none
from sextant_cli.groups import defaulting_to
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format, Printer
from sextant_cli.session import Output, read, read_all, session_of

app = typer.Typer(
    cls=defaulting_to("ranking"), help="Compare other algorithms in the background with the plans that were applied."
)

HostModel = Annotated[str | None, typer.Option("--host-model", help="Only races on hosts of this model.")]
HOW = (
    "Only the applied plan is measured. Every other plan is scored by its own prediction, corrected by the errors\n"
    "of its predictor in outcomes; the 95 % interval is in brackets."
)


@app.command()
def ranking(ctx: typer.Context, *, host_model: HostModel = None, output: Output = Format.TABLE) -> None:
    """Rank algorithms by how much more their plans would have carried than the applied ones, over all scored races."""
    session = session_of(ctx, output)
    body = session.api.get(path_of("races", "ranking"), {"host_model": host_model}).body
    if session.out.is_json:
        session.out.json(body)
        return
    found = read(RaceRanking, body)
    if not found.scored:
        session.out.line(_why_none(found))
        return
    session.out.table(
        ("ALGORITHM", "MARGIN %>", "95 % INTERVAL", "WINS>", "RACES>", "SAME AS APPLIED>", "NO PLAN>", "TIME>"),
        (_ranked(one) for one in found.ranks),
        empty="no algorithm has planned",
    )
    session.out.line(f"{_counted(found.scored)} scored, {found.open} open, {found.ended} ended without a score")
    session.out.line(HOW)


def _ranked(one: AlgorithmRank) -> tuple[str, ...]:
    return (
        one.algorithm.value,
        NONE if one.margin_percent is None else f"{one.margin_percent:+.2f}",
        _interval(one.low_percent, one.high_percent, "+.2f"),
        str(one.wins),
        str(one.races),
        str(one.races - one.predicted),
        str(one.failed),
        NONE if one.seconds is None else f"{one.seconds:.2f} s",
    )


def _why_none(found: RaceRanking) -> str:
    if found.open:
        return f"{_counted(found.open)} open, none scored yet: that takes an applied plan with all its chains measured"
    if not found.wanted:
        return "no races: they are switched off in the policy (`sextant policy set --races`)"
    return "no races; one starts with every applied plan that places or moves an NF"


def _counted(races: int) -> str:
    return "1 race" if races == 1 else f"{races} races"


@app.command("list")
def list_races(
    ctx: typer.Context,
    *,
    most: Annotated[int, typer.Option("--most", min=1, max=10_000, help="How many to show at most.")] = 50,
    host_model: HostModel = None,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Races, newest first."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of("races"), listed(sort, filters, {"host_model": host_model}), most)
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("RACE>", "PLAN>", "STATE", "PLAN STATE", "BY", "HOSTS", "PREDICTED>", "MEASURED>", "PLANS MADE", "BEGUN"),
        (
            (
                str(race.id),
                str(race.plan_id),
                race.state.value,
                race.plan_state,
                race.begun_by.value,
                ", ".join(race.hosts),
                _mpps(race.predicted_mpps),
                _mpps(race.measured_mpps),
                f"{len(race.entries)} of {len(race.entries) + len(race.waiting)}",
                ago(race.created_at),
            )
            for race in read_all(Race, page)
        ),
        empty="no races; one starts with every applied plan that places or moves an NF",
    )


@app.command()
def show(
    ctx: typer.Context,
    race_id: Annotated[int, typer.Argument(metavar="RACE", min=1, help="The race's number.")],
    output: Output = Format.TABLE,
) -> None:
    """One race: the prediction of every algorithm, and the scores so far."""
    session = session_of(ctx, output)
    body = session.api.get(path_of("races", race_id)).body
    if session.out.is_json:
        session.out.json(body)
    else:
        _show(session.out, read(Race, body))


def _show(out: Printer, race: Race) -> None:
    measured = "not measured"
    if race.measured_provenance is not None:
        measured = f"{race.measured_provenance.value} {_mpps(race.measured_mpps)}"
    out.line(
        f"race {race.id} {race.state.value}  plan {race.plan_id} {race.plan_state}  on {', '.join(race.hosts)}",
        style="bold",
    )
    if race.why is not None:
        out.line(race.why)
    out.line(f"the plan itself: {race.provenance.value} {_mpps(race.predicted_mpps)} value x Mpps, {measured}")
    out.table(
        (
            "ALGORITHM", "PREDICTED>", "SCORE>", "95 % INTERVAL", "BASIS", "MARGIN %>", "NFS PLACED ELSEWHERE>",
            "MOVES>", "TIME>", "NOTE",
        ),
        (
            (
                one.algorithm.value,
                _mpps(one.predicted_mpps),
                _mpps(one.later_mpps),
                _interval(one.low_mpps, one.high_mpps, ".2f"),
                or_none(one.later_provenance),
                NONE if one.margin_percent is None else f"{one.margin_percent:+.2f}",
                str(one.differs),
                str(one.moves),
                f"{one.seconds:.2f} s",
                _note(one),
            )
            for one in race.entries
        ),
        empty="no algorithm has made its plan yet",
    )  # fmt: skip
    if race.waiting:
        out.line(f"waiting: {', '.join(race.waiting)}")
    out.line(HOW)


def _note(one: RaceEntry) -> str:
    return one.error or (f"no room for {', '.join(one.left_out)}" if one.left_out else NONE)


def _mpps(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"


def _interval(low: float | None, high: float | None, form: str) -> str:
    """What was measured has none, nor has a prediction that was tested less than three times."""
    return NONE if low is None or high is None else f"[{low:{form}}, {high:{form}}]"
