"""The small console's artefacts, by docs/contracts/console.md."""

import hashlib
from datetime import UTC, datetime

from sextant_domain.hosts.artefact import Artefact, FileKind
from sextant_domain.problem import Problem, problem_type

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


class Missing(Exception):
    """There is no such file."""


class Shelf:
    """Files by digest, oldest first."""

    def __init__(self) -> None:
        self.known: dict[str, Artefact] = {}
        self.contents: dict[str, bytes] = {}
        self.damaged = False
        """True: what is fetched is not what was stored."""

    def store(self, name: str, kind: str, content: bytes) -> tuple[int, Artefact]:
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        if digest in self.known:
            return 200, self.known[digest]
        version = 1 + max((one.version for one in self.known.values() if one.name == name), default=0)
        self.contents[digest] = content
        self.known[digest] = Artefact(
            digest=digest,
            name=name,
            version=version,
            kind=FileKind(kind),
            size_bytes=len(content),
            created_at=NOW,
            created_by="ada",
            uses=0,
            used_by=(),
        )
        return 201, self.known[digest]

    def found(self, search: str | None, kind: str | None) -> list[Artefact]:
        return [
            one
            for one in reversed(self.known.values())
            if (search is None or search in one.name or one.digest.startswith(f"sha256:{search}"))
            and (kind is None or one.kind == kind)
        ]

    def one(self, digest: str) -> Artefact:
        if digest not in self.known:
            raise Missing
        return self.known[digest]

    def content(self, digest: str) -> bytes:
        self.one(digest)
        return b"something else" if self.damaged else self.contents[digest]

    def use(self, digest: str, *chains: str) -> None:
        self.known[digest] = self.known[digest].model_copy(update={"uses": len(chains), "used_by": chains})

    def delete(self, digest: str) -> Problem | None:
        used_by = self.one(digest).used_by
        if used_by:
            detail = f"named by {', '.join(used_by)}"
            return Problem(type=problem_type("artefact-in-use"), title="Chains use it", status=409, detail=detail)
        del self.known[digest]
        return None
