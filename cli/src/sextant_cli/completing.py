"""Names that the shell completes: of what is in the console now.

A shell waits for them, so they are asked for during less than half a second, unless somebody allows more. Whatever goes
wrong means none: no console, no token, a slow network. Only what a shell takes as it stands is offered.
"""

import os
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

PATIENCE = "SEXTANT_COMPLETION_SECONDS"
PATIENCE_S = 0.4
"""For all of it: loading the command took half a second before. `PATIENCE` says otherwise for a console that is far."""
MOST_PATIENCE_S = 30.0
MOST = 200
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@:/-]{0,127}")
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9 ,.-]+")


@dataclass(frozen=True)
class Source:
    """Where names of one kind are listed."""

    path: tuple[str, ...]
    name: tuple[str, ...]
    """The field of an item that is its name."""
    about: tuple[str, ...] = ()
    """The field that is shown beside it, where the shell shows such."""
    search: bool = False
    """Whether the list finds a part of the name."""
    by_chain: bool = False
    """Whether a name begins with its chain's, by which the list is filtered."""


CHAINS = Source(("chains",), ("spec", "name"), ("state",), search=True)
HOSTS = Source(("hosts",), ("host_id",), ("status",), search=True)
NFS = Source(("nfs",), ("nf_id",), ("nf_type",), by_chain=True)
NF_TYPES = Source(("nf-types",), ("name",), ("summary",), search=True)
PLANS = Source(("plans",), ("id",), ("subject",))
JOBS = Source(("profiling", "jobs"), ("id",), ("state",))

BY_METAVAR: Mapping[str, Source] = {
    "ALERT": Source(("alerts",), ("id",), ("summary",)),
    "ARTEFACT": Source(("artefacts",), ("name",), ("kind",), search=True),
    "CHAIN": CHAINS,
    "CHANNEL": Source(("notification-channels",), ("name",), ("kind",)),
    "COMPARISON": Source(("comparisons",), ("id",), ("label",)),
    "FIT": Source(("fits",), ("id",), ("host_model",)),
    "HOST": HOSTS,
    "JOB": JOBS,
    "LEVELS": Source(("levels",), ("id",), ("nf_type",)),
    "NF": NFS,
    "NF_TYPE": NF_TYPES,
    "OPERATION": Source(("operations",), ("id",), ("title",)),
    "PLAN": PLANS,
    "RACE": Source(("races",), ("id",), ("state",)),
    "RECOMMENDATION": Source(("recommendations",), ("id",), ("state",)),
    "RULE": Source(("alert-rules",), ("kind",), ("severity",)),
    "SHARES": Source(("shares",), ("id",), ("nf_type",)),
    "SILENCE": Source(("alert-silences",), ("id",), ("reason",)),
    "STUDY": Source(("studies",), ("id",), ("name",)),
    "TYPE": NF_TYPES,
    "USER": Source(("users",), ("username",), ("role",), search=True),
}
"""By what help calls an argument or the value of an option."""

BY_OPTION: Mapping[str, Source] = {
    "--chain": CHAINS,
    "--host": HOSTS,
    "--job": JOBS,
    "--nf-type": NF_TYPES,
    "--plan": PLANS,
}
"""Of options whose help calls their value by its type."""


def source_of(parameter: Any) -> Source | None:
    """What a parameter of a command names, if it names something of the console."""
    called = (parameter.metavar or "").strip("[].")
    if called in BY_METAVAR:
        return BY_METAVAR[called]
    return next((BY_OPTION[name] for name in parameter.opts if name in BY_OPTION and not parameter.is_flag), None)


def complete_names(command: Any) -> None:
    """Have the parameters of a command, or of all commands of a group, complete to names."""
    for inner in getattr(command, "commands", {}).values():
        complete_names(inner)
    for parameter in command.params:
        source = source_of(parameter)
        if source is not None:
            parameter.shell_complete = _completer(source)


def _completer(source: Source) -> Callable[[Any, str], list[Any]]:
    def complete(ctx: Any, incomplete: str) -> list[Any]:
        from typer._click.shell_completion import CompletionItem  # typer brings its own click, and is pinned

        return [CompletionItem(name, help=about) for name, about in names(source, ctx, incomplete)]

    return complete


def patience_s() -> float:
    """How long a shell waits; what is no number of seconds counts as not said."""
    try:
        said = float(os.environ.get(PATIENCE, ""))
    except ValueError:
        return PATIENCE_S
    return said if 0 < said <= MOST_PATIENCE_S else PATIENCE_S


def names(source: Source, ctx: Any, incomplete: str) -> list[tuple[str, str | None]]:
    """Names that begin so, each with what is shown beside it; none where they cannot be had at once."""
    found: list[tuple[str, str | None]] = []

    def ask() -> None:
        try:
            found.extend(_ask(source, ctx.find_root().params, incomplete))
        except Exception:
            return

    # A thread of its own: no timeout of HTTP bounds an answer that comes byte by byte. It ends with the process.
    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(patience_s())
    return [] if asking.is_alive() else found


def _ask(source: Source, given: Mapping[str, Any], incomplete: str) -> list[tuple[str, str | None]]:
    from sextant_cli.client import Api, path_of
    from sextant_cli.settings import find_target

    target = find_target(given.get("url"), given.get("token"))
    if target.token is None:
        return []
    query: dict[str, str | int | None] = {"limit": MOST}
    if source.search and incomplete:
        query["search"] = incomplete
    if source.by_chain and "." in incomplete:
        query["chain"] = incomplete.partition(".")[0]
    page = Api(target).get(path_of(*source.path), query, patience_s=patience_s()).body
    pairs = [(str(_field(item, source.name)), _field(item, source.about)) for item in page["items"]]
    unique = {name: _shown(about) for name, about in pairs if _PLAIN.fullmatch(name) and name.startswith(incomplete)}
    return list(unique.items())


def _field(item: Any, path: tuple[str, ...]) -> Any:
    for part in path:
        item = item[part]
    return item if path else None


def _shown(about: Any) -> str | None:
    """Text of operators goes to a shell: nothing in it may mean something there."""
    return None if about is None else " ".join(_NOT_PLAIN.sub(" ", str(about)).split())[:60] or None
