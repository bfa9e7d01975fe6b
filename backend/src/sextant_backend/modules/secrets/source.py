"""Stored secrets for the step that sends them to a host: outside of any request, in a transaction of its own."""

from collections.abc import Iterable

from sextant_domain.chains.secret import SecretValues

from sextant_backend.kit.db import session_scope
from sextant_backend.kit.sealing import Sealed, SealingError, keys_of
from sextant_backend.modules.secrets import repository
from sextant_backend.settings import get_settings


class SecretSource:
    """Secrets by reference. Safe between threads."""

    def open(self, references: Iterable[str]) -> SecretValues:
        """The values of all of them; raises SealingError."""
        wanted = sorted(references)
        if not wanted:
            return {}
        with session_scope() as session:
            sealed = {row.reference: Sealed(row.key_id, row.sealed) for row in repository.of(session, wanted)}
        gone = [reference for reference in wanted if reference not in sealed]
        if gone:
            raise SealingError(f"{gone[0]} is not stored any more; delete the chain and submit it with its secret")
        keys = keys_of(get_settings().secrets_key_file)
        return {reference: keys.open(reference, sealed[reference]) for reference in wanted}
