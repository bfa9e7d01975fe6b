"""`sextant artefacts`: list, upload, show, download, delete."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from sextant_domain.hosts.artefact import Artefact, FileKind

from sextant_cli.client import path_of
from sextant_cli.errors import Exit, error
from sextant_cli.figures import ago, or_none, size
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.local_files import NotUsable, examine, is_name
from sextant_cli.output import Format, Printer
from sextant_cli.session import Output, read_all, session_of
from sextant_cli.uploading import find, kind_by_ending, upload

app = typer.Typer(
    no_args_is_help=True,
    help="Files that NF configurations refer to by digest: patterns, routes, rules, packet traces.",
)

Wanted = Annotated[str, typer.Argument(metavar="ARTEFACT", help="NAME, NAME@VERSION, or a digest's first digits.")]


@app.command("list")
def list_artefacts(
    ctx: typer.Context,
    *,
    kind: Annotated[FileKind | None, typer.Option(help="Only files of this kind.")] = None,
    search: Annotated[str | None, typer.Option(help="Only files with this text in their name.")] = None,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Stored files, newest first."""
    session = session_of(ctx, output)
    page = session.api.pages(
        path_of("artefacts"), listed(sort, filters, {"kind": kind.value if kind else None, "search": search})
    )
    if session.out.is_json:
        session.out.json(page)
    else:
        _table(session.out, read_all(Artefact, page))


@app.command("upload")
def upload_file(
    ctx: typer.Context,
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to store.")],
    kind: Annotated[
        FileKind | None, typer.Option(help="The kind of its content; default: by the file's extension.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Its name; default: the file's. A name that exists gets a new version.")
    ] = None,
    output: Output = Format.TABLE,
) -> None:
    """Store a file and print the digest by which configurations refer to it."""
    session = session_of(ctx, output)
    kind = kind or kind_by_ending(file.name)
    if kind is None:
        kinds = ", ".join(FileKind)
        raise _refused(f"the kind of {file.name} does not follow from its extension; add --kind, one of {kinds}")
    if name is not None and not is_name(name):
        raise _refused(f"'{name}' cannot be a name: letters, digits, dots, hyphens and underscores, at most 120")
    try:
        local = examine(file, kind, name)
    except NotUsable as cause:
        raise _refused(str(cause)) from cause
    artefact, new = upload(session, local, name)
    if session.out.is_json:
        session.out.json(artefact.model_dump(mode="json"))
        return
    if not new:
        session.out.progress(f"these bytes are stored already, as {artefact.name} version {artefact.version}")
    session.out.line(f"{artefact.name} version {artefact.version}  {artefact.digest}")


@app.command()
def show(ctx: typer.Context, wanted: Wanted, output: Output = Format.TABLE) -> None:
    """One file, and the chains and NF types that use it."""
    session = session_of(ctx, output)
    artefact = find(session, wanted)
    if session.out.is_json:
        session.out.json(artefact.model_dump(mode="json"))
        return
    _table(session.out, [artefact])
    session.out.line(artefact.digest)
    more = f" and {artefact.uses - len(artefact.used_by)} more" if artefact.uses > len(artefact.used_by) else ""
    chains = ", ".join(artefact.used_by) + more if artefact.used_by else "no chain"
    types = f", and by NF types {', '.join(artefact.nf_types)}" if artefact.nf_types else ""
    session.out.line(f"used by {chains}{types}")


@app.command()
def download(
    ctx: typer.Context,
    wanted: Wanted,
    to: Annotated[
        str | None, typer.Option(metavar="FILE", help="Where to write it; '-' for stdout; default: its name.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Download a file and check it against its digest."""
    session = session_of(ctx, Format.TABLE)
    artefact = find(session, wanted)
    path = path_of("artefacts", artefact.digest, "content")
    if to == "-":
        session.api.download(path, artefact.digest, sys.stdout.buffer)
        return
    target = Path(to or artefact.name)
    if target.exists() and not force:
        raise _refused(f"{target} already exists; add --force to overwrite it, or choose another name with --to")
    unfinished = target.with_name(f".{target.name}.part")
    try:
        with unfinished.open("wb") as stream:
            session.api.download(path, artefact.digest, stream)
        unfinished.replace(target)
    except OSError as cause:
        raise _refused(f"{target} cannot be written: {cause.strerror}") from cause
    finally:
        unfinished.unlink(missing_ok=True)
    session.out.line(f"{target}  {size(artefact.size_bytes)}")


@app.command()
def delete(ctx: typer.Context, wanted: Wanted) -> None:
    """Delete a file that no chain and no NF type uses."""
    session = session_of(ctx, Format.TABLE)
    artefact = find(session, wanted)
    session.api.delete(path_of("artefacts", artefact.digest), if_match=f'"{artefact.digest}"')
    session.out.line(f"{artefact.name} version {artefact.version} was deleted")


def _table(out: Printer, artefacts: list[Artefact]) -> None:
    out.table(
        ("NAME", "VERSION>", "KIND", "SIZE>", "DIGEST", "CHAINS>", "BY", "UPLOADED"),
        (
            (
                one.name,
                str(one.version),
                one.kind.value,
                size(one.size_bytes),
                one.digest[: len("sha256:") + 12],
                or_none(one.uses or None),
                one.created_by,
                ago(one.created_at),
            )
            for one in artefacts
        ),
        empty="no artefacts; store one with: sextant artefacts upload FILE",
    )


def _refused(detail: str) -> Exception:
    return error("bad-file", "The file is not accepted", detail, Exit.BAD_INPUT)
