"""`--set web.firewall.llc_ways=4`, `--set web.ways=4` as an intent: resources of NFs, and of chains, that run."""

from typing import Annotated, Any

import typer
from pydantic import ValidationError
from sextant_domain.plans.intents import ResourceIntent
from sextant_domain.plans.resources import RESOURCES, MemoryRequest

from sextant_cli.errors import CliError, Exit, error

GIVEN_BACK = "none"
FORM = "[HOST.]CHAIN.NF.RESOURCE=VALUE, as web.firewall.llc_ways=4, or CHAIN.RESOURCE=VALUE, as web.llc_ways=4"
SHORT = {"ways": "llc_ways", "bandwidth": "memory_bandwidth_percent"}
"""Shorter names of resources."""
OF_CHAINS = tuple(field for field in RESOURCES if field in MemoryRequest.model_fields)
"""What the NFs of a chain can have together."""

Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="[HOST.]CHAIN.NF.RESOURCE=VALUE",
        help="Give an NF that runs other resources where it stands: llc_ways (a number; ways for short), "
        "memory_bandwidth_percent (a step of its host; bandwidth for short), cpu_share (1 to 10000), cpu_quota_percent "
        "(1 to 100); 'none' gives one back. CHAIN.RESOURCE=VALUE gives ways or bandwidth that all NFs of the chain "
        "have together. "
        "Example: --set edge-1.web.firewall.llc_ways=4 --set dns.ways=4 --set web.nat.cpu_quota_percent=none. "
        "Repeatable; all of them make one plan.",
    ),
]


def resource_intent(settings: list[str], **more: Any) -> ResourceIntent:
    """`more`: what other options ask for. Raises CliError naming the option that cannot be read."""
    wanted: dict[str, dict[str, Any]] = {}
    for text in settings:
        host, owner, resource, value = _read(text)
        asked = wanted.setdefault(owner, {})
        if resource in asked:
            raise _unreadable(text, f"{resource} of {owner} is set twice")
        if asked.get("host", host) != host:
            raise _unreadable(text, f"{owner} is on one host: name the same one, or none, each time")
        asked |= {resource: value} if host is None else {"host": host, resource: value}
    intent = {
        "resources": {owner: asked for owner, asked in wanted.items() if "." in owner},
        "chains": {owner: asked for owner, asked in wanted.items() if "." not in owner},
        **more,
    }
    try:
        return ResourceIntent.model_validate(intent)
    except ValidationError as cause:
        first = cause.errors(include_url=False)[0]
        raise _unreadable(".".join(str(part) for part in first["loc"][1:]), first["msg"]) from None


def _read(text: str) -> tuple[str | None, str, str, float | None]:
    """(host, NF or chain, resource, value)."""
    path, equals, value = text.partition("=")
    parts = path.split(".")
    if not equals or len(parts) not in (2, 3, 4) or not all(parts):
        raise _unreadable(text, f"it is not {FORM}")
    *named, resource = parts
    resource = SHORT.get(resource, resource)
    if len(named) == 1 and resource not in RESOURCES:
        raise _unreadable(text, f"it is not {FORM}")
    there = RESOURCES if len(named) > 1 else OF_CHAINS
    if resource not in there:
        whose = "" if len(named) > 1 else " of a chain"
        raise _unreadable(text, f"'{resource}' is no resource{whose}; there are {', '.join(there)}")
    host = named[0] if len(named) == 3 else None
    return host, ".".join(named[-2:]), resource, _number(value, text)


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
