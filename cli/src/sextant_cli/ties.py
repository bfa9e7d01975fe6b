"""Ties of a chain's NFs: given with --tied, and what is said of them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

import typer
from pydantic import ValidationError
from sextant_domain.base import own_words
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.console.views import ChainView

from sextant_cli.named_nfs import chains_of_nf

FORM = "NF=TIE"
Ties = Annotated[
    list[str] | None,
    typer.Option(
        "--tied",
        metavar=FORM,
        help="An NF that is one element with those of other chains that name the same tie: on a host they stand on one "
        "core. As firewall=edge-firewall; may be repeated.",
    ),
]


def with_ties(specs: Sequence[ChainSpec], options: Sequence[str]) -> list[ChainSpec]:
    """The chains of one file with the ties that the options name; raises typer.BadParameter."""
    ties: dict[str, dict[str, str]] = {spec.name: {} for spec in specs}
    for option in options:
        name, _, tie = option.partition("=")
        try:
            meant = chains_of_nf(specs, name)
        except ValueError as cause:
            raise typer.BadParameter(f"'{option}' is not {FORM}: {cause}") from None
        for chain in meant:
            ties[chain][name] = tie
    return [_with_ties(spec, ties[spec.name]) for spec in specs]


def _with_ties(spec: ChainSpec, ties: Mapping[str, str]) -> ChainSpec:
    if not ties:
        return spec
    nfs = [{**nf.model_dump(), **({"tied": ties[nf.name]} if nf.name in ties else {})} for nf in spec.nfs]
    try:
        return ChainSpec.model_validate({**spec.model_dump(), "nfs": nfs})
    except ValidationError as cause:
        raise typer.BadParameter(f"--tied: {own_words(cause.errors()[0]['msg'])}") from None


def ties_said(chain: ChainView) -> Iterator[str]:
    """A line for each of its NFs that is tied."""
    others = {one.nf_id: one.others for one in chain.tied_with}
    for nf_id, tie in chain.spec.ties.items():
        if nf_id in others:
            yield f"{nf_id} is tied with {', '.join(others[nf_id])} by {tie}: they share a core and move together"
        else:
            yield f"{nf_id} has the tie {tie}, and nobody else on its host has it"
