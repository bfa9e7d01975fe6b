"""Parameters of a control law in the fleet: shown, and changed by name."""

from pydantic import BaseModel

from sextant_cli.errors import CliError, Exit, error
from sextant_cli.session import Session, read
from sextant_cli.versions import as_it_is


def show_parameters(
    session: Session, path: str, settings: list[str], kind: type[BaseModel], change_kind: type[BaseModel]
) -> None:
    """Those at this path; `settings`, each NAME=VALUE, are changed first, the others stay."""
    if settings:
        change = _change(settings, change_kind, _limits(kind), _words(kind))
        body = as_it_is(session, path, lambda found: session.api.patch(path, change, if_match=found.etag)).body
    else:
        body = session.api.get(path).body
    if session.out.is_json:
        session.out.json(body)
        return
    known = read(kind, body)
    session.out.table(
        ("PARAMETER", "VALUE>", "CAN BE SET"),
        (
            (name, _shown(value), "yes" if name in change_kind.model_fields else "no")
            for name, value in known.model_dump(exclude={"law"}).items()
        ),
        empty="no parameters",
    )


def _limits(kind: type[BaseModel]) -> frozenset[str]:
    """Parameters that may be none."""
    return frozenset(name for name, field in kind.model_fields.items() if field.default is None)


def _words(kind: type[BaseModel]) -> frozenset[str]:
    """Parameters that are words."""
    return frozenset(name for name, field in kind.model_fields.items() if isinstance(field.default, str))


def _shown(value: float | str | None) -> str:
    if value is None:
        return "none"
    return value if isinstance(value, str) else f"{value:g}"


def _change(
    settings: list[str], change_kind: type[BaseModel], limits: frozenset[str], words: frozenset[str]
) -> dict[str, float | str | None]:
    """Values by name, None where one of `limits` is to be none; ranges and words are the console's to judge. Raises
    CliError naming the option that cannot be read."""
    changes: dict[str, float | str | None] = {}
    for text in settings:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or name not in change_kind.model_fields:
            known = ", ".join(change_kind.model_fields)
            raise _unreadable(text, f"it is not NAME=VALUE with one of {known}")
        if name in changes:
            raise _unreadable(text, f"{name} is set twice")
        if name in words:
            changes[name] = value
        else:
            changes[name] = None if value == "none" and name in limits else _number(text, value)
    return changes


def _number(text: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        raise _unreadable(text, f"{value or 'nothing'} is no number") from None
    return int(number) if number.is_integer() else number


def _unreadable(text: str, why: str) -> CliError:
    return error("bad-option", "--set cannot be read", f"--set {text}: {why}", Exit.BAD_INPUT)
