"""Sends files to the console, and finds them there again."""

from sextant_domain.hosts.artefact import Artefact, FileKind, is_digest

from sextant_cli.client import path_of
from sextant_cli.errors import CliError, Exit, error
from sextant_cli.figures import size
from sextant_cli.local_files import LocalFile
from sextant_cli.session import Session, read, read_all

MIN_DIGITS = 8
"""So many digits of a digest name an artefact."""


def upload(session: Session, file: LocalFile, name: str | None = None) -> tuple[Artefact, bool]:
    """Store the file, and whether its bytes are new to the console."""
    query = {"name": name or file.name, "kind": file.kind.value}
    answer = session.api.upload(path_of("artefacts"), query, file.path, file.size_bytes)
    artefact = read(Artefact, answer.body)
    if artefact.digest != file.digest:
        raise error(
            "file-changed",
            "The file changed during the upload",
            f"{file.path} was {file.digest} and was stored as {artefact.digest}; send it again once it is stable",
            Exit.FAILED,
        )
    return artefact, answer.status == 201


def bring(session: Session, file: LocalFile) -> None:
    """Make sure that the console has the file, and say what was done."""
    try:
        there = read(Artefact, session.api.get(path_of("artefacts", file.digest)).body)
        if there.kind is file.kind:
            session.out.progress(f"{file.path.name} is already stored: {_named(there)}")
            return
    except CliError as cause:
        if cause.kind != "not-found":
            raise
    artefact, _ = upload(session, file)
    session.out.progress(f"uploaded {file.path.name} ({size(file.size_bytes)}): {_named(artefact)}")


def _named(artefact: Artefact) -> str:
    return f"{artefact.kind} {artefact.name} version {artefact.version}, {artefact.digest}"


def find(session: Session, wanted: str) -> Artefact:
    """By digest, by its first digits, by NAME (the newest version) or NAME@VERSION."""
    if is_digest(wanted):
        return read(Artefact, session.api.get(path_of("artefacts", wanted)).body)
    name, _, version = wanted.partition("@")
    digits = wanted.removeprefix("sha256:")
    body = session.api.pages(path_of("artefacts"), {"search": digits if wanted != digits else name})
    near = read_all(Artefact, body)
    found = [one for one in near if one.name == name and version in ("", str(one.version))]
    if not found and len(digits) >= MIN_DIGITS:
        found = [one for one in near if one.digest.startswith(f"sha256:{digits.lower()}")]
        if len(found) > 1:
            raise _unclear(wanted, f"{len(found)} digests begin with {digits}; write more digits")
    if not found:
        raise _unclear(wanted, f"there is no artefact {wanted}; write NAME, NAME@VERSION, or a digest")
    return max(found, key=lambda one: one.version)


def _unclear(wanted: str, detail: str) -> CliError:
    return error("not-found", f"No artefact matches '{wanted}'", detail, Exit.BAD_INPUT)


def kind_by_ending(name: str) -> FileKind | None:
    """`web.patterns` holds patterns."""
    ending = name.rpartition(".")[2].lower()
    return FileKind(ending) if ending in set(FileKind) else None
