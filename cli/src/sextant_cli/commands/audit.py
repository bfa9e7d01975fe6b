"""`sextant audit`: who did what to which object, before and after; and whether the log is as it was sealed."""

import csv
import io
import json
import re
from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer
from sextant_domain.console.audit import ActorKind, AuditEntry
from sextant_domain.console.audit_seal import AuditBatch

from sextant_cli.client import path_of
from sextant_cli.errors import Exit, error
from sextant_cli.figures import ago, or_none
from sextant_cli.groups import defaulting_to
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format, clean
from sextant_cli.session import Output, Session, read_all, session_of

if TYPE_CHECKING:
    from sextant_cli.verifying import KnownSeal, Verification

app = typer.Typer(cls=defaulting_to("list"), help="The audit log: who did what, when, with before and after.")

COLUMNS = (
    "id", "at", "actor", "actor_kind", "token", "action", "object_kind", "object_id", "object_name", "request_id",
    "reason", "detail", "before", "after",
)  # fmt: skip
_FORMULA = ("=", "+", "-", "@")
"""A spreadsheet computes cells that begin so; texts of the log are by anybody who has been refused."""


class AuditFormat(StrEnum):
    """What `-o` accepts here."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


@app.command("list")
def list_entries(
    ctx: typer.Context,
    *,
    actor: Annotated[str | None, typer.Option(help="Exactly this actor: ada, host/edge-1, system.")] = None,
    actor_kind: Annotated[ActorKind | None, typer.Option(help="Only what this kind of actor did.")] = None,
    action: Annotated[str | None, typer.Option(help="plan.apply, or all of a kind: plan.")] = None,
    object_kind: Annotated[str | None, typer.Option(help="Only of objects of this kind: chain, plan, host.")] = None,
    object_id: Annotated[
        str | None, typer.Option("--object", metavar="ID", help="Only of objects with this id or name.")
    ] = None,
    request_id: Annotated[str | None, typer.Option("--request", help="Only what this request caused.")] = None,
    since: Annotated[
        str | None, typer.Option(metavar="TIME", help="Not before: 2026-03-01T09:00:00Z, with its time zone.")
    ] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Before: as --since.")] = None,
    most: Annotated[int, typer.Option("--most", min=1, max=1_000_000, help="Number of entries.")] = 50,
    sort: Sort = None,
    filters: Filters = None,
    output: Annotated[
        AuditFormat, typer.Option("-o", "--output", help="table, json: the API's own answer, or csv.")
    ] = AuditFormat.TABLE,
) -> None:
    """Entries that fit all of the options, newest first."""
    session = session_of(ctx, Format.JSON if output is AuditFormat.JSON else Format.TABLE)
    wanted = {
        "actor": actor,
        "actor_kind": actor_kind.value if actor_kind else None,
        "action": action,
        "object_kind": object_kind,
        "object": object_id,
        "request_id": request_id,
        "since": since,
        "until": until,
    }
    page = session.api.pages(path_of("audit"), listed(sort, filters, wanted), most)
    if output is AuditFormat.JSON:
        session.out.json(page)
        return
    found = read_all(AuditEntry, page)
    if output is AuditFormat.CSV:
        typer.echo(as_csv(found), nl=False)
        return
    session.out.table(
        ("WHEN", "ACTOR", "ACTION", "OBJECT", "REASON", "REQUEST"),
        (
            (
                ago(one.at),
                _actor(one),
                one.action,
                _object(one),
                or_none(one.reason),
                or_none(one.request_id),
            )
            for one in found
        ),
        empty="no entries",
    )


def as_csv(entries: Iterable[AuditEntry]) -> str:
    """A line each under a line of names; what has fields of its own as JSON."""
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in entries:
        fields = one.model_dump(mode="json")
        writer.writerow([_cell(fields[name]) for name in COLUMNS])
    return made.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, dict):
        return json.dumps(value, sort_keys=True, ensure_ascii=False) if value else ""
    text = clean(str(value))
    return f"'{text}" if text.startswith(_FORMULA) else text


def _actor(entry: AuditEntry) -> str:
    return f"{entry.actor} (token {entry.token})" if entry.token else entry.actor


def _object(entry: AuditEntry) -> str:
    return f"{entry.subject} ({entry.object_name})" if entry.object_name else entry.subject


@app.command("verify")
def verify_log(
    ctx: typer.Context,
    *,
    key: Annotated[
        str | None,
        typer.Option(metavar="HEX", help="The public key that must have signed, as `audit seals -o json` names it."),
    ] = None,
    seal: Annotated[
        str | None,
        typer.Option(metavar="NUMBER:DIGEST", help="A seal noted earlier: the log must still hold that batch."),
    ] = None,
    output: Output = Format.TABLE,
) -> None:
    """Compute every seal again from the rows, and name the first batch and row that do not match (exit status 1)."""
    from sextant_cli.verifying import verify

    session = session_of(ctx, output)
    done = verify(session, key, _known(seal))
    if session.out.is_json:
        session.out.json(_as_json(done))
    else:
        _show(session, done)
    if done.mismatch is not None:
        raise typer.Exit(int(Exit.FAILED))


def _known(given: str | None) -> "KnownSeal | None":
    from sextant_cli.verifying import KnownSeal

    if given is None:
        return None
    number, _, digest = given.partition(":")
    if not number.isdecimal() or not re.fullmatch(r"[0-9a-f]{64}", digest):
        raise error(
            "bad-option",
            "That is no seal",
            f"--seal: '{given}' is not a batch's number and its digest, as 12:9f86d0...",
            Exit.BAD_INPUT,
        )
    return KnownSeal(int(number), digest)


def _show(session: Session, done: "Verification") -> None:
    if (found := done.mismatch) is not None:
        session.out.line(f"batch {found.batch}: {found.text}", style="bold red")
        session.out.line(f"{done.batches} batches before it match")
        return
    removed = f", the rows of {done.removed_batches} were removed by age" if done.removed_batches else ""
    session.out.line(f"{done.rows} rows in {done.batches} batches match{removed}; {done.waiting} wait to be sealed")
    if done.newest is not None:
        session.out.line(f"sealed up to {done.newest.sealed_at:%Y-%m-%d %H:%M:%S} UTC")
        session.out.line(f"note elsewhere: --seal {done.newest.number}:{done.newest.digest}")


def _as_json(done: "Verification") -> dict[str, object]:
    found = done.mismatch
    return {
        "matches": found is None,
        "batches": done.batches,
        "rows": done.rows,
        "removed_batches": done.removed_batches,
        "waiting": done.waiting,
        "newest": None if done.newest is None else done.newest.model_dump(mode="json"),
        "mismatch": found and {"batch": found.batch, "entry_id": found.entry_id, "text": found.text},
    }


@app.command("seals")
def list_seals(
    ctx: typer.Context,
    *,
    most: Annotated[int, typer.Option("--most", min=1, max=100_000, help="Number of batches.")] = 50,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Sealed batches, newest first."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of("audit", "batches"), listed(sort, filters), most)
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("BATCH>", "SEALED", "ROWS>", "ENTRIES", "REMOVED", "DIGEST"),
        (
            (
                str(one.number),
                ago(one.sealed_at),
                str(one.rows),
                f"{one.first_id} to {one.last_id}",
                ago(one.removed_at),
                one.digest[:16],
            )
            for one in read_all(AuditBatch, page)
        ),
        empty="no batches",
    )
