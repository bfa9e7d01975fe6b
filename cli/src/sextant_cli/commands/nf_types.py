"""`sextant nf-types`: the catalogue, and the NF types that operators add to it."""

import json
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from sextant_domain.chains.nf import NfType
from sextant_domain.hosts.artefact import is_digest, kind_of_setting

from sextant_cli.client import Answer, path_of
from sextant_cli.errors import CliError, Exit, error
from sextant_cli.groups import defaulting_to
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.local_files import NotUsable, examine
from sextant_cli.output import Format
from sextant_cli.session import Output, Session, read, read_all, session_of
from sextant_cli.uploading import bring
from sextant_cli.versions import as_it_is

TAKEN_AWAY = "none"
FORM = "SETTING=VALUE, as synthetic_rules=5000, action=drop or rules_file=./edge.rules"

app = typer.Typer(
    cls=defaulting_to("list"),
    help="NF types that chains can use: built in, or registered with your own defaults.",
)

TypeName = Annotated[str, typer.Argument(metavar="TYPE", help="The NF type's name.")]
ShortName = Annotated[str | None, typer.Option(help="At most 8 characters, shown in the cells of the fleet map.")]
Summary = Annotated[str | None, typer.Option(help="A description in one line.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="SETTING=VALUE",
        help="A default, as JSON or plain text: synthetic_rules=5000. A local file is uploaded: "
        "rules_file=./edge.rules. 'none' restores the implementation's. Repeatable.",
    ),
]


@app.command("list")
def list_types(
    ctx: typer.Context, *, sort: Sort = None, filters: Filters = None, output: Output = Format.TABLE
) -> None:
    """The catalogue: NF types that chains can use, and their settings."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of("nf-types"), listed(sort, filters))
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("TYPE", "VERSION>", "RUNS", "LIBRARY", "SETTINGS", "WHAT IT DOES"),
        (
            (kind.name, str(kind.version), kind.runs, kind.library, ", ".join(kind.default_config()), kind.summary)
            for kind in read_all(NfType, page)
        ),
        empty="the catalogue is empty",
    )


@app.command()
def show(ctx: typer.Context, name: TypeName, output: Output = Format.TABLE) -> None:
    """One type: every setting with its default."""
    session = session_of(ctx, output)
    body = session.api.get(path_of("nf-types", name)).body
    if session.out.is_json:
        session.out.json(body)
        return
    nf_type = read(NfType, body)
    own = _own(session, nf_type)
    session.out.line(f"{nf_type.name} version {nf_type.version} ({nf_type.short_name}): {nf_type.summary}")
    session.out.line(f"runs {nf_type.runs}, {nf_type.library}" if nf_type.implementation else nf_type.library)
    properties: dict[str, Any] = nf_type.config_schema.get("properties", {})
    session.out.table(
        ("SETTING", "DEFAULT", "", "WHAT IT IS"),
        (
            (setting, _short(default), "its own" if setting in own else "", properties[setting].get("description", ""))
            for setting, default in nf_type.default_config().items()
        ),
        empty="it has no settings",
    )


@app.command()
def register(
    ctx: typer.Context,
    *,
    name: TypeName,
    implementation: Annotated[str, typer.Option(metavar="TYPE", help="The built-in type whose program runs.")],
    settings: Settings = None,
    short_name: ShortName = None,
    summary: Summary = None,
    output: Output = Format.TABLE,
) -> None:
    """Add a type: the program of a built-in type with your own defaults."""
    session = session_of(ctx, output)
    config = {setting: value for setting, value in _given(session, settings or []).items() if value is not None}
    words = {"short_name": short_name, "summary": summary}
    asked = {"name": name, "implementation": implementation, "config": config, **words}
    body = session.api.post(path_of("nf-types"), asked).body
    if session.out.is_json:
        session.out.json(body)
        return
    made = read(NfType, body)
    session.out.line(f"{made.name} version {made.version} runs {made.runs}; chains can use it")


@app.command()
def update(
    ctx: typer.Context,
    *,
    name: TypeName,
    settings: Settings = None,
    short_name: ShortName = None,
    summary: Summary = None,
    output: Output = Format.TABLE,
) -> None:
    """Change a registered type; running NFs keep their version."""
    session = session_of(ctx, output)
    if not settings and short_name is None and summary is None:
        raise error(
            "bad-option", "Nothing to change was given", f"give at least one option to change {name}", Exit.BAD_INPUT
        )
    given = _given(session, settings or [])

    def send(found: Answer) -> Answer:
        now = read(NfType, found.body)
        merged = {**_own(session, now), **given}
        asked = {
            "short_name": short_name or now.short_name,
            "summary": summary or now.summary,
            "config": {setting: value for setting, value in merged.items() if value is not None},
        }
        return session.api.put(path_of("nf-types", name), asked, if_match=found.etag)

    body = as_it_is(session, path_of("nf-types", name), send).body
    if session.out.is_json:
        session.out.json(body)
        return
    made = read(NfType, body)
    session.out.line(f"{made.name} is version {made.version}")
    session.out.progress("running NFs keep their version until their chain is submitted again")


@app.command()
def remove(ctx: typer.Context, name: TypeName) -> None:
    """Delete a registered type that no chain uses."""
    session = session_of(ctx, Format.TABLE)
    path = path_of("nf-types", name)
    as_it_is(session, path, lambda found: session.api.delete(path, if_match=found.etag))
    session.out.line(f"{name} was deleted")


def _own(session: Session, nf_type: NfType) -> dict[str, Any]:
    """Defaults that differ from those of its implementation."""
    if nf_type.implementation is None:
        return {}
    body = session.api.get(path_of("nf-types", nf_type.implementation)).body
    theirs = read(NfType, body).default_config()
    return {setting: value for setting, value in nf_type.default_config().items() if value != theirs.get(setting)}


def _given(session: Session, settings: list[str]) -> dict[str, Any]:
    """Settings with their values; None: taken back. Files are uploaded when all can be read."""
    given: dict[str, Any] = {}
    files = []
    for text in settings:
        setting, equals, value = text.partition("=")
        if not setting or not equals:
            raise _unreadable(f"'{text}' is not {FORM}")
        kind = kind_of_setting(setting)
        if value == TAKEN_AWAY:
            given[setting] = None
        elif kind is None or is_digest(value):
            given[setting] = _value(value)
        else:
            try:
                files.append(examine(Path(value), kind))
            except NotUsable as cause:
                raise _unreadable(f"{setting}: {cause}") from cause
            given[setting] = files[-1].digest
    for file in files:
        bring(session, file)
    return given


def _value(text: str) -> Any:
    """JSON if it parses as JSON, else the text: the type's schema judges."""
    try:
        return json.loads(text, parse_constant=_no_json)
    except (ValueError, RecursionError):
        return text


def _no_json(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def _unreadable(detail: str) -> CliError:
    return error("bad-option", "--set cannot be read", detail, Exit.BAD_INPUT)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
