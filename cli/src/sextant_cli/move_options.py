"""`--move web.firewall=6`, `--swap web,nat`, `--bounds web=2-6,10-50`: moves and bounds of a plan of resources."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer
from pydantic import ValidationError
from sextant_domain.base import digest_of
from sextant_domain.console.views import ChainView, HostView
from sextant_domain.hosts.desired import ResourceBounds
from sextant_domain.hosts.levels import MOST_TYPES, LevelTable
from sextant_domain.hosts.measured_levels import LevelsState, LevelsVersion
from sextant_domain.plans.placement import Seat

from sextant_cli.client import path_of
from sextant_cli.errors import CliError, Exit, error
from sextant_cli.session import Session, read, read_all

Move = Annotated[
    list[str] | None,
    typer.Option(
        "--move",
        metavar="CHAIN.NF=CORE",
        help="Move a running NF to that core of its host; repeatable, all at once: cores may be exchanged.",
    ),
]
Swap = Annotated[
    str | None,
    typer.Option(
        "--swap",
        metavar="CHAIN,CHAIN",
        help="Exchange the cores of two chains of one host that have as many NFs, NF by NF.",
    ),
]
MostLost = Annotated[
    int | None,
    typer.Option("--most-lost-packets", min=0, help="Refuse moves expected to lose more; undo those that did."),
]
MostPause = Annotated[
    float | None,
    typer.Option("--most-pause-ms", min=0, max=60_000, help="Refuse moves expected to hold a chain up for longer."),
]
Bounds = Annotated[
    list[str] | None,
    typer.Option(
        "--bounds",
        metavar="CHAIN=WAYS,PERCENT",
        help="Let the chain's host set its LLC ways and memory bandwidth by itself, by the promoted levels of its host "
        "model: web=2-6,10-50; web=none ends that. Repeatable.",
    ),
]
MAX_PROMOTED = MOST_TYPES
"""Of one host model: a table holds no more."""
LAW, LAW_VERSION = "numasfp", 1
"""The control law of hosts' agents that goes by tables of levels."""


def moves(session: Session, move: list[str] | None, swap: str | None) -> dict[str, int]:
    """NF -> core. Raises CliError naming the option that cannot be read or carried out."""
    cores: dict[str, int] = {}
    for text in move or ():
        nf_id, _, number = text.partition("=")
        if nf_id.count(".") != 1 or not number.isdecimal():
            raise _wrong("--move", text, "it is not CHAIN.NF=CORE, as web.firewall=6")
        if nf_id in cores:
            raise _wrong("--move", text, f"{nf_id} is moved twice")
        cores[nf_id] = int(number)
    for nf_id, core in ({} if swap is None else _swapped(session, swap)).items():
        if nf_id in cores:
            raise _wrong("--swap", str(swap), f"{nf_id} is named by --move, too")
        cores[nf_id] = core
    return cores


def _swapped(session: Session, text: str) -> dict[str, int]:
    names = text.split(",")
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise _wrong("--swap", text, "it is not CHAIN,CHAIN, as web,nat")
    one, other = (_seats(session, "--swap", text, name) for name in names)
    hosts = {name: next(iter(seats.values())).host for name, seats in zip(names, (one, other), strict=True)}
    if len(set(hosts.values())) > 1:
        where = " and ".join(f"{name} runs on {host}" for name, host in hosts.items())
        raise _wrong("--swap", text, f"{where}; cores are exchanged within one host")
    if len(one) != len(other):
        raise _wrong("--swap", text, f"{names[0]} has {len(one)} NFs and {names[1]} has {len(other)}; name --move each")
    pairs = list(zip(one.items(), other.items(), strict=True))
    cores = {nf_id: there.core for (nf_id, here), (_, there) in pairs if here.core != there.core}
    return cores | {nf_id: here.core for (_, here), (nf_id, there) in pairs if here.core != there.core}


def _seats(session: Session, option: str, text: str, chain: str) -> dict[str, Seat]:
    """Of its NFs, in its order."""
    placed = read(ChainView, session.api.get(path_of("chains", chain)).body).placement
    found = {nf.nf_id: nf.seat for nf in sorted(placed, key=lambda nf: nf.position)}
    if len({seat.host for seat in found.values()}) != 1:
        raise _wrong(option, text, f"{chain} does not run on one host now")
    return found


def loss_budget(most_lost: int | None, most_pause_ms: float | None) -> dict[str, Any]:
    """As an intent has it; empty where neither is given."""
    limits = {"most_packets": most_lost, "most_pause_ms": most_pause_ms}
    given = {name: value for name, value in limits.items() if value is not None}
    return {"loss_budget": given} if given else {}


def allowed_loss(most_lost: int | None, most_pause_ms: float | None, *, apply: bool) -> dict[str, Any]:
    """`loss_budget` as applying a plan has it. Raises BadParameter where no plan is applied."""
    budget = loss_budget(most_lost, most_pause_ms)
    if budget and not apply:
        raise typer.BadParameter("--most-lost-packets and --most-pause-ms say what applying may cost: add --apply")
    return budget


def bounds(session: Session, asked: list[str] | None) -> dict[str, Any]:
    """`bounds` and `tables` of an intent; empty where none are asked for."""
    if not asked:
        return {}
    found: dict[str, ResourceBounds | None] = {}
    tables: dict[str, LevelTable] = {}
    for text in asked:
        chain, equals, limits = text.partition("=")
        if not equals or chain in found:
            raise _wrong("--bounds", text, f"{chain} is named twice" if equals else "it is not CHAIN=WAYS,PERCENT")
        if limits == "none":
            found[chain] = None
            continue
        numbers = _numbers(text, limits)
        table = _promoted(session, text, chain)
        tables[digest_of(table)] = table
        found[chain] = _bounds(text, numbers, table)
    return {"bounds": found, "tables": tuple(tables[digest] for digest in sorted(tables))}


def _numbers(text: str, limits: str) -> list[int]:
    """Least and most ways, least and most percent."""
    pairs = [part.split("-") for part in limits.split(",")]
    if [len(pair) for pair in pairs] != [2, 2] or not all(one.isdecimal() for pair in pairs for one in pair):
        raise _wrong("--bounds", text, "it is not CHAIN=WAYS,PERCENT, as web=2-6,10-50")
    return [int(one) for pair in pairs for one in pair]


def _promoted(session: Session, text: str, chain: str) -> LevelTable:
    """Of the model of the host that the chain runs on: what control laws go by there."""
    host = next(iter(_seats(session, "--bounds", text, chain).values())).host
    inventory = read(HostView, session.api.get(path_of("hosts", host)).body).inventory
    if inventory is None:
        raise _wrong("--bounds", text, f"{host} has never said what it is")
    query = {"host_model": inventory.host_model, "state": LevelsState.PROMOTED.value}
    levels = read_all(LevelsVersion, session.api.pages(path_of("levels"), query, MAX_PROMOTED))
    types = {one.nf_type: one.measured.levels for one in levels}
    if not types:
        raise _wrong("--bounds", text, f"no levels are promoted for {inventory.host_model}, the model of {host}")
    return LevelTable(host_model=inventory.host_model, types=types)


def _bounds(text: str, numbers: list[int], table: LevelTable) -> ResourceBounds:
    least_ways, most_ways, least_percent, most_percent = numbers
    fields: Mapping[str, Any] = {
        "law": LAW,
        "law_version": LAW_VERSION,
        "table": digest_of(table),
        "least_ways": least_ways,
        "most_ways": most_ways,
        "least_percent": least_percent,
        "most_percent": most_percent,
    }
    try:
        return ResourceBounds.model_validate(fields)
    except ValidationError as cause:
        raise _wrong("--bounds", text, cause.errors(include_url=False)[0]["msg"]) from None


def _wrong(option: str, text: str, why: str) -> CliError:
    return error("bad-option", f"{option} cannot be used", f"{option} {text}: {why}", Exit.BAD_INPUT)
