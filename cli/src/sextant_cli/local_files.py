"""Local files that a chain file names where the console wants a digest: `patterns_file: ./web.patterns`.

Only files beside or below the chain file are taken: a chain file may come from anywhere, and must not be a way to send
a private key to a console.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sextant_domain.hosts.artefact import MAX_BYTES, FileKind, kind_of_setting
from sextant_domain.problem import FieldError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")
_DIGEST = "sha256:"


@dataclass(frozen=True)
class LocalFile:
    """A file that is to be uploaded."""

    path: Path
    kind: FileKind
    size_bytes: int
    digest: str

    @property
    def name(self) -> str:
        """What it will be called."""
        return self.path.name


class NotUsable(Exception):
    """The file cannot be uploaded: cause, and what would be right."""


def examine(path: Path, kind: FileKind, name: str | None = None) -> LocalFile:
    """Size and digest of a file, which will be called `name` or as it is; raises NotUsable."""
    if not is_name(name or path.name):
        raise NotUsable(
            f"'{path.name}' cannot be an artefact's name: letters, digits, dots, hyphens and underscores, at most 120; "
            "upload it under another name (sextant artefacts upload FILE --name NAME) and write its digest here"
        )
    hasher = hashlib.sha256()
    try:
        if not path.is_file():
            raise NotUsable(f"{path} is {'no regular file' if path.exists() else 'not there'}")
        size = path.stat().st_size
        if size > MAX_BYTES[kind]:
            raise NotUsable(f"{path} has {size} bytes; a file of kind {kind} may have {MAX_BYTES[kind]}")
        with path.open("rb") as stream:
            while part := stream.read(1 << 20):
                hasher.update(part)
    except OSError as error:
        raise NotUsable(f"{path} cannot be read: {error.strerror}") from error
    return LocalFile(path, kind, size, _DIGEST + hasher.hexdigest())


def is_name(text: str) -> bool:
    """Whether an artefact can be called so."""
    return _NAME.fullmatch(text) is not None


def put_digests(content: Any, folder: Path | None) -> tuple[list[LocalFile], list[FieldError]]:
    """Replace every local file that the content of a chain file names by its digest, in place.

    `folder` is where the chain file lies; None: it came from stdin, and names no local files.
    """
    found: list[LocalFile] = []
    errors: list[FieldError] = []
    for field, kind, settings, key in list(_places(content)):
        try:
            file = examine(_inside(settings[key], folder), kind)
        except NotUsable as error:
            errors.append(FieldError(field=field, message=str(error)))
            continue
        settings[key] = file.digest
        found.append(file)
    return found, errors


def _places(content: Any) -> Iterator[tuple[str, FileKind, dict[str, Any], str]]:
    """Where a file's name stands: (field, kind, the mapping it is in, its key). What is misshapen is refused later."""
    if not isinstance(content, dict):
        return
    traffic = content.get("traffic")
    mappings: list[tuple[str, Any]] = [("traffic", traffic)]
    yield from _trace(traffic.get(FileKind.PCAP) if isinstance(traffic, dict) else None)
    nfs = content.get("nfs")
    for index, nf in enumerate(nfs if isinstance(nfs, list) else ()):
        mappings.append((f"nfs.{index}.config", nf.get("config") if isinstance(nf, dict) else None))
    for field, mapping in mappings:
        if not isinstance(mapping, dict):
            continue
        for key, value in mapping.items():
            kind = kind_of_setting(key) if isinstance(key, str) else None
            if kind is not None and isinstance(value, str) and not value.startswith(_DIGEST):
                yield f"{field}.{key}", kind, mapping, key


def _trace(pcap: Any) -> Iterator[tuple[str, FileKind, dict[str, Any], str]]:
    """A trace with more said of it: `pcap: {file: day.pcap, timing: file}`."""
    if isinstance(pcap, dict) and isinstance(pcap.get("file"), str) and not pcap["file"].startswith(_DIGEST):
        yield f"traffic.{FileKind.PCAP}.file", FileKind.PCAP, pcap, "file"


def _inside(name: str, folder: Path | None) -> Path:
    if folder is None:
        raise NotUsable(
            "a chain from stdin can name no local file; upload it (sextant artefacts upload FILE) and write its digest"
        )
    try:
        path = (folder / name).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise NotUsable(f"'{name}' is no file's name: {error}") from error
    if not path.is_relative_to(folder.resolve()):
        raise NotUsable(
            f"'{name}' leads out of the chain file's folder; a file must lie beside or below the chain file"
        )
    return path
