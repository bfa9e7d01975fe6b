"""Takes secrets out of what operators send, before anything is stored, and forgets those that nothing needs."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from sextant_domain.chains.chain import ChainSpec, NfSpec
from sextant_domain.chains.nf import NfType
from sextant_domain.chains.secret import GONE, is_reference, new_reference
from sextant_domain.problem import FieldError, NextAction
from sqlalchemy.orm import Session

from sextant_backend.kit.errors import SextantError
from sextant_backend.kit.principal import Principal
from sextant_backend.kit.sealing import Keys, Sealed, SealingError, keys_of
from sextant_backend.modules.secrets import repository
from sextant_backend.modules.secrets.models import SecretRow
from sextant_backend.settings import get_settings

KEPT_FOR = timedelta(days=7)
"""After the last order, plan or chain that names it: a chain that was deleted by mistake can be given back its key."""


class NoSecretsKey(SextantError):
    """This process cannot encrypt."""

    kind, status, title = "no-secrets-key", 503, "Secrets cannot be stored"


def unknown(session: Session, spec: ChainSpec, types: Mapping[str, NfType]) -> Iterator[FieldError]:
    """References in the chain that name nothing; the others are in use from now on."""
    named = {
        f"nfs.{index}.config.{setting}": str(nf.config[setting])
        for index, nf in enumerate(spec.nfs)
        for setting in sorted(_settings(nf, types))
        if is_reference(nf.config.get(setting))
    }
    there = repository.known(session, set(named.values())) if named else frozenset()
    for field, reference in named.items():
        if reference not in there:
            yield FieldError(field=field, message="there is no such secret (any more); give the secret itself")


def keep(session: Session, value: str, who: Principal) -> str:
    """Store one secret, sealed; its reference. Raises NoSecretsKey."""
    return _store(session, _keys(), value, who)


def put_aside(session: Session, spec: ChainSpec, types: Mapping[str, NfType], who: Principal) -> ChainSpec:
    """The chain with a new reference for every secret in it, which is stored sealed; raises NoSecretsKey."""
    given = [nf for nf in spec.nfs if any(_is_value(nf.config.get(setting)) for setting in _settings(nf, types))]
    if not given:
        return spec
    keys = _keys()
    nfs = [_put_nf_aside(session, keys, nf, _settings(nf, types), who) if nf in given else nf for nf in spec.nfs]
    session.flush()
    return spec.model_copy(update={"nfs": tuple(nfs)})


def _put_nf_aside(session: Session, keys: Keys, nf: NfSpec, settings: frozenset[str], who: Principal) -> NfSpec:
    config = dict(nf.config)
    for setting in sorted(settings):
        if _is_value(config.get(setting)):
            config[setting] = _store(session, keys, config[setting], who)
    return nf.model_copy(update={"config": config})


def store(session: Session, value: str, who: Principal) -> str:
    """The reference under which the value is stored, sealed; raises NoSecretsKey."""
    reference = _store(session, _keys(), value, who)
    session.flush()
    return reference


def is_stored(session: Session, reference: str) -> bool:
    """Whether it names a secret, which is in use from now on."""
    return bool(repository.known(session, [reference]))


def _store(session: Session, keys: Keys, value: str, who: Principal) -> str:
    """Equal values get different references: nobody learns that two chains share a key, or tries a guess so."""
    reference = new_reference()
    sealed = keys.seal(reference, value)
    session.add(SecretRow(reference=reference, key_id=sealed.key_id, sealed=sealed.content, created_by=who.username))
    return reference


def blanked(config: Mapping[str, Any], settings: frozenset[str]) -> dict[str, Any]:
    """A configuration of another installation: its secrets are nobody's business here."""
    return {name: GONE if name in settings and value is not None else value for name, value in config.items()}


def forget_unused(session: Session) -> int:
    """Drop what nothing has named for a week; returns how many. For the housekeeping task."""
    repository.note_uses(session)
    return repository.forget_unused(session, KEPT_FOR)


def reseal(session: Session) -> int:
    """Seal under the first key what another one opens; returns how many. Raises SealingError."""
    keys = keys_of(get_settings().secrets_key_file)
    rows = repository.sealed_under_others(session, keys.current)
    for row in rows:
        sealed = keys.seal(row.reference, keys.open(row.reference, Sealed(row.key_id, row.sealed)))
        row.key_id, row.sealed = sealed.key_id, sealed.content
    return len(rows)


def _settings(nf: NfSpec, types: Mapping[str, NfType]) -> frozenset[str]:
    known = types.get(nf.type)
    return known.secrets if known else frozenset()


def _is_value(value: object) -> bool:
    return isinstance(value, str) and not is_reference(value)


def _keys() -> Keys:
    try:
        return keys_of(get_settings().secrets_key_file)
    except SealingError as error:
        raise NoSecretsKey(
            f"{error}. Nothing was stored.",
            next_actions=[NextAction(label="Give the console its key file and start it again")],
        ) from None
