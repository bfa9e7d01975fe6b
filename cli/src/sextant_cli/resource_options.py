"""`--set web.firewall.llc_ways=4` as an intent: resources of NFs that run."""

from typing import Annotated, Any

import typer
from pydantic import ValidationError
from sextant_domain.plans.intents import ResourceIntent
from sextant_domain.plans.resources import RESOURCES

from sextant_cli.errors import CliError, Exit, error

GIVEN_BACK = "none"
FORM = "[HOST.]CHAIN.NF.RESOURCE=VALUE, as web.firewall.llc_ways=4"

Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="[HOST.]CHAIN.NF.RESOURCE=VALUE",
        help="Give an NF that runs other resources where it stands: llc_ways (a number), memory_bandwidth_percent (a "
        "step of its host), cpu_share (1 to 10000), cpu_quota_percent (1 to 100); 'none' gives one back. "
        "Example: --set edge-1.web.firewall.llc_ways=4 --set web.nat.cpu_quota_percent=none. Repeatable; all of them "
        "make one plan.",
    ),
]


def resource_intent(settings: list[str]) -> ResourceIntent:
    """Raises CliError naming the option that cannot be read."""
    resources: dict[str, dict[str, Any]] = {}
    for text in settings:
        host, nf_id, resource, value = _read(text)
        asked = resources.setdefault(nf_id, {})
        if resource in asked:
            raise _unreadable(text, f"{resource} of {nf_id} is set twice")
        if asked.get("host", host) != host:
            raise _unreadable(text, f"{nf_id} is on one host: name the same one, or none, each time")
        asked |= {resource: value} if host is None else {"host": host, resource: value}
    try:
        return ResourceIntent.model_validate({"resources": resources})
    except ValidationError as cause:
        first = cause.errors(include_url=False)[0]
        raise _unreadable(".".join(str(part) for part in first["loc"][1:]), first["msg"]) from None


def _read(text: str) -> tuple[str | None, str, str, float | None]:
    """(host, NF, resource, value)."""
    path, equals, value = text.partition("=")
    parts = path.split(".")
    if not equals or len(parts) not in (3, 4) or not all(parts):
        raise _unreadable(text, f"it is not {FORM}")
    *host, chain, nf, resource = parts
    if resource not in RESOURCES:
        raise _unreadable(text, f"'{resource}' is no resource; there are {', '.join(RESOURCES)}")
    return (host[0] if host else None), f"{chain}.{nf}", resource, _number(value, text)


def _number(value: str, text: str) -> float | None:
    if value == GIVEN_BACK:
        return None
    try:
        return int(value)
    except ValueError:
        pass
    try:
        return float(value)
    except ValueError:
        raise _unreadable(text, f"'{value}' is neither a number nor '{GIVEN_BACK}'") from None


def _unreadable(text: str, why: str) -> CliError:
    return error("bad-option", "--set cannot be read", f"--set {text}: {why}", Exit.BAD_INPUT)
