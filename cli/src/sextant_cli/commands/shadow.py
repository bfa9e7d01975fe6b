"""`sextant shadow`: other algorithms on the snapshots of recommendations, scored by what was measured later."""

from typing import Annotated

import typer
from sextant_domain.race import Race

from sextant_cli.client import path_of
from sextant_cli.figures import NONE, ago, or_none
from sextant_cli.groups import defaulting_to
from sextant_cli.output import Format, Printer
from sextant_cli.session import Output, read, read_all, session_of

app = typer.Typer(cls=defaulting_to("list"), help="Other algorithms on the snapshots of recommendations, scored later.")


@app.command("list")
def list_races(
    ctx: typer.Context,
    most: Annotated[int, typer.Option("--most", min=1, max=10_000, help="The newest so many.")] = 50,
    output: Output = Format.TABLE,
) -> None:
    """Races, newest first."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of("races"), most=most)
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("RACE>", "PLAN>", "STATE", "HOSTS", "PREDICTED>", "MEASURED>", "HAVE PLANNED", "BEGUN"),
        (
            (
                str(race.id),
                str(race.plan_id),
                race.plan_state,
                ", ".join(race.hosts),
                _mpps(race.predicted_mpps),
                _mpps(race.measured_mpps),
                f"{len(race.entries)} of {len(race.entries) + len(race.waiting)}",
                ago(race.created_at),
            )
            for race in read_all(Race, page)
        ),
        empty="no races; one begins with every recommendation",
    )


@app.command()
def show(
    ctx: typer.Context,
    race_id: Annotated[int, typer.Argument(metavar="RACE", min=1, help="The race's number.")],
    output: Output = Format.TABLE,
) -> None:
    """One race: what every algorithm predicted, and what is known of it by now."""
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
    out.line(f"race {race.id}  plan {race.plan_id} {race.plan_state}  on {', '.join(race.hosts)}", style="bold")
    out.line(f"the plan itself: {race.provenance.value} {_mpps(race.predicted_mpps)} value x Mpps, {measured}")
    out.table(
        ("ALGORITHM", "PREDICTED>", "SCORED LATER>", "BASIS", "STAND ELSEWHERE>", "MOVES>", "TIME>", "NOTE"),
        (
            (
                one.algorithm.value,
                _mpps(one.predicted_mpps),
                _mpps(one.later_mpps),
                or_none(one.later_provenance),
                str(one.differs),
                str(one.moves),
                f"{one.seconds:.2f} s",
                or_none(one.error),
            )
            for one in race.entries
        ),
        empty="no algorithm has had its turn",
    )
    if race.waiting:
        out.line(f"still to come: {', '.join(race.waiting)}")


def _mpps(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"
