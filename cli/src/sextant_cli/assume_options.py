"""`--assume`: what a preview of a plan takes for granted."""

from collections.abc import Sequence
from typing import Annotated

import typer
from pydantic import ValidationError
from sextant_domain.plans.assumptions import Assumption, AssumptionKind

_KINDS = ", ".join(kind.value for kind in AssumptionKind)
Assume = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KIND=NAME",
        help=f"With --chain: a preview as if so, never applied; may be repeated. KIND: {_KINDS}.",
    ),
]


def assumptions(given: Sequence[str]) -> tuple[Assumption, ...]:
    """`uncordoned=edge-1`, `removed=web`; raises typer.BadParameter."""
    found = []
    for one in given:
        kind, _, name = one.partition("=")
        try:
            found.append(Assumption.model_validate({"kind": kind, "name": name}))
        except ValidationError as error:
            wrong = f"{one}: write KIND=NAME, as in uncordoned=edge-1; KIND is one of {_KINDS}"
            raise typer.BadParameter(wrong, param_hint="--assume") from error
    return tuple(found)
