"""What every command is given: the console to speak to and the way to answer."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, TypeVar

import typer
from pydantic import BaseModel, ValidationError

from sextant_cli.client import Api
from sextant_cli.errors import Exit, error
from sextant_cli.output import Format, Printer
from sextant_cli.settings import find_target

Model = TypeVar("Model", bound=BaseModel)

Output = Annotated[Format, typer.Option("-o", "--output", help="table, or json: the API's own answer.")]
Wait = Annotated[bool, typer.Option("--wait", help="Return when the operation has ended.")]
Apply = Annotated[bool, typer.Option("--apply", help="Apply the plan at once.")]
Timeout = Annotated[
    float, typer.Option("--timeout", min=1, max=86400, metavar="SECONDS", help="How long to wait at most.")
]


@dataclass
class Session:
    """Made by the root command; finds the console when the first request needs it."""

    url: str | None = None
    token: str | None = field(default=None, repr=False)
    out: Printer = field(default_factory=lambda: Printer(Format.TABLE))

    @cached_property
    def api(self) -> Api:
        """The console."""
        return Api(find_target(self.url, self.token))


def session_of(ctx: typer.Context, output: Format) -> Session:
    """The session of this call, answering in `output`."""
    session = ctx.find_object(Session)
    if session is None:
        raise AssertionError("the root command makes the session")
    session.out = Printer(output)
    return session


def read(model: type[Model], body: Any) -> Model:
    """An answer as a type of the domain."""
    try:
        return model.model_validate(body)
    except ValidationError as cause:
        first = cause.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise error(
            "unexpected-answer",
            "The console has another version of the API",
            f"its {model.__name__} does not match this command's version: {where}: {first['msg']}",
            Exit.UNREACHABLE,
        ) from cause


def read_all(model: type[Model], page: dict[str, Any]) -> list[Model]:
    """The items of a page as types of the domain."""
    return [read(model, item) for item in page["items"]]
