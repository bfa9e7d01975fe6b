"""`sextant chains anti-affinity`: the group that a chain is kept apart from; and the same as an option of submit."""

from typing import Annotated

import typer
from pydantic import ValidationError
from sextant_domain.chains.anti_affinity import AntiAffinity
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.console.views import ChainView

from sextant_cli.client import path_of
from sextant_cli.output import Format
from sextant_cli.session import Output, read, session_of
from sextant_cli.versions import as_it_is

NONE = "none"
FORM = "GROUP[:SCOPE]"
OfGroup = Annotated[
    str | None,
    typer.Option(
        "--anti-affinity",
        metavar=FORM,
        help="Keep these chains apart from each other and from all of that group, by host or node: web, web:node.",
    ),
]


def anti_affinity(
    ctx: typer.Context,
    *,
    name: Annotated[str, typer.Argument(metavar="CHAIN", help="The chain's name.")],
    group: Annotated[
        str, typer.Argument(metavar=FORM, help="web or web:host, web:node; 'none' takes it out of its group.")
    ],
    output: Output = Format.TABLE,
) -> None:
    """Keep a chain apart from the others of a group: on hosts of their own, or on NUMA nodes of their own.

    Nothing moves. Refused where the chain runs with one that the group keeps it apart from: move it first. A chain
    that runs nowhere is planned anew.
    """
    asked = None if group == NONE else read_group(group)
    session = session_of(ctx, output)
    path, body = path_of("chains", name), {"anti_affinity": asked and asked.model_dump(mode="json")}
    answer = as_it_is(session, path, lambda found: session.api.put(f"{path}/anti-affinity", body, if_match=found.etag))
    if session.out.is_json:
        session.out.json(answer.body)
        return
    session.out.line(said(read(ChainView, answer.body)) or f"{name} has no anti-affinity group")


def with_group(spec: ChainSpec, text: str | None) -> ChainSpec:
    """The chain with the group of --anti-affinity, where that is given."""
    return spec if text is None else spec.model_copy(update={"anti_affinity": read_group(text)})


def read_group(text: str) -> AntiAffinity:
    """`web`, `web:host`, `web:node`; raises typer.BadParameter."""
    group, colon, scope = text.partition(":")
    try:
        return AntiAffinity.model_validate({"group": group, **({"scope": scope} if colon else {})})
    except ValidationError:
        form = "GROUP, GROUP:host or GROUP:node, the group in lower-case letters, digits and hyphens"
        raise typer.BadParameter(f"'{text}' is not {form}") from None


def said(chain: ChainView) -> str | None:
    """Its group, and with whom it stands all the same; None of a chain without a group."""
    group = chain.spec.anti_affinity
    if group is None:
        return None
    text = f"{chain.spec.name} is kept apart from the others of anti-affinity group {group.group} by {group.scope}"
    broken = [
        f"{one.chain} on {one.host if one.node is None else f'node {one.node} of {one.host}'}"
        for one in chain.stands_with
    ]
    return f"{text}; it stands with {', '.join(broken)} all the same: move one of them" if broken else text
