"""Files that NF configurations and chain traffic name by digest: patterns, routes, rules, packet traces."""

import re
from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from sextant_domain.base import Digest, Frozen, Name
from sextant_domain.hosts.desired import HostContent
from sextant_domain.profiling.profile import ProfileRequest


class FileKind(StrEnum):
    """What is in an artefact; the setting that names one is called after it: `routes_file` takes `routes`."""

    PATTERNS = "patterns"
    PCAP = "pcap"
    ROUTES = "routes"
    RULES = "rules"


MAX_BYTES: dict[FileKind, int] = {
    FileKind.PATTERNS: 16 * 2**20,
    FileKind.PCAP: 64 * 2**20,
    FileKind.ROUTES: 32 * 2**20,
    FileKind.RULES: 16 * 2**20,
}
"""32 MiB of text are a million routes; 64 MiB of trace are 50,000 packets of full size. An NF type may take less."""

MOST_BYTES = max(MAX_BYTES.values())

FILE_SUFFIX = "_file"

ArtefactName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$")]
"""Like a file's name, without a path: letters, digits, dots, hyphens and underscores."""

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class Artefact(Frozen):
    """A stored file. It never changes: other content is another artefact, under the same name the next version."""

    digest: Digest
    """SHA-256 over its bytes: what configurations name."""
    name: ArtefactName
    version: int = Field(ge=1)
    """Counted within the name."""
    kind: FileKind
    size_bytes: int = Field(ge=1)
    created_at: datetime
    created_by: str
    uses: int
    """Chains that name it."""
    used_by: tuple[Name, ...]
    """The first of them by name, at most 20."""
    nf_types: tuple[Name, ...] = ()
    """Registered NF types whose configuration names it: the first by name, at most 20."""


class HeldArtefacts(Frozen):
    """GET /v1/artefacts of an agent: the files it holds whole, by digest."""

    digests: tuple[Digest, ...]


def is_digest(value: object) -> bool:
    """True for a string that names an artefact."""
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def kind_of_setting(setting: str) -> FileKind | None:
    """`routes` for `routes_file`, `pcap` for `pcap`; None for a setting that names no file."""
    stem = setting.removesuffix(FILE_SUFFIX)
    named = stem != setting or stem == FileKind.PCAP
    return FileKind(stem) if named and stem in set(FileKind) else None


def digests_of(content: HostContent) -> frozenset[str]:
    """Every artefact that an order names. The agent has no catalogue: a digest in a configuration is a file."""
    return frozenset(
        digest
        for chain in content.chains
        for value in (chain.traffic.model_dump(mode="json"), *(nf.config for nf in chain.nfs))
        for digest in _digests_in(value)
    )


def digests_of_request(request: ProfileRequest) -> frozenset[str]:
    """Every artefact that a measurement names."""
    nfs = (request.nf, *request.upstream, *request.downstream, *request.others)
    return frozenset(digest for nf in nfs for digest in _digests_in(nf.config))


def _digests_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from _digests_in(item)
    elif is_digest(value):
        yield value
