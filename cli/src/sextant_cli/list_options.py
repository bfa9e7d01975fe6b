"""`--sort` and `--filter`: the same two options of every command that lists."""

from typing import Annotated

import typer

from sextant_cli.client import Params
from sextant_cli.errors import CliError, Exit, error

Sort = Annotated[
    str | None,
    typer.Option(
        "--sort",
        metavar="FIELD",
        help="By this field; -FIELD: the highest or newest first. Another word is answered with the fields there are.",
    ),
]
Filters = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        metavar="FIELD=VALUE",
        help="Only those that fit: state=running, search=web. Repeatable; all of them must fit. Another field is "
        "answered with those there are.",
    ),
]
_PAGING = ("after", "limit", "sort")


def listed(sort: str | None, filters: list[str] | None, query: Params | None = None) -> Params:
    """The parameters of a list; `query` are those that options of their own gave. Raises CliError naming the filter
    that cannot be read, or that an option gave, too."""
    asked = dict(query or {})
    for text in filters or []:
        name, value = _read(text)
        if asked.get(name) is not None:
            raise _unreadable(text, f"{name} is asked for twice")
        asked[name] = value
    return {**asked, "sort": sort}


def _read(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    name = name.strip().replace("-", "_")
    if not equals or not name or not value:
        raise _unreadable(text, "it is not FIELD=VALUE, as state=running")
    if name in _PAGING:
        raise _unreadable(text, f"{name} is no field of what is listed")
    return name, value


def _unreadable(text: str, why: str) -> CliError:
    return error("bad-option", "--filter cannot be read", f"--filter {text}: {why}", Exit.BAD_INPUT)
