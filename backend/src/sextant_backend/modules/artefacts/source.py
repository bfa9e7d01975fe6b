"""Stored files for steps that send them to hosts: outside of any request, each read in a transaction of its own."""

from sextant_backend.agents.outgoing import StoredFile
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.artefacts import repository, service


class ArtefactSource:
    """Files by digest. Safe between threads."""

    def find(self, digest: str) -> StoredFile | None:
        """The file with its content still to be read; None where it is not stored."""
        with session_scope() as session:
            row = repository.living(session, digest)
            return None if row is None else StoredFile(row.digest, row.size_bytes, service.content(row.id))
