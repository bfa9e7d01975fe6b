"""`sextant chains predict`: what a chain would do, before it is submitted."""

from typing import Annotated

import typer
from sextant_domain.plans.new_chain import NewChainPrediction

from sextant_cli.chain_file import load_chain
from sextant_cli.client import path_of
from sextant_cli.output import Format
from sextant_cli.session import Output, session_of
from sextant_cli.show_consequences import report_prediction
from sextant_cli.show_new_chain import show_new_chain


def predict(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Chain file in YAML; '-' reads stdin.")],
    output: Output = Format.TABLE,
) -> None:
    """What a chain would do if it were submitted now: its host and cores, its throughput, whom it would slow down.

    Nothing is planned or stored, and no file is uploaded: those that it names must be stored already. Ends with status
    1 where it fits nowhere.
    """
    session = session_of(ctx, output)
    (spec, *more), _files = load_chain(file)
    if more:
        of, field = ("lanes", "lanes") if spec.part is None else ("parts", "path")
        raise typer.BadParameter(
            f"{spec.name} has {len(more) + 1} {of}, and one chain is predicted: leave out {field}, or submit it"
        )
    answer = session.api.post(path_of("chains", "predictions"), spec.model_dump(mode="json"))
    report_prediction(session.out, answer.body, NewChainPrediction, show_new_chain)
